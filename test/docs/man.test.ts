import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Flag } from '../../src/cli/command/flags.ts';
import { globalFlags } from '../../src/cli/command/flags.ts';
import { nouns } from '../../src/cli/nouns.ts';
import { clientPermissions } from '../../src/core/access/permissions.ts';
import { roleNames } from '../../src/core/access/roles.ts';
import { errorTable } from '../../src/core/errors.ts';
import { resources } from '../../src/resources/index.ts';
import { type ManualPage, manFolder, pageFiles, readPages } from './mdoc.ts';
import { withOptions } from './option-lists.ts';
import { readProgram } from './program.ts';

const pages = readPages();
const overview = pageOf('hkctl');
const program = await readProgram();
const allFlags: Flag<unknown>[] = [
  ...Object.values(globalFlags),
  ...(await Promise.all(nouns.map(({ load }) => load())))
    .flatMap((noun) =>
      'run' in noun ? [noun] : [...noun.verbs, ...(noun.bare ? [noun.bare] : [])],
    )
    .flatMap(({ flags }) => Object.values(flags)),
];

function pageOf(name: string): ManualPage {
  const page = pages.find((found) => found.name === name);
  if (!page) throw new Error(`man/ has no page ${name}.`);
  return page;
}

describe('the manual pages', () => {
  it('are those that package.json installs', () => {
    const { man } = JSON.parse(readFileSync(join(manFolder, '..', 'package.json'), 'utf8'));
    expect([...man].sort()).toEqual(pageFiles().map((file) => `man/${file}`));
  });

  it('are one for the program, one a noun, the data dictionary, PostgreSQL, promises, tasks, gateways, integrators and the client guide', () => {
    const expected = nouns.map(({ name }) =>
      name === 'serve' ? 'hkctl-serve.8' : `hkctl-${name}.1`,
    );
    const others = [
      'hkctl.1',
      'hkctl-api.7',
      'hkctl-gateway.7',
      'hkctl-integrator.7',
      'hkctl-postgres.7',
      'hkctl-promises.7',
      'hkctl-resources.7',
      'hkctl-tasks.7',
    ];
    expect(pageFiles()).toEqual([...others, ...expected].sort());
  });

  it('name their own file in title, name and section', () => {
    for (const { file, name, section, text } of pages) {
      expect(text, file).toContain(`\n.Dt ${name.toUpperCase()} ${section}\n`);
      expect(text, file).toContain(`\n.Sh NAME\n.Nm ${name}\n`);
    }
  });

  it('refer only to each other and to pages of the system that are known', () => {
    const system = [
      'curl 1',
      'cron 8',
      'crontab 5',
      'gzip 1',
      'psql 1',
      'ssh 1',
      'sudo 8',
      'systemd.exec 5',
      'systemd.timer 5',
      'systemd.unit 5',
    ];
    const known = new Set([...system, ...pages.map(({ name, section }) => `${name} ${section}`)]);
    const wrong = pages.flatMap(({ file, text }) =>
      [...text.matchAll(/\bXr (\S+) (\d)/g)]
        .map((found) => `${found[1]} ${found[2]}`)
        .filter((ref) => !known.has(ref))
        .map((ref) => `${file}: ${ref}`),
    );
    expect(wrong).toEqual([]);
  });

  it('of all nouns are named by hkctl(1)', () => {
    for (const { name, section } of pages.filter((page) => page !== overview)) {
      expect(overview.text).toContain(`\n.It Xr ${name} ${section}\n`);
    }
  });
});

