import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../e2e/program.ts';
import { type Browser, launchBrowser } from '../http/browser.ts';
import {
  enter,
  findings,
  hostileName,
  openSite,
  passRefresh,
  post,
  type Site,
  visit,
} from './site.ts';

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

/** Opens the site with its key, at a view. */
async function opened(view = '', options: Parameters<typeof visit>[2] = {}) {
  const visited = await visit(browser, `${site.daemon.url}/${view}`, options);
  await enter(visited.page, site.secret);
  await visited.page.waitForSelector('header');
  return visited;
}

describe('the form for a key', () => {
  it.each([
    ['hk_abcdefgh', 'This key is incomplete. Copy it again: it has 52 characters.'],
    ['hello', 'This is not an API key. A key begins with hk_ and has 52 characters.'],
    [`hk_${'ä'.repeat(49)}`, 'This is not an API key.'],
    [`hk_${'1'.repeat(20)}\u200b${'1'.repeat(29)}`, 'This is not an API key.'],
    [`Bearer hk_${'1'.repeat(49)}`, 'This is not an API key.'],
  ])('says why %j opens nothing', async (text, reason) => {
    const { page } = await visit(browser, `${site.daemon.url}/`);
    await enter(page, text);
    await page.getByText(reason).waitFor({ timeout: 10_000 });
    await page.context().close();
  });

  it('offers nothing of a sensor that the site does not have', async () => {
    const { page } = await opened('#/sensors/SE-9');
    await page.getByText('This site has no sensor of that id.').waitFor();
    expect(await page.locator('.plot, select').filter({ visible: true }).count()).toBe(0);
    await page.context().close();
  });

  it('says that a key was revoked', async () => {
    const { secret, key } = await site.plant.createKey('Old', 'operational-core');
    await site.plant.ok(['keys', 'revoke', key.id, '--yes']);
    const { page } = await visit(browser, `${site.daemon.url}/`);
    await enter(page, secret);
    await page.getByText('This key was revoked. Ask the administrator for a new one.').waitFor();
    await page.context().close();
  });

  it('keeps the key in memory, or in the tab if the person asks for that, and forgets it', async () => {
    const { page } = await opened();
    const stored = () => page.evaluate<string | null>("sessionStorage.getItem('hkctl-key')");
    expect(await stored()).toBeNull();
    await page.reload();
    await page.waitForSelector('#key');

    await page.check('#remember');
    await enter(page, site.secret);
    await page.waitForSelector('header');
    await page.reload();
    await page.waitForSelector('header');
    expect(await stored()).toBe(site.secret);
    expect(page.url()).not.toContain('hk_');

    await page.click('text=Log out');
    await page.waitForSelector('#key');
    expect(await stored()).toBeNull();
    await page.context().close();
  });

  it('offers a key that may only read parts nothing else', async () => {
    const { secret } = await site.plant.json<{ secret: string }>([
      ...['keys', 'create', '--name', 'Parts', '--entity', 'BER', '--permission', 'parts.view'],
    ]);
    const { page } = await visit(browser, `${site.daemon.url}/`);
    await enter(page, secret);
    await page.waitForSelector('header');
    expect(await page.locator('nav a').allTextContents()).toEqual(['Records', 'This key']);
    await page.click('text=Records');
    expect(await page.locator('.lists a').allTextContents()).toEqual(['Parts']);
    await page.context().close();
  });
});

