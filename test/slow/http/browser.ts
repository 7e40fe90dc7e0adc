import { chromium } from 'playwright-core';

export type Browser = Awaited<ReturnType<typeof chromium.launch>>;
export type Page = Awaited<ReturnType<Browser['newPage']>>;

/** Starts the system's Chromium without a window and without requests of its own. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** Opens a page of the API documents; collects the addresses that it requests and the errors that it reports. */
export async function openDocs(
  browser: Browser,
  url: string,
  width = 1280,
  colorScheme: 'light' | 'dark' = 'light',
) {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  // A click may take long on a busy machine.
  page.setDefaultTimeout(60_000);
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(url);
  await page.waitForSelector('.opblock');
  return { page, requests, complaints };
}
