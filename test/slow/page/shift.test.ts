import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, launchBrowser, type Page } from '../http/browser.ts';
import { enter, openSite, passRefresh, post, type Site, visit } from './site.ts';

const hourMs = 3_600_000;
const batchName = '2026-11-20T08:15:00 batch 7';

let site: Site;
let browser: Browser;

/** A site with values, units and names that other people's plants have. */
beforeAll(async () => {
  site = await openSite();
  const { plant, daemon, secret } = site;
  await importRows('assets', [
    {
      id: 'A-1',
      code: 'OVEN-1',
      name: 'Chamber oven 1',
      asset_type: 'oven',
      is_active: true,
      status: 'operational',
    },
  ]);
  await importRows('parts', [
    {
      id: 'P-000',
      name: batchName,
      part_number: 'N-0',
      is_active: true,
      description: 'long '.repeat(80),
    },
  ]);
  await plant.importSensors([
    { id: 'METER', code: 'METER', name: 'Energy meter', unit: 'kWh' },
    { id: 'HALF', code: 'HALF-HOURLY', name: 'Slow sensor', unit: 'Cel' },
    ...['constructor', 'toString', '__proto__', 'x'].map((unit) => ({
      id: `U-${unit}`,
      code: `U-${unit}`,
      name: `Unit ${unit}`,
      unit,
    })),
  ]);
  await importRows('sensors', [
    {
      id: 'SE-1',
      code: 'OVEN-1-T1',
      name: 'Oven 1',
      unit: 'Cel',
      is_active: true,
      asset_id: 'A-1',
    },
  ]);

  const nowMs = Date.now();
  const slow = Array.from({ length: 12 }, (_, index) => ({
    sensor: 'HALF',
    at: nowMs - index * 30 * 60_000,
    value: index % 3,
  }));
  const others = [0, 1, 2].flatMap((index) => [
    { sensor: 'METER', at: nowMs - index * hourMs, value: 1234567.8 - index / 10 },
    { sensor: 'U-constructor', at: nowMs - index * hourMs, value: index },
    { sensor: 'U-toString', at: nowMs - index * hourMs, value: index },
    { sensor: 'U-__proto__', at: nowMs - index * hourMs, value: index },
    { sensor: 'U-x', at: nowMs - index * hourMs, value: index },
  ]);
  await post(daemon, secret, 'readings', { readings: [...slow, ...others] });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await site.plant.close();
});

async function importRows(resource: string, rows: readonly object[]): Promise<void> {
  const input = rows.map((row) => JSON.stringify(row)).join('\n');
  await site.plant.ok(['import', resource, '-', '--format', 'ndjson', '--entity', 'BER'], {
    input,
  });
}

async function opened(view: string): Promise<{ page: Page; complaints: string[] }> {
  const visited = await visit(browser, `${site.daemon.url}/${view}`);
  await enter(visited.page, site.secret);
  await visited.page.waitForSelector('h1');
  return visited;
}

describe('a tile', () => {
  it('shows a meter with all of its digits, and a curve of a sensor that reports each half hour', async () => {
    const { page } = await opened('#/sensors');
    await page.locator('.tile', { hasText: 'METER' }).getByText('1234567.8').waitFor();
    const path = page.locator('.tile', { hasText: 'HALF-HOURLY' }).locator('.sparkline path');
    const commands = (await path.getAttribute('d')) ?? '';
    expect(commands.match(/M/g)).toHaveLength(1);
    expect(commands.match(/L/g)?.length).toBeGreaterThan(9);
    await page.context().close();
  });

  it('stands below the name of its asset, and a search without a result says so', async () => {
    const { page } = await opened('#/sensors');
    await page.waitForSelector('.tile');
    await page.click('text=Group by asset');
    expect(await page.locator('.wall h2').allTextContents()).toEqual([
      'Chamber oven 1',
      'Without an asset',
    ]);
    await page.fill('input[type=search]', 'nothing like this');
    await page.getByText(/None of the \d+ sensors matches the search/).waitFor();

    await page.fill('input[type=search]', 'chamber');
    await page.click('.tile');
    await page.getByRole('heading', { name: 'Oven 1' }).waitFor();
    await page.click('text=← All sensors');
    await page.waitForSelector('.tile');
    expect(await page.inputValue('input[type=search]')).toBe('chamber');
    expect(await page.isChecked('#group')).toBe(true);
    await page.context().close();
  });
});

