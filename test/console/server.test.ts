// The page about the server itself.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
} from './browser.ts';

const folder = mkdtempSync(join(tmpdir(), 'keelson-console-'));

describeInBrowser('the server in the console', () => {
  let browser: Browser;
  let server: TestServer;
  beforeAll(async () => {
    const options = { enableUi: true, settle: true, store: 'embedded', dataDir: join(folder, 'data') } as const;
    [browser, server] = await Promise.all([openBrowser(), startTestServer(options)]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('watches, priority levels and the store are shown', async () => {
    const user = { name: 'jane', groups: ['system:masters'] };
    const ends = new AbortController();
    const path = '/api/v1/namespaces/default/pods?watch=1&labelSelector=app%3Dweb';
    const headers = { 'user-agent': 'watcher/1.0' };
    const watch = await server.fetch(path, { user, signal: ends.signal, headers });
    const reader = watch.body?.getReader();
    void reader?.read().catch(() => {});
    await using opened = await openSignedIn(browser, server);
    const { page } = opened;
    await page.getByRole('link', { name: 'Server' }).click();
    await page
      .getByRole('row', { name: 'jane' })
      .filter({ hasText: 'app in web' })
      .or(page.getByRole('row', { name: 'jane' }).filter({ hasText: 'pods' }))
      .first()
      .waitFor();
    await page.getByRole('table', { name: 'Priority levels' }).getByRole('row', { name: 'workload-low' }).waitFor();
    await page.getByText('writes, to revision').waitFor();
    await picture(page, 'console-server');
    expect(await accessibilityProblems(page)).toEqual([]);
    ends.abort();
    expectNoProblems(opened);
  });

  test('a user without rights sees the reason', async () => {
    const issued = await server.fetch('/api/v1/namespaces/default/serviceaccounts/default/token', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }),
    });
    const { status } = (await issued.json()) as { status: { token: string } };
    await using opened = await openSignedIn(browser, server);
    const { page } = opened;
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Token of a user').fill(status.token);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Server' }).click();
    await page.getByRole('alert').filter({ hasText: 'cannot get path' }).waitFor();
    await page.getByRole('link', { name: 'Policies' }).click();
    await page.getByRole('button', { name: 'Try' }).click();
    await page.getByRole('alert').filter({ hasText: 'cannot create resource "validatingadmissionpolicies"' }).waitFor();
  });
});
