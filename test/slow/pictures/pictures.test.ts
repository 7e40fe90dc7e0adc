import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { presets } from '../../../src/core/access/permissions.ts';
import { openDatabase } from '../../../src/store/sqlite-file/driver.ts';
import type { KeyJson } from '../../cli/harness.ts';
import { Plant } from '../../e2e/plant.ts';
import { root } from '../../e2e/program.ts';
import { listening } from '../../http/faces.ts';
import { HttpPlant } from '../../http/plant.ts';
import { seededStore } from '../cli/pty/seed.ts';
import { Terminal } from '../cli/pty/terminal.ts';
import { launchBrowser, openDocs } from '../http/browser.ts';
import { enter, visit } from '../page/site.ts';
import { terminalSvg } from './svg.ts';

/**
 * The pictures of the README, from the real program. `npm run golden` makes them anew; without it, those of the terminal must be
 * what the program shows now.
 */
const images = join(root, 'man', 'images');
const columns = 90;
const dayMs = 24 * 60 * 60_000;
const startMs = Date.parse('2026-11-20T08:00:00Z');

function keepSvg(name: string, svg: string): void {
  const path = join(images, name);
  if (process.env.UPDATE_GOLDEN) writeFileSync(path, svg);
  expect(svg, 'npm run golden makes the picture anew').toBe(readFileSync(path, 'utf8'));
}

/** Replaces what differs from run to run by values of the same width. */
function settled(painted: string): string {
  const prefixes = ['hk_4fTq9', 'hk_Zr81b', 'hk_n0WcJ', 'hk_7LmXe', 'hk_Q2vGs'];
  const known = new Map<string, string>();
  return painted
    .replaceAll(/hk_[0-9A-Za-z]{5}(?![0-9A-Za-z])/g, (prefix) => {
      if (!known.has(prefix)) known.set(prefix, prefixes[known.size] ?? prefix);
      return known.get(prefix) ?? prefix;
    })
    .replaceAll(
      /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g,
      '9277c7d1-5eb7-41a3-afa3-1a23e37bcd30',
    )
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '2026-11-20T08:15:00.000Z')
    .replaceAll(/\b0\.2\.0(\+[0-9a-f]{8}(\.modified)?)?/g, '0.2.0')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:8421')
    .replaceAll(/\d+\.\d MB/g, '4.9 MB')
    .replaceAll(/[\d.]+ [GT]iB \(\d+ %\)/g, '75.8 GiB (30 %)')
    .replaceAll(/ {2}cd \/\S+/g, '  cd hkctl');
}

/** A command line of hkctl by a clock that stands still: the times of a picture count from it. */
function stillHkctl(): string {
  const clock = join(mkdtempSync(join(tmpdir(), 'hkctl-picture-')), 'clock.cjs');
  writeFileSync(clock, `Date.now = () => ${startMs};`);
  return `${process.execPath} -r ${clock} ${join(root, 'bin', 'hkctl.js')}`;
}

