const patienceMs = 2000;

/** Whether anything speaks HTTP at an address. Nothing secret is sent, so that any certificate will do. */
export function answersAt(address: string): Promise<boolean> {
  const url = URL.canParse(address) ? new URL('/healthz', address) : undefined;
  // A damaged store may name anything at all.
  if (url === undefined || !/^https?:$/.test(url.protocol)) return Promise.resolve(false);
  // Loaded only here: most command lines ask no daemon.
  const { getBuiltinModule: load } = process;
  const client = url.protocol === 'https:' ? load('node:https') : load('node:http');
  return new Promise((resolve) => {
    const asked = client.request(
      url,
      { rejectUnauthorized: false, timeout: patienceMs },
      (answer) => {
        answer.destroy();
        resolve(true);
      },
    );
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(false));
    asked.on('close', () => resolve(false));
    asked.end();
  });
}
