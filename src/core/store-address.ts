/** Whether a store is named by the address of a PostgreSQL database, and not by the path of a file. */
export function isStoreAddress(location: string): boolean {
  return /^postgres(ql)?:\/\//i.test(location);
}

/** The address of a store without the password in it, so that it can be shown, and the password. */
export function splitPassword(location: string): { address: string; password: string | undefined } {
  if (!isStoreAddress(location)) {
    return { address: location, password: undefined };
  }

  let password: string | undefined;
  const removePassword = (passwordText: string) => {
    password = passwordText;
    return '';
  };
  // The last @ before the path ends the login: a mistyped password may contain one.
  const address = location
    .replace(
      /^([a-z]+:\/\/[^:/?#@]*):(.*)(?=@)/i,
      (_, beforePassword: string, passwordText: string) =>
        beforePassword + removePassword(passwordText),
    )
    .replace(
      /([?&])password=([^&#]*)(&?)/gi,
      (_, separator: string, passwordText: string, nextSeparator: string) => {
        return removePassword(passwordText) + (nextSeparator === '' ? '' : separator);
      },
    );
  return { address, password };
}
