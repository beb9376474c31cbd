// The requests of the server in the console.

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

describeInBrowser('requests in the console', () => {
  let browser: Browser;
  let server: TestServer;
  beforeAll(async () => {
    [browser, server] = await Promise.all([openBrowser(), startTestServer({ enableUi: true, settle: true })]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  test('a request is shown as it comes, with its verdicts and without the body of a Secret', async () => {
    await using opened = await openSignedIn(browser, server);
    const { page } = opened;
    await page.locator('.counts a').first().waitFor();
    const stream = page.waitForResponse('**/debug/keelson/requests?watch=1');
    await page.getByRole('link', { name: 'Requests' }).click();
    await stream;
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'hidden' },
      stringData: { key: 'do-not-show' },
    };
    await post(server, '/api/v1/namespaces/default/secrets', secret);
    await page.getByLabel('Search in the requests').fill('create secrets');
    await page.getByRole('button', { name: '/api/v1/namespaces/default/secrets' }).click();
    await page.getByRole('heading', { name: 'Authorized by' }).waitFor();
    await page.getByRole('heading', { name: 'Store' }).waitFor();
    await picture(page, 'console-requests');
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await page.content()).not.toContain('do-not-show');
    expectNoProblems(opened);
  });
});
