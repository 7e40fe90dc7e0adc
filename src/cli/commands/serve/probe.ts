const timeoutMs = 2000;

/** Whether anything speaks HTTP at an address. Nothing secret is sent, so that any certificate will do. */
export function answersAt(address: string): Promise<boolean> {
  const url = URL.canParse(address) ? new URL('/healthz', address) : undefined;
  // A damaged store may name anything at all.
  if (url === undefined || !/^https?:$/.test(url.protocol)) return Promise.resolve(false);
  // Loaded only here: most command lines ask no daemon.
  const { getBuiltinModule: loadModule } = process;
  const client = url.protocol === 'https:' ? loadModule('node:https') : loadModule('node:http');
  const options = { rejectUnauthorized: false, timeout: timeoutMs };
  return new Promise((resolve) => {
    const request = client.request(url, options, (response) => {
      response.destroy();
      resolve(true);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
    request.on('close', () => resolve(false));
    request.end();
  });
}
