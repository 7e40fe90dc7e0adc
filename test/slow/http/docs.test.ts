import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../e2e/program.ts';
import { type Face, listening } from '../../http/faces.ts';
import { HttpPlant } from '../../http/plant.ts';
import { runProgramAsync } from '../../run-program.ts';
import { type Browser, launchBrowser, openDocs, type Page } from './browser.ts';
import { type Documents, sharedPage } from './shared-page.ts';

let plant: HttpPlant;
let face: Face & { url: string };
let browser: Browser;
let secret: string;

beforeAll(async () => {
  plant = await HttpPlant.open();
  face = await listening(plant);
  secret = (await plant.key()).secret;
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await face.close();
  await plant.domain.store.close();
});

/** The documents in a browser that makes no request to elsewhere and has nothing to report. */
async function expectWhole({ page, requests, complaints }: Documents): Promise<void> {
  expect(await page.locator('.opblock').count()).toBeGreaterThan(40);
  expect(requests.filter((url) => !url.startsWith(face.url) && !url.startsWith('data:'))).toEqual(
    [],
  );
  expect(complaints).toEqual([]);
}

/** Types the key in, opens `GET /me` and executes it; gives what the page shows of the answer. */
async function askWhoIAm(page: Page): Promise<string | null> {
  await page.click('button.authorize');
  await page.fill('.auth-container input', secret);
  await page.click('.auth-btn-wrapper button.authorize');
  await page.click('.auth-btn-wrapper button.btn-done');
  await page.click('#operations-Key-getMe .opblock-summary-control');
  await page.click('#operations-Key-getMe button.execute');
  const answer = await page.waitForSelector(
    '#operations-Key-getMe .live-responses-table .highlight-code',
  );
  return answer.textContent();
}