describe('commands and flags', () => {
  it('stand in the pages as the program has them', () => {
    const documented = pages.flatMap(({ synopsis }) => synopsis).filter((path) => path !== '');
    expect(documented.sort()).toEqual([...program.commands.keys()].sort());
  });

  it.each(pages)('stand in $file as they are declared; npm run golden writes them', (page) => {
    const declared = new Map([...program.commands].map(([path, { command }]) => [path, command]));
    const text = withOptions(page.text, declared);
    if (process.env.UPDATE_GOLDEN) writeFileSync(join(manFolder, page.file), text);
    else expect(page.text).toBe(text);
  });

  it('have a section each', () => {
    const sections = new Set(pages.flatMap(({ explained }) => [...explained]));
    expect([...program.commands.keys()].filter((path) => !sections.has(path))).toEqual([]);
  });

  it('explains no unknown command', () => {
    const explained = pages.flatMap(({ explained }) => explained);
    expect(explained.filter((path) => !program.commands.has(path))).toEqual([]);
  });

  it('global: stand in hkctl(1), and nowhere else', () => {
    const documented = new Map(overview.globalFlags);
    expect(documented.get('help')).toEqual({ takesValue: false, short: 'h' });
    documented.delete('help');
    expect(documented).toEqual(program.globalFlags);
    for (const page of pages.filter((other) => other !== overview))
      expect([...page.globalFlags.keys()]).toEqual([]);
  });
});

describe('permissions and roles', () => {
  it('of the catalog stand in hkctl-permissions(1), with what each opens', () => {
    const rows = [...pageOf('hkctl-permissions').text.matchAll(/^\.It .*?Ta Li (\S+) Ta (.*)$/gm)];
    expect(rows.map(([, permission]) => permission)).toEqual([...clientPermissions]);
    for (const [, permission, opens] of rows) {
      const paths = resources
        .filter(({ permissions }) =>
          (permissions as readonly (string | undefined)[]).includes(permission),
        )
        .map(({ name }) => `/${name}`);
      expect(opens).toBe(
        permission === 'asset_sensors.ingest' ? 'POST to /sensors' : paths.join(', '),
      );
    }
  });

  it('of users stand in hkctl(1) and hkctl-users(1)', () => {
    for (const page of [overview, pageOf('hkctl-users')]) {
      const named = [...page.text.matchAll(/^\.It Li ([a-z_]+)/gm)].map(([, role]) => role);
      expect([...named].sort()).toEqual([...roleNames].sort());
    }
  });
});

describe('exit codes', () => {
  it('are those of the error table', () => {
    const codes = new Set([0, ...Object.values(errorTable).map(({ exit }) => exit)]);
    expect(overview.exitCodes).toEqual([...codes].sort((a, b) => a - b));
  });

  it('stand in one place; every other page refers to it', () => {
    for (const { file, text } of pages.filter((page) => page !== overview)) {
      if (!text.includes('.Sh EXIT STATUS')) continue;
      expect(text, file).toContain('.Sh EXIT STATUS\nAs in\n.Xr hkctl 1 .\n');
    }
  });
});

describe('environment variables', () => {
  const ofFlags = new Set(allFlags.flatMap(({ env }) => env));

  it('follow the rule that hkctl(1) states, or have an item there', () => {
    const byRule = (spelling: string) =>
      [...spelling.matchAll(/--([a-z-]+)/g)].map(
        ([, name]) => `HKCTL_${name?.toUpperCase().replaceAll('-', '_')}`,
      );
    for (const { spelling, env } of allFlags) {
      const exceptions = env.filter((variable) => !byRule(spelling).includes(variable));
      for (const variable of exceptions) expect(overview.environment).toContain(variable);
      for (const variable of byRule(spelling)) expect(env).toContain(variable);
    }
  });

  it('that the pages name exist, for hkctl itself or for the command of --deliver', () => {
    const delivery = readFileSync('src/cli/delivery/choose.ts', 'utf8');
    const named = pages.flatMap(({ text }) => text.match(/\bHKCTL_[A-Z_]*[A-Z]/g) ?? []);
    const isKnown = (variable: string) => ofFlags.has(variable) || delivery.includes(variable);
    expect([...new Set(named)].filter((variable) => !isKnown(variable))).toEqual([]);
  });
});
