/**
 * Programs and configurations that the manual explains, ready to use; each is a file of that name in
 * `man/examples`.
 */
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
  {
    name: 'telegraf.conf',
    page: 'hkctl-gateway(7)',
    does: 'sends the readings of Telegraf 1.30',
  },
  {
    name: 'telegraf-influxdb.conf',
    page: 'hkctl-gateway(7)',
    does: 'the same with the output that Telegraf has for InfluxDB 2',
  },
  {
    name: 'grafana.json',
    page: 'hkctl-api(7)',
    does: 'shows sensors in Grafana, with the Infinity data source; a dashboard to import',
  },
  {
    name: 'excel.pq',
    page: 'hkctl-api(7)',
    does: 'reads a list into Excel or Power BI; a function for Power Query',
  },
  {
    name: 'rotate-remote.sh',
    page: 'hkctl-keys(1)',
    does: 'rotates a key whose client is on another machine, by ssh',
  },
  {
    name: 'rotate.yml',
    page: 'hkctl-keys(1)',
    does: 'the same for many keys, as a playbook for Ansible',
  },
  {
    name: 'pre-receive.sh',
    page: 'hkctl-keys(1)',
    does: 'revokes each key whose secret is pushed to a git server; a hook',
  },
  {
    name: 'kubernetes.yaml',
    page: 'hkctl-serve(8)',
    does: 'runs the daemon in Kubernetes, with its store on a volume',
  },
  {
    name: 'nginx.conf',
    page: 'hkctl-serve(8)',
    does: 'lets keys of hkctl guard any other service, by nginx',
  },
  {
    name: 'Caddyfile',
    page: 'hkctl-serve(8)',
    does: 'the same by Caddy',
  },
  {
    name: 'prometheus.yml',
    page: 'hkctl-serve(8)',
    does: 'lets Prometheus read the metrics of the daemon, and alert',
  },
] as const;

export type ExampleName = (typeof examplePrograms)[number]['name'];
