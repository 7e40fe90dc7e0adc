import type { Credential } from '../../core/port/keys.ts';
import { redactSecrets } from '../../core/secrets.ts';
import { printable } from '../../core/text/shown-text.ts';

/**
 * Builds the function that writes a line at the first call of each key since the daemon started: the person who connects a gateway
 * watches for it. `writeLine` must not wait, since a terminal may be stopped.
 */
export function createFirstCalls(writeLine: (line: string) => void) {
  const calledKeys = new Set<string>();
  return (
    { keyId, prefix, name }: Pick<Credential, 'keyId' | 'prefix' | 'name'>,
    address: string,
  ): void => {
    if (calledKeys.has(keyId)) return;
    calledKeys.add(keyId);
    writeLine(`First call of ${printable(redactSecrets(name))} (${prefix}) from ${address}\n`);
  };
}
