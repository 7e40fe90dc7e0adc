#!/bin/sh
# systemctl for a machine without systemd: starts what the units of hkctl start, as the account that they name.
units=/usr/lib/systemd/system
value() { sed -n "s/^$2=//p" "$units/$1"; }
start() {
  account=$(value hkctl.service User)
  : > /run/hkctl.log
  cd /
  # Words of the unit, of which none has blanks.
  STATE_DIRECTORY=/var/lib/$(value hkctl.service StateDirectory) setsid setpriv --reuid "$account" --regid "$account" \
    --init-groups $(value hkctl.service ExecStart) > /run/hkctl.log 2>&1 &
  echo $! > /run/hkctl.pid
  for _ in $(seq 200); do
    grep -q 'hkctl serves' /run/hkctl.log && return 0
    sleep 0.1
  done
  cat /run/hkctl.log >&2
  return 1
}
stop() {
  [ -e /run/hkctl.pid ] || return 0
  kill "$(cat /run/hkctl.pid)"
  while kill -0 "$(cat /run/hkctl.pid)" 2> /dev/null; do sleep 0.05; done
  rm /run/hkctl.pid
}
verb=$1
shift
for unit; do
  case $unit in
    --*) continue ;;
    *.*) ;;
    *) unit=$unit.service ;;
  esac
  [ -e "$units/$unit" ] || { echo "Unit $unit not found." >&2; exit 5; }
  case $verb:$unit in
    enable:hkctl.service | start:hkctl.service) start ;;
    stop:hkctl.service) stop ;;
    restart:hkctl.service) stop && start ;;
    enable:hkctl-backup.timer) ;;
    start:hkctl-backup.service)
      account=$(value hkctl-backup.service User)
      for folder in $(value hkctl-backup.service StateDirectory); do
        install -d -m 700 -o "$account" -g "$account" "/var/lib/$folder"
      done
      STATE_DIRECTORY=/var/lib/hkctl setpriv --reuid "$account" --regid "$account" --init-groups \
        $(value hkctl-backup.service ExecStart | sed 's,%S,/var/lib,g') ;;
  esac || exit 1
done