it('works below the path of a proxy, calls included, and keeps the key nowhere', async () => {
  let port = 0;
  const proxy = createServer((req, res) => {
    const path = req.url?.replace(/^\/hk\/prod(?=\/)/, '');
    const { method, headers } = req;
    if (path === req.url) res.writeHead(404).end();
    else
      req.pipe(
        request({ port, path, method, headers }, (answer) =>
          answer.pipe(res.writeHead(answer.statusCode ?? 0, answer.headers)),
        ),
      );
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/hk/prod`;
  const behind = await listening(plant, { baseUrl });
  port = Number(/"url":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(behind.log())?.[1]);
  const { page, requests, complaints } = await openDocs(browser, `${baseUrl}/api/v1`);
  expect(await askWhoIAm(page)).toContain('"Nordwerk"');
  expect(
    requests.filter((url) => !url.startsWith(`${baseUrl}/`) && !url.startsWith('data:')),
  ).toEqual([]);
  expect(requests.some((url) => url.endsWith('/api/v1/me'))).toBe(true);
  expect(requests.some((url) => url.includes(secret.slice(8, 20)))).toBe(false);
  const kept = await page.evaluate(
    'JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])',
  );
  expect(kept).not.toContain(secret.slice(3, 12));
  expect(complaints).toEqual([]);
  await page.reload();
  await page.waitForSelector('.opblock');
  expect(await page.locator('button.authorize.unlocked').count()).toBe(1);
  await page.close();
  await behind.close();
  await new Promise((resolve) => proxy.close(resolve));
});

it('shows whose key it is, and takes none that the daemon refuses', async () => {
  const { page } = await openDocs(browser, `${face.url}/api/v1/docs`);
  const enter = async (key: string) => {
    await page.fill('.auth-container input', key);
    await page.click('.auth-btn-wrapper button.authorize');
  };
  await page.click('button.authorize');
  const revoked = await plant.key();
  await plant.revoke(revoked.id);
  for (const [key, why] of [
    ['hk_wrong', 'This is not a complete API key'],
    [revoked.secret, 'revoked'],
    ['not a key', 'Enter a key'],
  ] as const) {
    await enter(key);
    await page.waitForSelector(`.auth-container .errors:has-text("${why}")`);
    expect(await page.textContent('#whose')).toBe('No key yet');
    expect(await page.locator('.scheme-container button.authorize.unlocked').count()).toBe(1);
  }
  await enter(` ${secret} `);
  await page.waitForSelector('.dialog-ux .whose');
  const whose = `Test key (${secret.slice(0, 8)}) · Berlin (BER) · 21 permissions · never expires`;
  expect(await page.textContent('.dialog-ux .whose')).toBe(whose);
  expect(await page.textContent('#whose')).toBe(whose);
  await page.click('.auth-btn-wrapper button:not(.btn-done)');
  expect(await page.textContent('#whose')).toBe('No key yet');
  await page.close();
});

it('begins with a first call and a first reading for this address, which work as they stand there', async () => {
  const { page } = await openDocs(browser, `${face.url}/api/v1/docs`);
  expect(await page.locator('.start h2').allTextContents()).toEqual([
    'First call',
    'Send readings',
  ]);
  // The example takes the time of the machine.
  plant.nowMs = Date.now();
  const [me = '', reading = ''] = await page.locator('.start pre').allTextContents();
  const answer = async (command: string) => {
    const env = { ...process.env, API_KEY: secret };
    const call = ['-c', command.replace('curl', 'curl -sS')];
    const { code, stdout, stderr } = await runProgramAsync('sh', call, { env });
    expect(code, stderr).toBe(0);
    return stdout;
  };
  expect([await answer(me.replace(/^read .*\n/, '')), await answer(reading)]).toEqual([
    expect.stringContaining('"server_time"'),
    expect.stringContaining('"accepted":1'),
  ]);
  expect(await page.locator('.start a').allTextContents()).toEqual(
    expect.arrayContaining([
      'gateway.py',
      'mirror.mjs',
      'hkctl-gateway(7)',
      'hkctl-api(7)',
      'hkctl-resources(7)',
    ]),
  );
  await page.close();
});

const axe = readFileSync(join(process.cwd(), 'node_modules', 'axe-core', 'axe.min.js'), 'utf8');
const opened = {
  jobs: '#operations-Jobs_and_orders-listJobs',
  readings: '#operations-Sensor_gateway-postReadings',
};

const all = { resultTypes: ['violations'] };
/** Other colours change nothing else. */
const contrast = { ...all, runOnly: ['color-contrast'] };

/**
 * The critical and serious findings of axe in a part of the page, as `rule: element`. It first waits for the end of
 * the transitions of Swagger's style: half-way from one colour to the other nothing has enough contrast.
 */
async function findings(page: Page, part: string, scheme: 'light' | 'dark'): Promise<string[]> {
  await until('nothing changes its colour any more', () =>
    page.evaluate('document.getAnimations().length === 0'),
  );
  await page.evaluate(axe);
  const { violations } = await page.evaluate<{
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  }>(`axe.run('${part}', ${JSON.stringify(scheme === 'light' ? all : contrast)})`);
  return violations
    .filter(({ impact }) => ['critical', 'serious'].includes(impact))
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

it('is accessible in light and dark: nothing critical or serious, whatever is open', async () => {
  const { page, complaints } = await openDocs(browser, `${face.url}/api/v1/docs`);
  const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
  for (const one of Object.values(opened)) await page.click(`${one} .opblock-summary-control`);
  await page.waitForSelector(`${opened.readings} .writes`);
  await askWhoIAm(page);
  for (const [scheme, colour] of [
    ['light', 'rgb(250, 250, 250)'],
    ['dark', 'rgb(28, 32, 34)'],
  ] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await until(`the page is ${scheme}`, async () => (await background()) === colour);
    expect(await findings(page, 'html', scheme), `page, ${scheme}`).toEqual([]);
    await page.click('button.authorize');
    await page.waitForSelector('.dialog-ux');
    expect(await findings(page, '.dialog-ux', scheme), `dialog with a key, ${scheme}`).toEqual([]);
    await page.click('.auth-btn-wrapper button:not(.btn-done)');
    await page.fill('#auth-bearer-value', secret);
    expect(await findings(page, '.dialog-ux', scheme), `dialog, ${scheme}`).toEqual([]);
    await page.click('.auth-btn-wrapper button.authorize');
    await page.click('.auth-btn-wrapper button.btn-done');
  }
  expect(complaints).toEqual([]);
  await page.close();
});

describe('the page at /api/v1', () => {
  const documents = sharedPage(() => openDocs(browser, `${face.url}/api/v1`));

  it('shows every operation under its strict policy, without a request to elsewhere', async () => {
    await expectWhole(await documents());
  });

  it('shows the key and the resources before the documents', async () => {
    const { page } = await documents();
    const tags = await page
      .locator('.opblock-tag')
      .evaluateAll((all) => all.map((tag) => tag.getAttribute('data-tag')));
    expect([tags[0], tags.at(-1)]).toEqual(['Key', 'Documents']);
    expect(tags).toHaveLength(10);
  });

  it('follows the colours of the browser while it is open', async () => {
    const { page } = await documents();
    const isDark = () =>
      page.evaluate<boolean>("document.documentElement.classList.contains('dark-mode')");
    expect(await isDark()).toBe(false);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForSelector('html.dark-mode');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.waitForSelector('html:not(.dark-mode)');
  });

  it('masks the key in its field', async () => {
    const { page } = await documents();
    await page.click('button.authorize');
    expect(await page.getAttribute('#auth-bearer-value', 'type')).toBe('password');
    await page.click('.auth-btn-wrapper button.btn-done');
  });

  it('shows each operation on two screens of 1280x900 at most', async () => {
    const { page } = await documents();
    // The longest ones: by their parameters, and those with a body.
    const specification = (await (await fetch(`${face.url}/api/v1/openapi.json`)).json()) as {
      paths: Record<
        string,
        Record<string, { operationId: string; parameters?: unknown[]; requestBody?: unknown }>
      >;
    };
    const operations = Object.values(specification.paths).flatMap((path) => Object.values(path));
    const length = ({ parameters = [], requestBody }: (typeof operations)[number]) =>
      requestBody ? Number.POSITIVE_INFINITY : parameters.length;
    const longest = operations.toSorted((a, b) => (length(a) < length(b) ? 1 : -1)).slice(0, 8);
    const ids: string[] = [];
    for (const { operationId } of longest)
      ids.push((await page.locator(`[id$="-${operationId}"]`).getAttribute('id')) ?? '');
    for (const id of ids) {
      await page.dispatchEvent(`#${id} .opblock-summary-control`, 'click');
      await page.waitForSelector(`#${id} .responses-table`);
      const box = await page.locator(`#${id}`).boundingBox();
      expect(box?.height, id).toBeLessThanOrEqual(1800);
      await page.dispatchEvent(`#${id} .opblock-summary-control`, 'click');
    }
  });

  it('has nothing to scroll sideways at any width', async () => {
    const { page } = await documents();
    await page.click('#operations-Key-getMe .opblock-summary-control');
    await page.click('#operations-Sensor_lookup-listSensorReadings .opblock-summary-control');
    await page.waitForSelector('#operations-Key-getMe button.execute');
    for (const width of [360, 390, 2560]) {
      await page.setViewportSize({ width, height: 900 });
      const [inner, overflow] = await page.evaluate<[number, number]>(
        '[innerWidth, document.documentElement.scrollWidth - document.documentElement.clientWidth]',
      );
      expect(inner).toBe(width);
      expect(overflow, `at ${width} pixels`).toBeLessThanOrEqual(0);
    }
  });
});

