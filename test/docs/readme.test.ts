import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { globalFlags } from '../../src/cli/command/flags.ts';
import { nouns } from '../../src/cli/nouns.ts';
import { serveDefaults } from '../../src/core/operations/settings.ts';
import { maxBatch } from '../../src/core/readings/rejections.ts';
import { maxBodyBytes } from '../../src/http/ingest/body.ts';
import { connectionLimits } from '../../src/http/net/connections.ts';
import { openapiDocument } from '../../src/http/openapi/document.ts';
import { memoryLimits } from '../../src/http/request/memory.ts';
import { resources } from '../../src/resources/index.ts';
import { faultOf } from './lines.ts';
import { readPages } from './mdoc.ts';
import { readProgram } from './program.ts';
import { resourcesPage } from './resources-page.ts';
import { hkctlLines } from './shell.ts';

const root = join(__dirname, '..', '..');
const readmePath = join(root, 'README.md');
const readme = readFileSync(readmePath, 'utf8');
const pages = readPages();
const program = await readProgram();
const packageJson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const document = openapiDocument(resources, { version: '0.0.0', baseUrl: undefined }) as {
  paths: object;
};
const routes = Object.keys(document.paths);

/** Code blocks of the README in a language. */
function blocks(language: string): string[] {
  return [...readme.matchAll(/```(\w+)\n([\s\S]*?)```/g)]
    .filter(([, found]) => found === language)
    .map(([, , text]) => text ?? '');
}

/** The examples of a manual page as shell. */
function examplesOf(mdoc: string): string {
  const literal = [...mdoc.matchAll(/^\.Bd -literal.*\n([\s\S]*?)^\.Ed$/gm)].map(
    ([, text]) => text ?? '',
  );
  const displayed = [...mdoc.matchAll(/^\.Dl (.*)$/gm)].map(([, text]) => text ?? '');
  return [...literal, ...displayed]
    .join('\n')
    .replaceAll('\\e', '\\')
    .replaceAll('\\(dq', '"')
    .replaceAll('\\&', '');
}

describe('README.md', () => {
  it('has at most 120 lines, so that people read it', () => {
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(120);
  });
});

describe('command lines', () => {
  it('of the README are ones that the program takes', () => {
    const lines = blocks('sh').flatMap(hkctlLines);
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.map((line) => faultOf(program, line)).filter(Boolean)).toEqual([]);
  });

  // The page of promises has none: it says what holds, not what to type.
  const pagesWithExamples = pages.filter(({ file }) => file !== 'hkctl-promises.7');
  it.each(pagesWithExamples.map(({ file, text }) => [file, text] as const))(
    'of %s are ones that the program takes',
    (_file, text) => {
      const lines = hkctlLines(examplesOf(text));
      expect(lines.length).toBeGreaterThan(0);
      expect(lines.map((line) => faultOf(program, line)).filter(Boolean)).toEqual([]);
    },
  );

  it.each([...program.commands.keys()])(
    'of hkctl %s --help are ones that the program takes',
    (path) => {
      let help = '';
      program.commands
        .get(path)
        ?.command.configureOutput({ writeOut: (text) => (help += text) })
        .outputHelp();
      const examples = /\nExamples:\n([\s\S]*)$/.exec(help)?.[1] ?? '';
      const lines = hkctlLines(examples.replace(/ {3,}.*$/gm, ''));
      expect(lines.length).toBeGreaterThan(0);
      expect(lines.map((line) => faultOf(program, line)).filter(Boolean)).toEqual([]);
    },
  );
});

