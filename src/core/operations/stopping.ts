/** Stops a daemon under systemd, where its socket would start it again at the next request. */
export const stopCommand = 'systemctl stop hkctl.socket hkctl.service';