describe('the page at /api/v1/docs with a key', () => {
  const documents = sharedPage(async () => {
    const documents = await openDocs(browser, `${face.url}/api/v1/docs`);
    expect(await askWhoIAm(documents.page)).toContain('"Nordwerk"');
    return documents;
  });

  it('shows every operation under its strict policy, without a request to elsewhere', async () => {
    await expectWhole(await documents());
  });

  it('masks the key in the curl line', async () => {
    const { page } = await documents();
    expect(await page.textContent('#operations-Key-getMe .curl-command')).toContain(
      'Authorization: Bearer hk_<API_KEY>',
    );
    expect(await page.content()).not.toContain(secret.slice(8));
  });

  it('fills in no filter, so that a list answers with records at once', async () => {
    const { page, requests } = await documents();
    const all = [
      'Jobs_and_orders-listJobs',
      'Sensor_lookup-listSensorReadings',
      'Projects_and_settings-listParts',
    ];
    for (const id of all) {
      await page.click(`#operations-${id} .opblock-summary-control`);
      await page.waitForSelector(`#operations-${id} button.execute`);
      const fields = page
        .locator(`#operations-${id} tr[data-param-in="query"]`)
        .locator('input, select');
      expect(await fields.count()).toBeGreaterThan(5);
      for (const field of await fields.all()) expect(await field.inputValue()).toBe('');
    }
    await page.click(`#operations-${all[2]} button.execute`);
    const answer = await page.waitForSelector(
      `#operations-${all[2]} .live-responses-table .highlight-code`,
    );
    expect(await answer.textContent()).toContain('"part_number"');
    expect(requests.at(-1)).toBe(`${face.url}/api/v1/parts`);
  });

  it('writes nothing by a careless click: the body begins empty, and a line says that it writes for good', async () => {
    const { page, requests } = await documents();
    await page.click(`${opened.readings} .opblock-summary-control`);
    expect(await page.textContent(`${opened.readings} .writes`)).toContain('This writes for good.');
    for (const type of ['application/json', 'application/x-ndjson', 'application/senml+json']) {
      await page.selectOption(
        `${opened.readings} .body-param-content-type select, ${opened.readings} select.content-type`,
        type,
      );
      expect(await page.inputValue(`${opened.readings} textarea`), type).toBe('');
      expect(await page.locator(`${opened.readings} details pre`).textContent(), type).toMatch(
        /OVEN-3-/,
      );
      await page.click(`${opened.readings} button.execute`);
    }
    expect(requests.filter((url) => url.endsWith('/readings'))).toEqual([]);
  });
});
