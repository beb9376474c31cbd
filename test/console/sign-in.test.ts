// Signing in to the console with a browser, and attacks on that.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../src/testing/index.ts';
import { credentialsOf } from '../integration/credentials.ts';
import {
  accessibilityProblems,
  describeInBrowser,
  expectNoProblems,
  openBrowser,
  openPage,
  openSignedIn,
  picture,
} from './browser.ts';

describeInBrowser('sign-in to the console', () => {
  let browser: Browser;
  let server: TestServer;
  beforeAll(async () => {
    [browser, server] = await Promise.all([openBrowser(), startTestServer({ enableUi: true })]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  test('a link signs in once, and leaves no trace in the address', async () => {
    const link = server.signInLink() ?? '';
    await using first = await openPage(browser);
    await first.page.goto(link);
    await first.page.getByText('keelson-admin').waitFor();
    expect(first.page.url()).toBe(`${server.url}/ui/`);
    expectNoProblems(first);
    await using second = await openPage(browser);
    await second.page.goto(link);
    await second.page
      .getByText('The link does not work: forbidden: the link was used before or has expired.')
      .waitFor();
    await picture(second.page, 'console-sign-in');
    expect(await accessibilityProblems(second.page)).toEqual([]);
  });

  test('a session survives a reload and further tabs, and ends when the user signs out', async () => {
    await using opened = await openSignedIn(browser, server);
    const { page, context } = opened;
    await page.reload();
    await page.getByText('keelson-admin').waitFor();
    const tab = await context.newPage();
    await tab.goto(`${server.url}/ui/list/core/v1/namespaces`);
    await tab.getByRole('gridcell', { name: 'kube-system' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out.').waitFor();
    await tab.reload();
    await tab.getByLabel('Token of a user').waitFor();
    expect(await context.cookies()).toEqual([]);
    expectNoProblems(opened);
  });

  test('the cookie of a session is out of reach for scripts, other sites and plain HTTP', async () => {
    await using opened = await openSignedIn(browser, server);
    const [cookie] = await opened.context.cookies();
    expect(cookie).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Strict', path: '/' });
    expect(cookie?.name).toMatch(/^__Host-keelson-/);
    expect(await opened.page.evaluate('document.cookie')).toBe('');
  });

  test('a page of another origin can neither read nor write with the session of a browser', async () => {
    await using opened = await openSignedIn(browser, server);
    // another port of the same host is the same site: the browser sends the cookie
    await using other = await startTestServer({ enableUi: true });
    const tab = await opened.context.newPage();
    await tab.goto(`${other.url}/version`);
    const attempt = (init: object) => {
      const url = JSON.stringify(`${server.url}/api/v1/namespaces`);
      const sent = JSON.stringify({ credentials: 'include', ...init });
      return tab.evaluate(`fetch(${url}, ${sent}).then(({ type }) => type, () => 'refused')`);
    };
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'stolen' } });
    expect(await attempt({ headers: { 'x-keelson-page': 'x' } })).toBe('refused');
    // this one arrives with the cookie, and the page cannot see that it was refused
    expect(await attempt({ method: 'POST', mode: 'no-cors', body })).toBe('opaque');
    expect(server.journal.requests({ resource: 'namespaces', verb: 'create' }).at(-1)).toMatchObject({ status: 403 });
    expect((await server.fetch('/api/v1/namespaces/stolen')).status).toBe(404);
  });

  test('a page of another origin cannot frame the console', async () => {
    await using opened = await openSignedIn(browser, server);
    await using other = await startTestServer({ enableUi: true });
    const tab = await opened.context.newPage();
    await tab.goto(`${other.url}/version`);
    const violation = tab.waitForEvent('console', (message) => message.text().includes('frame'));
    const url = JSON.stringify(`${server.url}/ui/`);
    await tab.evaluate(
      `document.body.append(Object.assign(document.createElement('iframe'), { src: ${url} })); undefined`,
    );
    expect((await violation).text()).toContain('frame-ancestors');
  });

  test('a client certificate of the browser signs in, and nothing is kept in the page', async () => {
    const { cert, key } = credentialsOf(server.asUser('jane', ['system:masters']).kubeconfig);
    const clientCertificates = [{ origin: server.url, cert, key }];
    await using opened = await openPage(browser, { clientCertificates });
    const { page } = opened;
    await page.goto(`${server.url}/ui/`);
    await page.getByText('jane', { exact: true }).waitFor();
    await page.locator('.counts a').first().waitFor();
    expect(await opened.context.cookies()).toEqual([]);
    expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).toBe('{}');
    expectNoProblems(opened);
  });

  test('a token signs in, in the memory of the page only', async () => {
    await server.apply('apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: reader, namespace: default}');
    const issued = await server.fetch('/api/v1/namespaces/default/serviceaccounts/reader/token', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }),
    });
    const { status } = (await issued.json()) as { status: { token: string } };
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.goto(`${server.url}/ui/`);
    await page.getByLabel('Token of a user').fill('not a token');
    await page.keyboard.press('Enter');
    await page.getByText('The server does not accept this token.').waitFor();
    await page.getByLabel('Token of a user').fill(status.token);
    await page.keyboard.press('Enter');
    await page.getByText('system:serviceaccount:default:reader').waitFor();
    expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toContain(status.token);
    expectNoProblems(opened);
  });
});