describe('a plot', () => {
  it.each(['constructor', 'toString', '__proto__', 'x'])('has the unit %s', async (unit) => {
    const { page, complaints } = await opened(`#/sensors/U-${unit}?with=METER`);
    await page.waitForSelector('.uplot canvas');
    await page.getByText(`highest 2 ${unit}`).waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('goes earlier and later, and back inside the page alone', async () => {
    const { page } = await opened('#/sensors/SE-1');
    await page.waitForSelector('.uplot canvas');
    expect(await page.locator('button:has-text("Later")').isDisabled()).toBe(true);
    await page.click('text=Earlier');
    await page.waitForURL(/from=\d+&to=\d+/);
    await page.click('text=Later');
    await page.waitForURL(/SE-1$/);

    await page.click('text=Month');
    await page.waitForURL(/last=month/);
    await page.click('text=Back');
    await page.waitForURL(/SE-1$/);
    await page.click('text=Back');
    await page.waitForSelector('.tile');
    expect(page.url()).toContain(site.daemon.url);
    await page.context().close();
  });

  it('explains its rings, and the record of the sensor leads to its asset', async () => {
    const { page } = await opened('#/sensors/SE-1');
    await page.waitForSelector('.uplot canvas');
    expect(await page.locator('.legend .ring').allTextContents()).toEqual(['uncertain', 'bad']);
    expect(await page.locator('.summary').textContent()).toContain('Chamber oven 1');
    await page.click('dl a:has-text("A-1")');
    await page.getByRole('heading', { name: 'A-1' }).waitFor();
    await page.context().close();
  });
});

describe('a list', () => {
  it('shows a name that looks like a time as it was stored, in rows of one line', async () => {
    const { page, complaints } = await opened('#/records/parts');
    await page.getByText('Page 1: 50 records').waitFor();
    const firstRow = page.locator('tbody tr').first();
    expect(await firstRow.textContent()).toContain(batchName);
    expect((await firstRow.boundingBox())?.height).toBeLessThan(50);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('is sorted by its heads as a whole, also after a refresh, and in its former order by Back', async () => {
    await importRows('parts', [
      { id: 'P-998', name: 'Zange, groß', part_number: 'N-998', is_active: true, category: 'Z' },
      { id: 'P-999', name: 'Öse', part_number: 'N-999', is_active: true, category: 'Ärmel, blau' },
    ]);
    const { page, complaints } = await opened('#/records/parts');
    await page.getByText('Page 1: 50 records').waitFor();
    const firstRow = page.locator('tbody tr').first();
    expect(await firstRow.textContent()).toContain('P-000');

    await page.click('th button:has-text("category")');
    await page.waitForSelector('th[aria-sort=ascending]:has-text("category ↑")');
    expect(await firstRow.textContent()).toContain('Zange, groß');
    await page.click('th button:has-text("category")');
    await page.waitForSelector('th[aria-sort=descending]:has-text("category ↓")');
    expect(await firstRow.textContent()).toContain('Ärmel, blau');

    await importRows('parts', [
      { id: 'P-997', name: 'New', part_number: 'N-997', is_active: true, category: 'ÿ' },
    ]);
    await passRefresh(page);
    await page.getByText('P-997').waitFor();
    expect(await firstRow.textContent()).toContain('P-997');
    expect(await page.locator('th[aria-sort=descending] button:focus').count()).toBe(1);

    await page.goBack();
    await page.goBack();
    await page.waitForSelector(
      'table:not(:has(th[aria-sort=ascending], th[aria-sort=descending]))',
    );
    expect(await firstRow.textContent()).toContain('P-000');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('turns one page by a double click', async () => {
    const { page } = await opened('#/records/parts');
    await page.getByText('Page 1: 50 records').waitFor();
    const nextPage = page.waitForResponse(/cursor=/);
    await page.dblclick('text=Next page');
    await nextPage;
    await page.getByText(/Page [23]: 50 records/).waitFor();
    await page.click('text=Previous page');
    await page.getByText('Page 1: 50 records').waitFor();
    await page.context().close();
  });

  it('offers its heads without rows after an order that is refused', async () => {
    const { page } = await opened('#/records/parts?sort=nothing');
    await page.getByText('sort="nothing": give one of').waitFor();
    expect(await page.locator('tbody tr').count()).toBe(0);
    expect(await page.isDisabled('text=Next page')).toBe(true);

    await page.click('th button:has-text("part number")');
    await page.getByText('Page 1: 50 records, sorted by part number').waitFor();
    expect(await page.isVisible('p.problem')).toBe(false);
    await page.context().close();
  });

  it('keeps filters, columns and order in its address', async () => {
    const { page } = await opened('#/records/parts');
    await page.getByText('Page 1: 50 records').waitFor();
    await page.click('th button:has-text("part number")');
    await page.getByText('Page 1: 50 records, sorted by part number').waitFor();

    await page.click('text=Columns');
    await page.uncheck('fieldset input[name=description]');
    await page.click('text=Filter');
    await page.selectOption('select[name=is_active]', 'false');
    await page.click('text=Apply');
    await page.waitForURL(/is_active=false/);
    await page.getByText(/Page 1: 50 records/).waitFor();
    expect(await page.locator('th', { hasText: 'description' }).count()).toBe(0);
    await page.click('tbody a');
    await page.getByRole('heading', { name: /^P-/ }).waitFor();
    await page.click('text=← Parts');
    await page.waitForURL(/is_active=false/);
    await page.click('text=Reset');
    await page.waitForURL((address) => !address.href.includes('is_active=false'));
    expect(await page.inputValue('select[name=is_active]')).toBe('');

    await page.fill('input[name=part_number]', 'no such part');
    await page.click('text=Apply');
    await page.getByText('No record matches the filter.').waitFor();
    await page.context().close();
  });
});

describe('a record', () => {
  it('leads to the records that it names, also those in its services', async () => {
    const assignments = [
      { resource: 'assets', id: 'A-1' },
      { resource: 'people', id: 'PE-1' },
    ];
    const service = { row_id: 'SVC-01', service_code: 'ANNEAL', quantity: 1, assignments };
    await importRows('orders', [
      { id: 'O-1', order_number: 'SO-1', status: 'on_hold', services: [service] },
    ]);
    const { page, complaints } = await opened('#/records/orders/O-1');
    await page.getByText('on hold').waitFor();
    await page.click('text=assets A-1');
    await page.getByRole('heading', { name: 'A-1' }).waitFor();
    await page.getByText('Chamber oven 1').waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});

describe('a counter', () => {
  it('has bars for what it has grown by, in months for a year', async () => {
    const { page, complaints } = await opened('#/sensors/METER');
    await page.waitForSelector('.uplot canvas');
    await page.click('text=Increase');
    await page.getByText('METER: 0.2 kWh in this span').waitFor();
    await page.getByText('increase of each hour').waitFor();
    await page.click('text=Year');
    await page.getByText('increase of each month').waitFor();
    await page.waitForURL(/last=year&show=increase/);
    await page.focus('.plot');
    await page.keyboard.press('End');
    await page.getByText(/METER 0.2 kWh/).waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('is saved with the decimal comma that the browser writes', async () => {
    const context = await browser.newContext({ locale: 'de-DE' });
    const page = await context.newPage();
    await page.goto(`${site.daemon.url}/#/sensors/METER`);
    await enter(page, site.secret);
    await page.waitForSelector('.uplot canvas');
    const download = page.waitForEvent('download');
    await page.click('text=Save as CSV');
    const stream = await (await download).createReadStream();
    let text = '';
    for await (const piece of stream) text += String(piece);
    const lines = text.split('\r\n');
    expect(lines[0]).toBe('at;value;quality');
    expect(lines.at(-2)).toMatch(/^20.*Z;1234567,8;$/);
    await context.close();
  });
});

describe('in print', () => {
  it('there is a tile of every sensor, and a wide table fits', async () => {
    await site.plant.importSensors(
      Array.from({ length: 100 }, (_, index) => ({
        id: `M-${index}`,
        code: `M-${index}`,
        name: `Sensor ${index}`,
        unit: null,
      })),
    );
    const { page } = await opened('#/sensors');
    await page.getByText(/\d+ sensors, /).waitFor();
    expect(await page.locator('.tile').count()).toBeLessThan(100);
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    expect(await page.locator('.tile').count()).toBeGreaterThan(100);
    await page.evaluate("dispatchEvent(new Event('afterprint'))");

    await page.setViewportSize({ width: 718, height: 1000 });
    await page.emulateMedia({ media: 'print' });
    for (const view of ['#/records/parts', '#/sensors/SE-1', '#/sensors']) {
      await page.evaluate(`location.hash = ${JSON.stringify(view)}`);
      await page.waitForTimeout(1500);
      const overflow = 'document.documentElement.scrollWidth - innerWidth';
      expect(await page.evaluate<number>(overflow), view).toBeLessThanOrEqual(0);
    }
    await page.context().close();
  });
});

describe('the key of a gateway', () => {
  it('says what it can do', async () => {
    const { secret } = await site.plant.createKey('Gateway', 'sensor-gateway');
    const { page } = await visit(browser, `${site.daemon.url}/`);
    await enter(page, secret);
    await page.getByText('Nothing: this key is for a gateway, which only sends.').waitFor();
    expect(await page.locator('dl').textContent()).toContain('Ingest of sensor readings');
    await page.context().close();
  });
});
