// A real Chromium with pages of the console. Each page notes what the browser refuses or reports, and no test ignores that.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium as driver, type Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import type { TestServer } from '../../src/testing/index.ts';
import { chromium, describeWith, programOf } from '../interop/peers.ts';

const root = join(import.meta.dirname, '../..');

/** Without calls to the makers of the browser, and without what a container lacks. */
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** One test after the other: a browser alone is work enough for a machine. */
export const describeInBrowser = (title: string, body: () => void) => describeWith(chromium, title, body, describe);

export const openBrowser = (): Promise<Browser> => driver.launch({ executablePath: programOf(chromium), args });

export interface ConsolePage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser reported: errors of scripts, and everything that the policy of the page forbids. */
  readonly problems: readonly string[];
  [Symbol.asyncDispose](): Promise<void>;
}

interface PageOptions {
  readonly colorScheme?: 'light' | 'dark';
  /** Certificates of the browser, in PEM. */
  readonly clientCertificates?: { readonly origin: string; readonly cert: Buffer; readonly key: Buffer }[];
}

export async function openPage(browser: Browser, options: PageOptions = {}): Promise<ConsolePage> {
  const viewport = { width: 1280, height: 760 };
  const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(40_000);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    // an answer other than 200 is reported too, and is part of many tests
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(message.text());
  });
  return { page, context, problems, [Symbol.asyncDispose]: () => context.close() };
}

/** A page of the administrator, signed in by a link. */
export async function openSignedIn(
  browser: Browser,
  server: TestServer,
  options: PageOptions = {},
): Promise<ConsolePage> {
  const opened = await openPage(browser, options);
  await opened.page.goto(server.signInLink() ?? '');
  await opened.page.getByText('keelson-admin').waitFor();
  return opened;
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** What axe finds wrong with the page as it is now. */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  const isThere = await page.evaluate('typeof axe !== "undefined"');
  // by the debugger: the policy of the page refuses scripts of any other origin
  if (isThere !== true) await page.evaluate(axeSource);
  const { violations } = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as AxeResult;
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** Writes a picture for the documentation, where `KEELSON_PICTURES=1` asks for it. */
export async function picture(page: Page, name: string): Promise<void> {
  if (process.env['KEELSON_PICTURES'] !== '1') return;
  await page.screenshot({ path: join(root, 'docs/images', `${name}.png`) });
}

export function expectNoProblems({ problems }: ConsolePage): void {
  expect(problems).toEqual([]);
}

export async function post(server: TestServer, path: string, object: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await server.fetch(path, { method: 'POST', headers, body: JSON.stringify(object) });
  if (!answer.ok) throw new Error(await answer.text());
}

/** Notes the rows that are drawn again from now on, in `window.drawn`. */
export const observeRows = (page: Page) =>
  page.evaluate(`{
    window.drawn = new Set();
    new MutationObserver((changes) => {
      for (const { target } of changes) window.drawn.add((target.parentElement ?? target).closest('.row')?.id ?? 'more');
    }).observe(document.querySelector('.rows'), { subtree: true, childList: true, characterData: true });
  }`);