describe('the wall of sensors', () => {
  it('shows broken and silent sensors first, and hostile names as texts', async () => {
    const { page, requests, complaints } = await opened();
    await page.waitForSelector('.sparkline');

    const tiles = await page.locator('.tile').allTextContents();
    expect(tiles[0]).toContain('PUMP-1-P1');
    expect(tiles[0]).toContain('Fault');
    expect(tiles[0]).toContain('Battery 80 %');
    expect(tiles.slice(1).join()).not.toContain('Battery');
    expect(tiles.slice(1, 3).join()).toContain('Silent');
    expect(tiles.join()).toContain(hostileName);
    expect(await page.title()).toBe('Berlin plant – hkctl');
    expect(requests.filter((address) => !address.startsWith(site.daemon.url))).toEqual([]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('is searched and grouped, and refreshes by itself within 15 s', async () => {
    const { page } = await opened();
    await page.waitForSelector('.tile');
    await page.fill('input[type=search]', 'oven zone');
    expect(await page.locator('.tile').count()).toBe(1);

    const before = await page.locator('.tile-value').textContent();
    const at = new Date().toISOString();
    await fetch(`${site.daemon.url}/api/v1/sensors/readings`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${site.secret}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ readings: [{ sensor: 'SE-1', at, value: 777 }] }),
    });
    await passRefresh(page);
    await page.getByText('777').first().waitFor();
    expect(await page.locator('.tile-value').textContent()).not.toBe(before);
    await page.context().close();
  });
});

