import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, launchBrowser, type Page } from '../http/browser.ts';
import { dayMs, enter, openSite, passRefresh, post, type Site, visit } from './site.ts';

let site: Site;
let browser: Browser;

beforeAll(async () => {
  site = await openSite();
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await site.plant.close();
});

/** Opens the site with a key that stays in the tab. */
async function opened(view = '', secret = site.secret): Promise<Page> {
  const { page } = await visit(browser, `${site.daemon.url}/${view}`);
  await page.check('#remember');
  await enter(page, secret);
  await page.waitForSelector('header');
  return page;
}

/** A proxy in front of the daemon that refuses requests to the API while it has a refusal. */
async function refusingProxy() {
  let refusal: { status: number; headers: Record<string, string> } | undefined;
  const refusedAtMs: number[] = [];

  function pass(req: IncomingMessage, res: ServerResponse): void {
    if (refusal && req.url?.startsWith('/api/')) {
      refusedAtMs.push(Date.now());
      res.writeHead(refusal.status, refusal.headers).end();
      return;
    }
    const { method, headers, url: path } = req;
    const passed = request({ port: site.daemon.port, path, method, headers }, (answer) => {
      answer.pipe(res.writeHead(answer.statusCode ?? 0, answer.headers));
    });
    req.pipe(passed);
  }

  const server = createServer(pass);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    refusedAtMs,
    refuse(status: number | undefined, headers: Record<string, string> = {}) {
      refusal = status === undefined ? undefined : { status, headers };
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

describe('a tab that is loaded again', () => {
  it.each([
    [429, { 'Retry-After': '3' }],
    [503, { 'Retry-After': '3' }],
    [503, {}],
    [502, {}],
  ])('opens by itself after %d with %j', async (status, headers) => {
    const proxy = await refusingProxy();
    const { page } = await visit(browser, proxy.url);
    await page.check('#remember');
    await enter(page, site.secret);
    await page.waitForSelector('.tile');

    proxy.refuse(status, headers);
    await page.reload();
    await page.locator('.problem:not(:empty)').waitFor();
    await page.clock.fastForward(2000);
    proxy.refuse(undefined);
    if ('Retry-After' in headers) expect(proxy.refusedAtMs.length).toBe(1);
    await passRefresh(page);
    await page.waitForSelector('.tile');
    await page.context().close();
    await proxy.close();
  });

  it('opens by itself once the server answers again', async () => {
    const other = await openSite();
    const port = other.daemon.port;
    const { page } = await visit(browser, `${other.daemon.url}/`);
    await page.check('#remember');
    await enter(page, other.secret);
    await page.waitForSelector('.tile');
    await page.route('**/api/**', (route) => route.abort());
    await page.reload();
    await page.getByText('The server does not answer').waitFor();
    await page.unroute('**/api/**');
    await other.daemon.stop('SIGTERM');
    await other.plant.serve({ HKCTL_PORT: String(port) });

    await passRefresh(page);
    await page.waitForSelector('.tile');
    await page.context().close();
    await other.plant.close();
  });

  it('keeps the pause of Retry-After, whatever the person does', async () => {
    const proxy = await refusingProxy();
    const { page } = await visit(browser, proxy.url);
    await enter(page, site.secret);
    await page.waitForSelector('.tile');
    proxy.refuse(429, { 'Retry-After': '8' });
    await page.click('text=Records');
    await page.click('text=Parts');
    await page.locator('.problem:not(:empty)').waitFor();

    const count = proxy.refusedAtMs.length;
    await page.click('text=This key');
    await page.click('text=Records');
    await page.clock.fastForward(5000);
    await page.waitForTimeout(500);
    expect(proxy.refusedAtMs.length).toBe(count);
    await page.context().close();
    await proxy.close();
  });
});

describe('every view', () => {
  const views = [
    '#/sensors',
    '#/sensors/SE-1',
    '#/records',
    '#/records/parts',
    '#/records/parts/P-002',
    '#/key',
  ];

  it.each(views)('%s shows within 15 s that its key was revoked', async (view) => {
    const { secret, key } = await site.plant.createKey('Short', 'operational-core');
    const page = await opened(view, secret);
    await page.waitForSelector('h1');
    await site.plant.ok(['keys', 'revoke', key.id, '--yes']);

    await passRefresh(page);
    await page.getByText('This key was revoked').waitFor();
    expect(await page.locator('.tile').count()).toBe(0);
    expect(await page.evaluate("sessionStorage.getItem('hkctl-key')")).toBeNull();
    await page.context().close();
  });

  it('has the name and the zone of the site as they are now', async () => {
    const other = await openSite();
    const { page } = await visit(browser, `${other.daemon.url}/#/key`);
    await enter(page, other.secret);
    await page.getByText('Europe/Berlin').waitFor();
    await other.plant.ok(
      'entities set BER --name Potsdam --timezone Asia/Kathmandu --yes'.split(' '),
    );

    await passRefresh(page);
    await page.getByText('Asia/Kathmandu').waitFor();
    expect(await page.locator('header strong').textContent()).toBe('Potsdam');
    expect(await page.title()).toBe('Potsdam – hkctl');
    await page.context().close();
    await other.plant.close();
  });

  it('shows records as they are now, and leaves the text that a person has selected', async () => {
    const page = await opened('#/records/parts');
    await page.getByText('Page 1: 50 records').waitFor();
    await page.evaluate(
      "getSelection().selectAllChildren(document.querySelector('tbody tr:nth-child(3)'))",
    );
    const selected = await page.evaluate<string>('String(getSelection())');
    await importPart('P-002', 'Renamed part');

    await passRefresh(page);
    await page.getByText('Renamed part').waitFor();
    expect(await page.evaluate<string>('String(getSelection())')).toBe(selected);
    expect(selected).toContain('P-003');
    await page.context().close();
  });
});

async function importPart(id: string, name: string): Promise<void> {
  const part = { id, name, part_number: `N-${id}`, is_active: true };
  const input = `${JSON.stringify(part)}\n`;
  await site.plant.ok(['import', 'parts', '-', '--format', 'ndjson', '--entity', 'BER'], { input });
}

/** Waits until a refresh was answered and drawn. */
async function refreshed(page: Page): Promise<void> {
  const answered = page.waitForResponse(/\/api\//);
  await passRefresh(page);
  await answered;
  await page.clock.resume();
  await page.waitForTimeout(500);
}

describe('a refresh', () => {
  it('leaves a range that is being drawn in a plot', async () => {
    const page = await opened('#/sensors/SE-1');
    await page.waitForSelector('.uplot canvas');
    const box = await page.locator('.u-over').boundingBox();
    const [x, y] = [(box?.x ?? 0) + 200, (box?.y ?? 0) + 100];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 200, y, { steps: 5 });
    await refreshed(page);
    await page.mouse.move(x + 300, y, { steps: 5 });
    await page.mouse.up();

    await page.waitForURL(/from=\d+&to=\d+/);
    const [, from, to] = /from=(\d+)&to=(\d+)/.exec(page.url()) ?? [];
    const share = (Number(to) - Number(from)) / dayMs;
    expect(share * (box?.width ?? 1)).toBeGreaterThan(280);
    expect(share * (box?.width ?? 1)).toBeLessThan(320);
    await page.context().close();
  });

  it('leaves a filter that is half typed, its focus and the scroll position', async () => {
    const page = await opened('#/records/parts');
    await page.getByText('Page 1: 50 records').waitFor();
    await page.click('text=Filter');
    await page.fill('input[name=part_number]', 'N-1');
    await page.evaluate('scrollTo(0, 300)');
    await importPart('P-001', 'Seen by the refresh');
    await passRefresh(page);
    await page.getByText('Seen by the refresh').waitFor();

    expect(await page.inputValue('input[name=part_number]')).toBe('N-1');
    expect(await page.locator('input[name=part_number]:focus').count()).toBe(1);
    expect(await page.evaluate('scrollY')).toBe(300);
    await page.context().close();
  });

  it('leaves what was typed for another span and the open list of sensors', async () => {
    const page = await opened('#/sensors/SE-1');
    await page.waitForSelector('.uplot canvas');
    await page.click('text=Other span');
    await page.fill('[aria-label=From]', '2026-11-01T00:00');
    await page.focus('select');
    await refreshed(page);
    expect(await page.inputValue('[aria-label=From]')).toBe('2026-11-01T00:00');
    expect(await page.locator('select:focus').count()).toBe(1);
    await page.context().close();
  });
});

describe('the clock of the daemon', () => {
  it('gives the ages of readings, also after the clock of the browser was put forward', async () => {
    const { page } = await visit(browser, `${site.daemon.url}/`);
    await page.clock.setSystemTime(Date.now() - 3 * dayMs);
    await enter(page, site.secret);
    await page.waitForSelector('.tile');
    await page.clock.setSystemTime(Date.now());
    await post(site.daemon, site.secret, 'readings', {
      readings: [{ sensor: 'SE-1', at: Date.now(), value: 42 }],
    });

    const tile = page.locator('.tile', { hasText: 'OVEN-1-T1' });
    await passRefresh(page);
    await tile.getByText('42').first().waitFor();
    expect(await tile.locator('.tile-state').textContent()).toMatch(/^\d+ s ago$/);
    await page.context().close();
  });

  it('says of a reading that is ahead when it will be', async () => {
    await site.plant.importSensors([{ id: 'SE-AHEAD', code: 'AHEAD', name: 'Ahead', unit: null }]);
    await post(site.daemon, site.secret, 'readings', {
      readings: [{ sensor: 'AHEAD', at: Date.now() + 20 * 3_600_000, value: 1 }],
    });
    const page = await opened();
    await page.locator('.tile', { hasText: 'AHEAD' }).getByText('in 20 h').waitFor();
    await page.context().close();
  });
});
