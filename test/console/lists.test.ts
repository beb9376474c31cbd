// Lists of the console in a browser: live, searched, and by keys.

import type { Browser, Page } from 'playwright-core';
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

const configMaps = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string, labels: Record<string, string> = {}, data = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels },
  data,
});

const names = (page: Page) => page.locator('.rows .row > div:nth-child(2)').allInnerTexts();
const row = (page: Page, name: string) => page.locator('.rows .row', { hasText: name });

describeInBrowser('lists of the console', () => {
  let browser: Browser;
  let server: TestServer;
  beforeAll(async () => {
    [browser, server] = await Promise.all([openBrowser(), startTestServer({ enableUi: true, settle: true })]);
    for (const name of ['alpha', 'beta', 'gamma']) await post(server, configMaps, configMap(name, { app: name }));
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  test('the first page counts objects, and is accessible in light and dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await using opened = await openSignedIn(browser, server, { colorScheme });
      await opened.page.locator('.counts a', { hasText: 'Namespace' }).first().waitFor();
      expect(await accessibilityProblems(opened.page)).toEqual([]);
      await picture(opened.page, `console-home-${colorScheme}`);
      expectNoProblems(opened);
    }
  });

  test('a list follows writes, one row for each', async () => {
    await using opened = await openSignedIn(browser, server);
    const { page } = opened;
    await page.goto(`${server.url}/ui/list/core/v1/configmaps?namespace=default`);
    await row(page, 'alpha').waitFor();
    await page.getByText('live').waitFor();
    await observeRows(page);
    const patched = await server.fetch(`${configMaps}/beta`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ data: { one: '1', two: '2' } }),
    });
    const { metadata } = (await patched.json()) as { metadata: { uid: string } };
    await page.waitForFunction('window.drawn.size > 0');
    expect(await page.evaluate('[...window.drawn]')).toEqual([`row-${metadata.uid}`]);
    await post(server, configMaps, configMap('delta'));
    await row(page, 'delta').waitFor();
    await server.fetch(`${configMaps}/delta`, { method: 'DELETE' });
    await row(page, 'delta').waitFor({ state: 'detached' });
    expectNoProblems(opened);
  });

  test('keys jump to a kind, search, open a row and lead back', async () => {
    await using opened = await openSignedIn(browser, server);
    const { page } = opened;
    const { keyboard } = page;
    await page.locator('.counts a').first().waitFor();
    await keyboard.press(':');
    await keyboard.type('cm');
    await page.getByRole('option', { name: 'ConfigMap' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await keyboard.press('Enter');
    await row(page, 'gamma').waitFor();
    await keyboard.press('/');
    await keyboard.type('defa gam');
    await page.getByText('1 of').waitFor();
    await keyboard.press('Escape');
    expect(await names(page)).toEqual(['gamma']);
    await keyboard.press('Enter');
    await page.waitForURL('**/ui/object/core/v1/configmaps/default/gamma');
    await keyboard.press('Escape');
    await page.waitForURL('**/ui/list/core/v1/configmaps');
    await keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await picture(page, 'console-keys');
    expect(await accessibilityProblems(page)).toEqual([]);
    expectNoProblems(opened);
  });

  test('the server selects by namespace, labels and fields', async () => {
    await using opened = await openSignedIn(browser, server);
    const { page } = opened;
    await page.goto(`${server.url}/ui/list/core/v1/configmaps`);
    await row(page, 'kube-root-ca.crt').first().waitFor();
    await page.getByLabel('Namespace').selectOption('default');
    await page.getByLabel('Labels').fill('app in (beta,gamma)');
    await page.keyboard.press('Enter');
    await row(page, 'alpha').waitFor({ state: 'detached' });
    await row(page, 'gamma').waitFor();
    await page.getByLabel('Fields').fill('metadata.name=beta');
    await page.keyboard.press('Enter');
    await row(page, 'gamma').waitFor({ state: 'detached' });
    await row(page, 'beta').waitFor();
    await page.getByLabel('Labels').fill('a b c');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    expectNoProblems(opened);
  });

  test('columns sort both ways', async () => {
    await using opened = await openSignedIn(browser, server);
    const { page } = opened;
    await page.goto(`${server.url}/ui/list/core/v1/configmaps?namespace=default&labels=app`);
    await row(page, 'gamma').waitFor();
    const header = page.getByRole('columnheader', { name: 'Name' });
    expect(await header.getAttribute('aria-sort')).toBe('ascending');
    await header.getByRole('button').click();
    expect(await header.getAttribute('aria-sort')).toBe('descending');
    expect(await page.locator('.rows .row > div:first-child').allInnerTexts()).toEqual(['gamma', 'beta', 'alpha']);
  });

  test('marked rows are deleted after a preview', async () => {
    for (const name of ['old-1', 'old-2', 'old-3']) await post(server, configMaps, configMap(name, { age: 'old' }));
    await using opened = await openSignedIn(browser, server);
    const { page } = opened;
    await page.goto(`${server.url}/ui/list/core/v1/configmaps?namespace=default&labels=age%3Dold`);
    await row(page, 'old-3').waitFor();
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('d');
    await page.getByText('2 of 2 can be deleted.').waitFor();
    await picture(page, 'console-delete');
    expect(await accessibilityProblems(page)).toEqual([]);
    expect((await server.fetch(`${configMaps}/old-1`)).status).toBe(200);
    await page.getByRole('dialog').getByRole('button', { name: 'Delete 2' }).click();
    await page.getByText('Done.').waitFor();
    await page.getByRole('dialog').getByText('Close', { exact: true }).click();
    await row(page, 'old-1').waitFor({ state: 'detached' });
    expect(await page.locator('.rows .row > div:first-child').allInnerTexts()).toEqual(['old-3']);
    expectNoProblems(opened);
  });

  test('columns of custom kinds hold text, whatever stands in them', async () => {
    const attack = '<img src=x onerror="window.attacked = true"><script>window.attacked = true</script>';
    await server.apply({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'notes.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Cluster',
        names: { kind: 'Note', plural: 'notes', singular: 'note' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', properties: { text: { type: 'string' } } } },
            additionalPrinterColumns: [{ name: attack, type: 'string', jsonPath: '.text', description: attack }],
          },
        ],
      },
    });
    const annotations = { [`example.com/a`]: attack };
    const note = {
      apiVersion: 'example.com/v1',
      kind: 'Note',
      metadata: { name: 'attack', annotations },
      text: attack,
    };
    await server.apply(note);
    await using opened = await openSignedIn(browser, server);
    const { page } = opened;
    await page.goto(`${server.url}/ui/list/example.com/v1/notes`);
    await page.getByRole('gridcell', { name: attack }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/notes/-/attack');
    await page.getByText(attack).first().waitFor();
    await page.goto(`${server.url}/ui/object/core/v1/configmaps/default/${encodeURIComponent(attack)}`);
    await page.getByText(attack).first().waitFor();
    expect(await page.evaluate('window.attacked')).toBeUndefined();
    expectNoProblems(opened);
  });

  test('a user without rights sees the reason', async () => {
    const token = await server.fetch('/api/v1/namespaces/default/serviceaccounts/default/token', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }),
    });
    const { status } = (await token.json()) as { status: { token: string } };
    await using opened = await openSignedIn(browser, server);
    const { page } = opened;
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Token of a user').fill(status.token);
    await page.keyboard.press('Enter');
    await page.locator('.counts').first().waitFor();
    await page.keyboard.press(':');
    await page.keyboard.type('secrets');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'cannot list resource "secrets"' }).waitFor();
    await page.getByTitle('You may not delete secrets here.').waitFor();
  });
});
