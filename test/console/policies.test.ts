// Policies that are tried in the console.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../src/testing/index.ts';
import {
  accessibilityProblems,
  describeInBrowser,
  expectNoProblems,
  openBrowser,
  openSignedIn,
  picture,
  post,
} from './browser.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string, data: object) => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap' },
  metadata: { name, namespace: 'default' },
  data,
});

describeInBrowser('policies in the console', () => {
  let browser: Browser;
  let server: TestServer;
  beforeAll(async () => {
    [browser, server] = await Promise.all([openBrowser(), startTestServer({ enableUi: true, settle: true })]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  test('a policy is tried on the last writes, with its message and cost', async () => {
    await post(server, maps, configMap('good', { color: 'red' }));
    await post(server, maps, configMap('empty', {}));
    await using opened = await openSignedIn(browser, server);
    const { page } = opened;
    await page.getByRole('link', { name: 'Policies' }).click();
    await page.getByLabel('Namespace').fill('default');
    await page.keyboard.press('Enter');
    await page
      .getByRole('row', { name: 'refused CREATE default/empty' })
      .getByText('A ConfigMap needs data.')
      .waitFor();
    await page.getByRole('row', { name: 'allowed CREATE default/good' }).waitFor();
    await picture(page, 'console-policies');
    expect(await accessibilityProblems(page)).toEqual([]);
    expectNoProblems(opened);
  });

  test('a bare expression is tried on an object, and a mistake in it is explained', async () => {
    await using opened = await openSignedIn(browser, server);
    const { page } = opened;
    await page.goto(`${server.url}/ui/policies`);
    await page.getByLabel('ValidatingAdmissionPolicy as YAML').fill("object.data.color == 'blue'");
    await page.getByLabel('An object', { exact: true }).check();
    const attack = '<img src=x onerror="window.attacked = true">';
    await page.getByLabel('Object as YAML').fill(JSON.stringify(configMap('tried', { color: attack })));
    await page.getByRole('button', { name: 'Try' }).click();
    await page.getByText('1 of 1 would be refused').waitFor();
    await page.getByText("failed expression: object.data.color == 'blue'").waitFor();
    await page.getByLabel('ValidatingAdmissionPolicy as YAML').fill('object.data.(');
    await page.getByRole('button', { name: 'Try' }).click();
    await page.getByRole('alert').filter({ hasText: 'Syntax error' }).waitFor();
    expect(await page.evaluate('window.attacked')).toBeUndefined();
    expectNoProblems(opened);
  });

  test('a request of the ring leads to a trial of a policy on it', async () => {
    await using opened = await openSignedIn(browser, server);
    const { page } = opened;
    const stream = page.waitForResponse('**/debug/keelson/requests?watch=1');
    await page.getByRole('link', { name: 'Requests' }).click();
    await stream;
    await post(server, maps, configMap('recorded', { color: 'green' }));
    await page.getByLabel('Search in the requests').fill('create configmaps');
    await page.getByRole('button', { name: maps }).first().click();
    await page.getByRole('link', { name: 'Try a policy on it' }).click();
    await page.getByRole('button', { name: 'Try' }).click();
    await page.getByRole('row', { name: 'allowed CREATE default/recorded' }).waitFor();
    expectNoProblems(opened);
  });
});
