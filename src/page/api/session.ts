/**
 * The key that the person pasted. The secret stays in this module's closure, and in the tab's
 * sessionStorage only if the person asks for that. The secret never stands in an address.
 */

const storageName = 'hkctl-key';

interface PageSession {
  key(): string | undefined;
  open(key: string, rememberInTab: boolean): void;
  close(): void;
}

export function createSession(storage: Storage): PageSession {
  let currentKey = storage.getItem(storageName) ?? undefined;

  return {
    key: () => currentKey,

    open(key, rememberInTab) {
      currentKey = key;
      if (rememberInTab) storage.setItem(storageName, key);
      else storage.removeItem(storageName);
    },

    close() {
      currentKey = undefined;
      storage.removeItem(storageName);
    },
  };
}
