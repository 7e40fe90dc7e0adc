import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { readProgram } from '../../docs/program.ts';
import { Plant } from '../../e2e/plant.ts';
import { certify } from '../../http/certificates.ts';
import { freePort, statusOf } from '../e2e/two-accounts.ts';
import { createExampleShell, type ExampleShell } from './shell.ts';

interface Probe {
  httpGet: { path: string; port: string; scheme: string };
}

interface Container {
  image: string;
  command?: string[];
  args: string[];
  env: { name: string; value: string }[];
  ports: { name: string; containerPort: number }[];
  securityContext: object;
  volumeMounts: { name: string; mountPath: string; subPath?: string }[];
  startupProbe: Probe;
  livenessProbe: Probe;
  readinessProbe: Probe;
}

interface Pod {
  enableServiceLinks: boolean;
  terminationGracePeriodSeconds: number;
  securityContext: Record<string, unknown>;
  initContainers: [Container];
  containers: [Container];
  volumes: { name: string; secret?: { defaultMode: number } }[];
}

interface Service {
  metadata: { name: string };
  spec: { selector: object; ports: { targetPort: string }[] };
}

interface StatefulSet {
  spec: {
    serviceName: string;
    replicas: number;
    selector: { matchLabels: object };
    template: { metadata: { labels: object }; spec: Pod };
    volumeClaimTemplates: { metadata: { name: string } }[];
  };
}

let plant: Plant;
let shell: ExampleShell;
let service: Service;
let set: StatefulSet;
let pod: Pod;
let port: number;
beforeAll(async () => {
  plant = await Plant.open();
  shell = createExampleShell(plant);
  const { stdout } = await plant.ok(['examples', 'kubernetes.yaml']);
  const documents = parseAllDocuments(stdout, { version: '1.1' });
  [service, set] = documents.map((document) => document.toJS()) as [Service, StatefulSet];
  pod = set.spec.template.spec;

  // As Kubernetes lays them out with fsGroup: a volume for a group, and a Secret's files in its mode.
  mkdirSync(plant.path('volume'));
  chmodSync(plant.path('volume'), 0o2775);
  mkdirSync(plant.path('tls'));
  await certify(plant.path('tls'), 'tls', {
    subject: 'hkctl',
    at: { type: 'ip', value: '127.0.0.1' },
  });
  const mode = pod.volumes.find(({ name }) => name === 'tls')?.secret?.defaultMode ?? 0;
  chmodSync(plant.path('tls/tls.key'), mode);
  port = await freePort();
});
afterAll(() => plant.close());

/** The variables of a container, with the folders of this test in the places of its volumes, and a free port. */
function variables({ env, volumeMounts }: Container): Record<string, string> {
  const folders: Record<string, string> = { data: plant.path('volume'), tls: plant.path('tls') };
  const inside = (value: string) => {
    const mount = volumeMounts.find(({ mountPath }) => value.startsWith(`${mountPath}/`));
    return mount ? value.replace(mount.mountPath, folders[mount.name] ?? 'nowhere') : value;
  };
  const values = Object.fromEntries(env.map(({ name, value }) => [name, inside(value)]));
  return { ...values, HKCTL_PORT: String(port), HKCTL_STORE: '' };
}

/** Runs what the pod runs before its daemon. */
const prepare = () => {
  const [init] = pod.initContainers;
  const [program = '', ...args] = [...(init.command ?? []), ...init.args];
  return shell.run(program, args, variables(init));
};

describe('kubernetes.yaml', () => {
  it('sets flags of the program alone', async () => {
    const { commands, globalFlags } = await readProgram();
    const flags = [...(commands.get('serve')?.flags.keys() ?? []), ...globalFlags.keys()];
    const known = flags.map((name) => `HKCTL_${name.toUpperCase().replaceAll('-', '_')}`);
    for (const { env } of [...pod.initContainers, ...pod.containers])
      for (const { name } of env)
        expect([...known, 'HKCTL_USER', 'STATE_DIRECTORY']).toContain(name);
  });

  it('leads from the Service to the daemon, and gives no address of it to the pod', () => {
    const [container] = pod.containers;
    const { labels } = set.spec.template.metadata;
    expect([service.spec.selector, set.spec.selector.matchLabels]).toEqual([labels, labels]);
    expect(set.spec.serviceName).toBe(service.metadata.name);
    const names = container.ports.map(({ name }) => name);
    expect(names).toEqual(service.spec.ports.map(({ targetPort }) => targetPort));
    const given = container.env.find(({ name }) => name === 'HKCTL_PORT')?.value;
    expect(given).toBe(String(container.ports[0]?.containerPort));
    expect(pod.enableServiceLinks).toBe(false);
  });

  it('runs one daemon without rights, whose files are on a volume', () => {
    expect(set.spec.replicas).toBe(1);
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      fsGroupChangePolicy: 'OnRootMismatch',
    });
    const volumes = [
      ...pod.volumes.map(({ name }) => name),
      ...set.spec.volumeClaimTemplates.map(({ metadata }) => metadata.name),
    ];
    for (const { securityContext, volumeMounts } of [...pod.initContainers, ...pod.containers]) {
      expect(securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      for (const { name, subPath } of volumeMounts) {
        expect(volumes).toContain(name);
        expect(subPath).toBeUndefined();
      }
    }
  });

  it('makes the store at the first start, and leaves it alone at the next', async () => {
    const first = await prepare();
    expect(first.code, first.stderr).toBe(0);
    const store = plant.path('volume/store');
    expect(statSync(store).mode & 0o777).toBe(0o700);
    expect(statSync(`${store}/hkctl.db`).mode & 0o777).toBe(0o600);

    const before = statSync(`${store}/hkctl.db`).ino;
    const second = await prepare();
    expect(second.code, second.stderr).toBe(0);
    expect(statSync(`${store}/hkctl.db`).ino).toBe(before);
  });

  it('serves on the port and with the certificate of the Secret, and answers each probe', async () => {
    const [container] = pod.containers;
    const daemon = shell.start('hkctl', container.args, variables(container));
    await daemon.says(/hkctl serves https:/);
    const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
    for (const { httpGet } of probes) {
      expect(httpGet).toMatchObject({ port: container.ports[0]?.name, scheme: 'HTTPS' });
      expect(await statusOf(`https://127.0.0.1:${port}${httpGet.path}`)).toBe(200);
    }
    await daemon.stop('SIGKILL');
  });

  it('ends well before Kubernetes would kill it', async () => {
    const [container] = pod.containers;
    const daemon = shell.start('hkctl', container.args, variables(container));
    await daemon.says(/hkctl serves https:/);
    const since = Date.now();
    expect((await daemon.stop('SIGTERM')).code).toBe(0);
    expect(Date.now() - since).toBeLessThan(pod.terminationGracePeriodSeconds * 1000);
  });
});