describe('the plot of a sensor', () => {
  it('shows a day, its marks of quality, and the values under the keyboard', async () => {
    const { page, complaints } = await opened('#/sensors/SE-1');
    await page.waitForSelector('.uplot canvas');
    expect(await page.locator('.legend').textContent()).toContain('single readings');

    await page.focus('.plot');
    await page.keyboard.press('End');
    for (let step = 0; step < 5; step++) await page.keyboard.press('ArrowLeft');
    expect(await page.locator('.readout').textContent()).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('is zoomed by keyboard, and goes back as the browser does', async () => {
    const { page } = await opened('#/sensors/SE-1');
    await page.waitForSelector('.uplot canvas');
    await page.focus('.plot');
    await page.keyboard.press('+');
    await page.waitForURL(/from=\d+&to=\d+/);
    const zoomed = page.url();
    // The plot that has replaced it has the focus.
    await page.keyboard.press('+');
    await page.waitForURL((address) => address.href !== zoomed);
    await page.goBack();
    await page.goBack();
    await page.waitForURL(/SE-1$/);
    await page.waitForSelector('.uplot canvas');
    await page.locator('text=← All sensors').focus();
    await page.keyboard.press('Enter');
    await page.waitForSelector('.tile');
    expect(await page.locator('h1').evaluate((heading) => heading.matches(':focus'))).toBe(true);
    await page.context().close();
  });

  it('says why another span cannot be shown', async () => {
    const { page } = await opened('#/sensors/SE-1');
    await page.waitForSelector('.uplot canvas');
    await page.click('text=Other span');
    const show = async (from: string, to: string) => {
      await page.fill('[aria-label=From]', from);
      await page.fill('[aria-label=To]', to);
      await page.click('text=Show');
      return page.locator('details [role=alert]').textContent();
    };
    expect(await show('', '2026-11-01T00:00')).toBe('Give a beginning and an end.');
    expect(await show('2026-11-02T00:00', '2026-11-01T00:00')).toBe(
      'The end must be after the beginning.',
    );
    expect(await show('2000-01-01T00:00', '2026-11-01T00:00')).toBe(
      'A plot shows at most 20 years.',
    );
    expect(page.url()).not.toContain('from=');
    await show('2026-11-01T00:00', '2026-11-02T00:00');
    await page.waitForURL(/from=\d+&to=\d+/);
    await page.context().close();
  });

  it('compares sensors of different units and saves what it shows', async () => {
    const { page } = await opened('#/sensors/SE-1');
    await page.waitForSelector('.uplot canvas');
    await page.selectOption('select', 'SE-2');
    await page.waitForURL(/with=SE-2/);
    await page.getByText('PUMP-1-P1: lowest').waitFor();

    const download = page.waitForEvent('download');
    await page.click('text=Save as CSV');
    const stream = await (await download).createReadStream();
    let text = '';
    for await (const piece of stream) text += String(piece);
    expect(text.split('\r\n')[0]).toBe('at,value,sensor,quality');
    expect(text.split('\r\n').length).toBeGreaterThan(2500);
    await page.context().close();
  });

  it('of a month shows the means of buckets with their band', async () => {
    const { page } = await opened('#/sensors/SE-1');
    await page.waitForSelector('.uplot canvas');
    const marked = page.locator('button[aria-pressed=true]');
    expect(await marked.allTextContents()).toEqual(['Day']);
    await page.click('text=Month');
    await page.waitForURL(/last=month/);
    await page.waitForSelector('.uplot canvas');
    expect(await marked.allTextContents()).toEqual(['Month']);
    await page.locator('.legend', { hasText: /single readings|means of/ }).waitFor();
    await page.context().close();
  });
});

describe('records', () => {
  it('are a table with filters, sorted columns, pages and a page for each record', async () => {
    const { page, complaints } = await opened('#/records/parts');
    await page.getByText('Page 1: 50 records').waitFor();
    expect(await page.locator('tbody').textContent()).toContain(hostileName);

    await page.click('text=Next page');
    await page.getByText('Page 2: 50 records').waitFor();
    await page.click('th button:has-text("id")');
    await page.getByText('Page 1: 50 records, sorted by id').waitFor();
    await page.click('th button:has-text("id")');
    await page.waitForSelector('th[aria-sort=descending]:has-text("id ↓")');
    expect(await page.locator('tbody tr').first().textContent()).toContain('P-120');
    await page.click('text=Next page');
    await page.getByText('Page 2: 50 records, sorted by id').waitFor();
    expect(await page.locator('tbody tr').first().textContent()).toContain('P-070');

    await page.click('summary');
    await page.selectOption('select[name=is_active]', 'false');
    await page.click('text=Apply');
    await page.getByText('Page 1: 50 records').waitFor();
    await page.click('text=P-120');
    await page.getByRole('heading', { name: 'P-120' }).waitFor();
    expect(await page.locator('dl').textContent()).toContain('N-120');
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});

describe('a page that is open', () => {
  it('says that the server is away, keeps what it shows, and goes on when it is back', async () => {
    const other = await openSite();
    const port = other.daemon.port;
    const { page } = await visit(browser, `${other.daemon.url}/`);
    await enter(page, other.secret);
    await page.waitForSelector('.tile');
    await other.daemon.stop('SIGTERM');

    await passRefresh(page);
    await page.getByText('The server does not answer').waitFor();
    expect(await page.locator('.tile').count()).toBeGreaterThan(0);
    await other.plant.serve({ HKCTL_PORT: String(port) });
    await passRefresh(page);
    await page.getByText('The server does not answer').waitFor({ state: 'hidden' });
    await page.context().close();
    await other.plant.close();
  });
});

describe('the page', () => {
  it.each([
    [390, 'light'],
    [768, 'dark'],
    [1600, 'light'],
  ] as const)(
    '%d wide and %s is accessible and never scrolls sideways',
    async (width, colorScheme) => {
      const views = [
        '#/sensors',
        '#/sensors/SE-1',
        '#/records/parts',
        '#/records/parts/P-002',
        '#/key',
      ];
      const { page } = await opened('', { width, colorScheme });
      for (const view of views) {
        // To go to its address would load the page anew, without its key.
        await page.evaluate<void>(`location.hash = ${JSON.stringify(view)}`);
        await page.waitForTimeout(700);
        expect(await page.locator('header').count(), view).toBe(1);
        expect(await findings(page, colorScheme), view).toEqual([]);
        const overflow = 'document.documentElement.scrollWidth - innerWidth';
        expect(await page.evaluate<number>(overflow), view).toBeLessThanOrEqual(0);
        const [name, logOut] = await Promise.all(
          ['header strong', 'header button'].map((part) => page.locator(part).boundingBox()),
        );
        const below = (name?.y ?? 0) + (name?.height ?? 0);
        expect(logOut?.y, `${view}: Log out stands beside the name`).toBeLessThan(below);
      }
      await page.context().close();
    },
  );

  it('works below the prefix of a proxy', async () => {
    const { port } = site.daemon;
    const proxy = createServer((req, res) => {
      const path = req.url?.replace(/^\/hk\/prod(?=\/)/, '');
      if (path === req.url) return void res.writeHead(404).end();
      const { method, headers } = req;
      const passed = request({ port, path, method, headers }, (answer) => {
        answer.pipe(res.writeHead(answer.statusCode ?? 0, answer.headers));
      });
      req.pipe(passed);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const prefix = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/hk/prod/`;

    const { page, requests, complaints } = await visit(browser, prefix);
    await enter(page, site.secret);
    await page.waitForSelector('.tile');
    expect(requests.filter((address) => !address.startsWith(prefix))).toEqual([]);
    expect(complaints).toEqual([]);
    await page.context().close();
    await new Promise((resolve) => proxy.close(resolve));
  });

  it('asks for nothing while its tab is hidden', async () => {
    const { page, requests } = await opened();
    await page.waitForSelector('.sparkline');
    await page.evaluate(`
      Object.defineProperty(document, 'hidden', { get: () => true, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    `);
    const count = requests.length;
    await passRefresh(page);
    await page.waitForTimeout(500);
    expect(requests.length).toBe(count);

    await page.evaluate(`
      Object.defineProperty(document, 'hidden', { get: () => false, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    `);
    await until('the page refreshes', () => Promise.resolve(requests.length > count));
    await page.context().close();
  });

  it('of 5,000 sensors draws only the tiles on the screen, at little expense', async () => {
    const many = await openSite();
    const rows = Array.from({ length: 5000 }, (_, index) => ({
      id: `M-${index}`,
      code: `LINE-${index}`,
      name: `Sensor ${index}`,
      unit: 'Cel',
    }));
    await many.plant.importSensors(rows);
    const postAll = () =>
      post(many.daemon, many.secret, 'readings', {
        readings: rows.map(({ id }) => ({ sensor: id, at: Date.now(), value: Math.random() })),
      });
    await postAll();
    const { page, requests } = await visit(browser, `${many.daemon.url}/`);
    await enter(page, many.secret);
    await page.getByText(/^500\d sensors/).waitFor();
    expect(await page.locator('.tile').count()).toBeLessThan(100);
    await page.locator('.sparkline').first().waitFor();

    // Processor time of the main thread, which other programs of the machine do not change.
    const devTools = await page.context().newCDPSession(page);
    await devTools.send('Performance.enable');
    const threadMs = async () => {
      const { metrics } = await devTools.send('Performance.getMetrics');
      return 1000 * (metrics.find(({ name }) => name === 'ThreadTime')?.value ?? Number.NaN);
    };
    const refreshes: number[] = [];
    for (let refresh = 0; refresh < 5; refresh++) {
      await postAll();
      const [count, beforeMs] = [requests.length, await threadMs()];
      // A tab that is shown again refreshes at once.
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
      await until('all pages of the list are read', () =>
        Promise.resolve(requests.length >= count + 11),
      );
      await page.waitForTimeout(1000);
      refreshes.push((await threadMs()) - beforeMs);
    }
    const median = refreshes.sort((one, other) => one - other)[2];
    expect(median, `processor time: ${refreshes.join(', ')} ms`).toBeLessThan(200);

    const curveRequests = () => requests.filter((address) => address.includes('/readings')).length;
    const count = curveRequests();
    for (let step = 0; step < 100; step++) await page.mouse.wheel(0, 500);
    await until('tiles further down are shown', async () =>
      (await page.locator('.tile').allTextContents()).some((text) => /LINE-\d{3}/.test(text)),
    );
    await page.locator('.sparkline').first().waitFor();
    // The key allows 600 requests a minute.
    expect(curveRequests() - count).toBeLessThan(40);
    await page.context().close();
    await many.plant.close();
  });
});
