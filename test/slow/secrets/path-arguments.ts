const names =
  /^(secret-file|secret-dir|store|tls-cert|tls-key|anchors|environment-file|file|path)$/;

/** Whether a flag or an argument of that name is a path: the canary is the name of a file in the folder of the test then. */
export function isPath(name: string): boolean {
  return names.test(name);
}