describe('names in the README and the pages', () => {
  const texts: [string, string][] = [
    ['README.md', readme],
    ...pages.map(({ file, text }): [string, string] => [file, text.replaceAll('\\-', '-')]),
  ];

  it.each(texts)('%s: every route of the API exists', (_file, text) => {
    const named = [...text.matchAll(/\/api\/v1(?:\/[a-z\d{}._-]+)*/g)].map(([route]) =>
      route.replace(/[.]$/, ''),
    );
    const known = new Set([
      ...routes,
      ...routes.map((route) => `/api/v1${route}`),
      '/api/v1',
      '/api/v1/docs',
      // The address that clients of InfluxDB add their own path to.
      '/api/v1/influx',
    ]);
    expect(named.filter((route) => !known.has(route) && !known.has(`${route}/{id}`))).toEqual([]);
  });

  it('README.md: every flag in code exists', () => {
    const known = new Set(['help', ...program.globalFlags.keys()]);
    for (const { flags } of program.commands.values())
      for (const name of flags.keys()) known.add(name);
    const spans = [...readme.replace(/```[\s\S]*?```/g, '').matchAll(/`([^`\n]+)`/g)].map(
      ([, span]) => span ?? '',
    );
    const named = spans.flatMap((span) =>
      [...span.matchAll(/(?:^|\s)--([a-z][a-z-]+)/g)].map(([, name]) => name ?? ''),
    );
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });

  it('README.md: every environment variable exists', async () => {
    const loaded = await Promise.all(nouns.map(({ load }) => load()));
    const definitions = loaded.flatMap((noun) =>
      'run' in noun ? [noun] : [...noun.verbs, ...(noun.bare ? [noun.bare] : [])],
    );
    const flags = [
      ...Object.values(globalFlags),
      ...definitions.flatMap((definition) => Object.values(definition.flags)),
    ];
    const known = new Set(flags.flatMap(({ env }) => env));
    const named = readme.match(/\bHKCTL_[A-Z_]*[A-Z]/g) ?? [];
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });

  it('README.md: every npm script exists', () => {
    const named = [
      ...readme.matchAll(
        /npm (?:run )?(start|test|bench|build|migrations|lint|typecheck|format)\b/g,
      ),
    ];
    expect(named.length).toBeGreaterThan(0);
    for (const [, name] of named) expect(Object.keys(packageJson.scripts)).toContain(name);
    for (const [, name] of readme.matchAll(/npm run ([a-z]+)/g))
      expect(Object.keys(packageJson.scripts)).toContain(name);
  });

  it('README.md: every linked file is there, and pictures are small', () => {
    const targets = [...readme.matchAll(/\]\(([^)#]+)/g)].map(([, target]) => target ?? '');
    expect(targets.some((found) => !found.startsWith('http'))).toBe(true);
    for (const target of targets.filter((found) => !found.startsWith('http'))) {
      expect(existsSync(join(root, target)), target).toBe(true);
      if (/\.(png|svg)$/.test(target))
        expect(statSync(join(root, target)).size, target).toBeLessThan(200_000);
    }
  });

  it.each(texts)('%s: names no path of one machine and no registry', (_file, text) => {
    expect(text).not.toMatch(/\/work\/|\/tmp\/|\/root\b|\/home\/[a-z]/);
    expect(text).not.toMatch(/registry\.|npmjs|deb\.debian/);
  });
});

describe('limits', () => {
  const serve = pages.find(({ name }) => name === 'hkctl-serve')?.text ?? '';

  it('of batches and pages are those of the program', () => {
    expect([maxBatch, maxBodyBytes]).toEqual([10_000, 8 * 1024 * 1024]);
    for (const text of [readme, serve]) {
      expect(text).toContain('10,000');
      expect(text).toContain('8 MiB');
    }
  });

  it('of connections are those of the program', () => {
    const { connections, headersMs, requestMs, idleMs, answerMs, keepAliveMs } = connectionLimits;
    expect(serve).toContain(`at most ${connections} connections`);
    for (const ms of [headersMs, requestMs, idleMs, answerMs, keepAliveMs])
      expect(serve).toContain(`${ms / 1000} s`);
  });

  it('of memory are those of the program', () => {
    const { answerBytes, bodyBytes, waitMs } = memoryLimits;
    const MiB = 1024 * 1024;
    expect(serve).toContain(`bodies together use at most ${bodyBytes / MiB} MiB of memory`);
    expect(serve).toContain(`large answers together use at most ${answerBytes / MiB} MiB`);
    expect(serve).toContain(`no reservation within ${waitMs / 1000} s`);
    expect(serve).toContain(
      `must read its answer within ${connectionLimits.tightAnswerMs / 1000} s`,
    );
  });

  it('of rates are the defaults of the program', () => {
    const { limitFailedChecks, limitRequests, limitIngest, port, host } = serveDefaults;
    for (const limit of [limitFailedChecks, limitRequests, limitIngest]) {
      expect(limit?.windowSeconds).toBe(60);
      const requests = limit?.requests ?? 0;
      expect(serve).toContain(`(default ${requests}/m).`);
      expect(readme).toContain(`${requests.toLocaleString('en')} a minute`);
    }
    expect(serve).toContain(`(default ${port}).`);
    expect(serve).toContain(`(default ${host}).`);
  });
});

describe('the data dictionary', () => {
  it('in hkctl-resources(7) is the one of the declarations (npm run golden writes it)', async () => {
    await expect(resourcesPage(resources)).toMatchFileSnapshot(
      join(root, 'man', 'hkctl-resources.7'),
    );
  });
});
