// A list of 30,000 pods in a browser. The frame rate is recorded: it depends on the machine.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../src/testing/index.ts';
import {
  accessibilityProblems,
  describeInBrowser,
  expectNoProblems,
  observeRows,
  openBrowser,
  openSignedIn,
  picture,
  post,
} from './browser.ts';

/** What the page shows while a wheel scrolls through all rows: frames, their times, and rows that are drawn. */
const scrolling = `new Promise((resolve) => {
  const rows = document.querySelector('.rows');
  const times = [];
  const blanks = [];
  const step = (time) => {
    times.push(time);
    if (rows.querySelectorAll('.row').length < 20) blanks.push(rows.scrollTop);
    if (times.length > 240) return resolve({ times, blanks: blanks.length, top: rows.scrollTop });
    rows.scrollTop += 300;
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})`;

describeInBrowser('a list of 30,000 pods', () => {
  const count = 30_000;
  let browser: Browser;
  let server: TestServer;
  beforeAll(async () => {
    [browser, server] = await Promise.all([openBrowser(), startTestServer({ enableUi: true, settle: true })]);
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      spec: { containers: [{ name: 'main', image: 'registry.example/web:1' }] },
    };
    const numbers = Array.from({ length: count }, (_, index) => index).reverse();
    const worker = async () => {
      for (let number = numbers.pop(); number !== undefined; number = numbers.pop()) {
        const metadata = { name: `web-${String(number).padStart(5, '0')}`, labels: { app: 'web' } };
        await post(server, '/api/v1/namespaces/default/pods', { ...pod, metadata });
      }
    };
    await Promise.all(Array.from({ length: 32 }, worker));
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  test('scrolls with few rows in the page, each event draws one row, and search is immediate', async () => {
    await using opened = await openSignedIn(browser, server);
    const { page } = opened;
    await page.goto(`${server.url}/ui/list/core/v1/pods?namespace=default`);
    await page.locator('.count', { hasText: /^30,000$/ }).waitFor();
    await page.getByText('live').waitFor();
    await picture(page, 'console-list');
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await page.locator('.rows .row').count()).toBeLessThan(60);
    const measured = (await page.evaluate(scrolling)) as { times: number[]; blanks: number; top: number };
    expect(measured.blanks).toBe(0);
    expect(measured.top).toBeGreaterThan(60_000);
    record(measured.times);
    await page.keyboard.press('Home');
    await page.locator('.row', { hasText: 'web-00000' }).waitFor();
    await observeRows(page);
    const patched = await server.fetch('/api/v1/namespaces/default/pods/web-00003/status', {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ status: { phase: 'Succeeded' } }),
    });
    const { metadata } = (await patched.json()) as { metadata: { uid: string } };
    await page
      .locator('.row', { hasText: 'Completed' })
      .or(page.locator('.row', { hasText: 'Succeeded' }))
      .waitFor();
    expect(await page.evaluate('[...window.drawn]')).toEqual([`row-${metadata.uid}`]);
    await page.keyboard.press('/');
    await page.keyboard.type('web-2999');
    await page.locator('.count', { hasText: '10 of 30,000' }).waitFor();
    expectNoProblems(opened);
  }, 300_000);
});

/** The rate depends on the machine and its other work: it is recorded, not judged. */
function record(times: readonly number[]): void {
  const gaps = times.slice(1).map((time, index) => time - (times[index] as number));
  const sorted = [...gaps].sort((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] as number).toFixed(1);
  const rate = (1000 * gaps.length) / gaps.reduce((sum, gap) => sum + gap, 0);
  const text = `frames per second ${rate.toFixed(1)}, milliseconds between frames: median ${at(0.5)}, 99th percentile ${at(0.99)}`;
  console.info(`list of 30,000 pods: ${text}`);
}
