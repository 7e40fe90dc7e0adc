/** Programs that the manual explains, ready to run; each is a file of that name in `man/examples`. */
export const examplePrograms = [
  {
    name: 'gateway.py',
    page: 'hkctl-gateway(7)',
    does: 'stores readings on a gateway and forwards them; Python 3.8',
  },
  { name: 'gateway.sh', page: 'hkctl-gateway(7)', does: 'the same in a POSIX shell, with curl' },
  {
    name: 'gateway-node-red.json',
    page: 'hkctl-gateway(7)',
    does: 'the same as a flow for Node-RED 4, to import',
  },
  {
    name: 'mirror.py',
    page: 'hkctl-api(7)',
    does: 'mirrors a list of records in an SQLite table; Python 3',
  },
  {
    name: 'mirror.mjs',
    page: 'hkctl-api(7)',
    does: 'mirrors a list of records in a JSON file; Node.js',
  },
] as const;

export type ExampleName = (typeof examplePrograms)[number]['name'];