describe('the picture of', () => {
  let terminal: Terminal;
  afterEach(() => terminal?.close());

  it('the page of keys', async () => {
    const cli = await seededStore(startMs);
    const keys: [
      name: string,
      site: string,
      permissions: readonly string[],
      days: number | null,
      used: number | null,
    ][] = [
      ['Training kiosk', 'CHI', ['people.view', 'training_records.view'], null, null],
      ['Line 4 gateway', 'CHI', presets['sensor-gateway'].permissions, null, 26 * 60],
      [
        'ERP bridge',
        'BER',
        ['jobs_orders.view', 'parts.view', 'inventory_items.view', 'routings.view'],
        9,
        12,
      ],
      ['Oven gateway', 'BER', presets['sensor-gateway'].permissions, 200, 4],
      ['Production report', 'BER', presets['production-only'].permissions, 61, 180],
    ];
    const uses: [prefix: string, usedAtMs: number][] = [];
    for (const [i, [name, site, permissions, days, used]] of keys.entries()) {
      const expires = days === null ? 'never' : new Date(startMs + days * dayMs).toISOString();
      const flags = ['--name', name, '--entity', site, '--expires', expires, '--json'];
      const chosen = permissions.flatMap((permission) => ['--permission', permission]);
      const made = await cli.ok(['keys', 'create', ...flags, ...chosen], {
        osAccount: 'alice',
        nowMs: startMs + i,
      });
      if (used !== null)
        uses.push([made.json<{ key: KeyJson }>().key.prefix, startMs - used * 60_000]);
    }
    const database = openDatabase(cli.store, {});
    for (const [prefix, usedAtMs] of uses)
      database
        .prepare('UPDATE keys SET last_used_at_ms = ? WHERE prefix = ?')
        .run(usedAtMs, prefix);
    database.close();
    terminal = new Terminal(
      columns,
      24,
      { HKCTL_BASE_URL: 'http://127.0.0.1:8420', HKCTL_USER: 'alice' },
      cli.store,
    );
    await terminal.until(/^\$$/);
    terminal.type(`clear; ${stillHkctl()} keys`);
    await terminal.until('1 of 5');
    terminal.press('Down');
    await terminal.until('2 of 5');
    keepSvg(
      'keys.svg',
      terminalSvg(settled(terminal.painted()), {
        columns,
        label: 'the page of hkctl keys in a terminal: tiles of keys with their actions',
      }),
    );
  });

  it('npm start', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hkctl-picture-'));
    terminal = new Terminal(
      columns,
      42,
      { HKCTL_PORT: String(await freePort()) },
      join(folder, 'demo', 'hkctl.db'),
    );
    await terminal.until(/^\$$/);
    const start = `${process.execPath} ${join(root, 'dist', 'start.cjs')}`;
    terminal.type(`cd ${folder}; npm() { echo; ${start}; }; clear`);
    await terminal.until(/^\$$/);
    terminal.type('npm start');
    await terminal.until('Ctrl-C ends it.');
    keepSvg(
      'start.svg',
      terminalSvg(settled(terminal.painted()), {
        columns,
        label:
          'npm start in a terminal: the store, a key, the daemon, first calls and three things to try',
      }),
    );
    terminal.press('C-c');
    await terminal.until('stopped');
  });

  it.each([
    ['status', 'status', 'Backup', 'what needs attention, with the command for it'],
    [
      'sensor',
      'sensors show OVEN-2-T1 --entity BER',
      'last reading',
      'the last day of a sensor that broke, as a plot',
    ],
    [
      'key',
      'keys show "Oven gateway"',
      'Sensor gateway:',
      'a key with its requests and refusals of 90 days as bars',
    ],
  ])('the made-up plant: %s', async (name, command, end, shown) => {
    const folder = mkdtempSync(join(tmpdir(), 'hkctl-picture-'));
    terminal = new Terminal(columns, 32, {}, join('demo', 'hkctl.db'));
    await terminal.until(/^\$$/);
    terminal.type(
      `cd ${folder}; hkctl() { ${stillHkctl()} "$@"; }; hkctl init --demo --admin alice --quiet; clear`,
    );
    await terminal.until(/^\$$/);
    terminal.type(`hkctl ${command}`);
    await terminal.until(new RegExp(`${end}[\\s\\S]*\\n\\$$`));
    const painted = settled(terminal.painted()).replace(/\n\$ *$/, '');
    keepSvg(
      `${name}.svg`,
      terminalSvg(painted, { columns, label: `hkctl ${command} in a terminal: ${shown}` }),
    );
  });
});

it.each([
  ['docs.png', photographedDocuments],
  ['page-light.png', () => photographedPage('light', '', '.tile canvas, .tile svg')],
  ['page-dark.png', () => photographedPage('dark', '#/sensors/', '.uplot canvas')],
])('the picture %s is a small PNG', async (name, photograph) => {
  const path = join(images, name);
  if (process.env.UPDATE_GOLDEN) writeFileSync(path, await photograph());
  const png = readFileSync(path);
  // Width and height stand in the header of the file (PNG, 11.2.1).
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1000, 700]);
  expect(png.length).toBeLessThan(150_000);
});

/** The page for people over the made-up plant: all sensors, or the one that broke. */
async function photographedPage(
  colorScheme: 'light' | 'dark',
  view: string,
  drawn: string,
): Promise<Buffer> {
  const plant = new Plant();
  await plant.ok(['init', '--demo', '--admin', 'admin']);
  const { secret } = await plant.createKey('Shift lead', 'operational-core');
  const sensors = await plant.json<{ id: string; code: string }[]>([
    'sensors',
    'list',
    '--entity',
    'BER',
  ]);
  const broken = sensors.find(({ code }) => code === 'OVEN-2-T1');
  const daemon = await plant.serve();
  const browser = await launchBrowser();
  const address = `${daemon.url}/${view === '' ? '' : `${view}${broken?.id}`}`;
  const { page } = await visit(browser, address, { width: 1000, colorScheme });
  await page.setViewportSize({ width: 1000, height: 700 });
  await enter(page, secret);
  await page.waitForSelector(drawn);
  await page.waitForLoadState('networkidle');
  const picture = await page.screenshot();
  await browser.close();
  await plant.close();
  return picture;
}

async function photographedDocuments(): Promise<Buffer> {
  const plant = await HttpPlant.open();
  const face = await listening(plant);
  const browser = await launchBrowser();
  const { page } = await openDocs(browser, `${face.url}/api/v1/docs`, 1000);
  await page.setViewportSize({ width: 1000, height: 700 });
  await page.mouse.move(0, 0);
  const picture = await page.screenshot();
  await browser.close();
  await face.close();
  await plant.domain.store.close();
  return picture;
}

/** A port that nobody listens on at the moment. */
function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
