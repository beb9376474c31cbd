// Earlier states of objects and lists, in the console.

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
const configMap = (name: string, data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });

describeInBrowser('history in the console', () => {
  let browser: Browser;
  let server: TestServer;
  beforeAll(async () => {
    [browser, server] = await Promise.all([openBrowser(), startTestServer({ enableUi: true, settle: true })]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  const patch = (path: string, body: object) =>
    server.fetch(`${path}?fieldManager=shopper`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify(body),
    });

  test('an object is set to an earlier state, after a dry run', async () => {
    await post(server, maps, configMap('prices', { apple: '10', pear: '20' }));
    await patch(`${maps}/prices`, { data: { apple: '99', plum: '30', pear: null } });
    await using opened = await openSignedIn(browser, server);
    const { page } = opened;
    await page.goto(`${server.url}/ui/object/core/v1/configmaps/default/prices`);
    await page.getByRole('tab', { name: 'History' }).click();
    const rows = page.getByRole('region', { name: 'Writes' }).locator('tbody tr');
    await rows.filter({ hasText: 'shopper' }).getByRole('button').click();
    await page.getByRole('region', { name: 'Difference' }).getByText('+ apple: "99"').waitFor();
    await picture(page, 'console-history');
    expect(await accessibilityProblems(page)).toEqual([]);
    await rows.filter({ hasText: 'create' }).getByRole('button').click();
    await page.getByRole('button', { name: 'Go back to this state' }).click();
    const dialog = page.getByRole('dialog', { name: 'What the server will change' });
    await dialog.getByText('Take over .data.apple').click();
    await dialog.getByText('+ apple: "10"').or(dialog.getByText('+   apple: "10"')).waitFor();
    expect(((await (await server.fetch(`${maps}/prices`)).json()) as { data: object }).data).toMatchObject({
      apple: '99',
    });
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { data } = (await (await server.fetch(`${maps}/prices`)).json()) as { data: object };
    expect(data).toEqual({ apple: '10', pear: '20' });
    await rows.filter({ hasText: 'keelson-console' }).first().waitFor();
    expectNoProblems(opened);
  });

  test('a whole list is shown as it was, and nothing in it can be deleted', async () => {
    await post(server, maps, configMap('ghost', { seen: 'yes' }));
    await server.fetch(`${maps}/ghost`, { method: 'DELETE' });
    await using opened = await openSignedIn(browser, server);
    const { page } = opened;
    await page.goto(`${server.url}/ui/list/core/v1/configmaps?namespace=default`);
    await page.getByText('live').waitFor();
    expect(await page.locator('.rows .row', { hasText: 'ghost' }).count()).toBe(0);
    await page.getByRole('link', { name: 'History' }).click();
    const row = page.locator('tbody tr', { hasText: 'ghost' }).filter({ hasText: 'create' });
    await row.waitFor();
    await picture(page, 'console-list-history');
    expect(await accessibilityProblems(page)).toEqual([]);
    await row.getByRole('link', { name: 'The list at revision' }).click();
    await page.locator('.rows .row', { hasText: 'ghost' }).waitFor();
    await page.getByText('as it was').waitFor();
    await page.keyboard.press('d');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('link', { name: 'Now' }).click();
    await page.getByText('live').waitFor();
    // a deleted object still has a history
    await page.goto(`${server.url}/ui/object/core/v1/configmaps/default/ghost`);
    await page.getByRole('cell', { name: 'delete' }).waitFor();
    expectNoProblems(opened);
  });

  test('values of Secrets are neither in the history nor in the editor, and survive an edit', async () => {
    const secrets = '/api/v1/namespaces/default/secrets';
    const values = { password: 'do-not-show', other: 'as-it-is' };
    await post(server, secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login' }, stringData: values });
    await patch(`${secrets}/login`, { stringData: { password: 'not-shown-either' } });
    await using opened = await openSignedIn(browser, server);
    const { page } = opened;
    await page.goto(`${server.url}/ui/object/core/v1/secrets/default/login`);
    const editor = page.getByRole('textbox', { name: 'Secret as YAML' });
    await editor.getByText('password: (hidden)').waitFor();
    const texts = [await page.locator('.cm-content').textContent()];
    await editor.getByText('password: (hidden)').click();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.keyboard.type('added: bmV3');
    await page.getByRole('button', { name: 'Review and save' }).click();
    const dialog = page.getByRole('dialog', { name: 'What the server will change' });
    await dialog.getByText('added: (hidden, changed)').waitFor();
    texts.push(await page.content());
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { data } = (await (await server.fetch(`${secrets}/login`)).json()) as { data: Record<string, string> };
    const plain = Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]);
    expect(Object.fromEntries(plain)).toEqual({ password: 'not-shown-either', other: 'as-it-is', added: 'new' });
    await page.getByRole('tab', { name: 'History' }).click();
    await page.locator('tbody tr', { hasText: 'data.password' }).getByRole('button').click();
    await page.getByText('Values are not shown.').waitFor();
    texts.push(await page.content());
    for (const value of ['do-not-show', 'not-shown-either', 'as-it-is']) {
      expect(texts.join()).not.toContain(value);
      expect(texts.join()).not.toContain(Buffer.from(value).toString('base64'));
    }
    expectNoProblems(opened);
  });
});
