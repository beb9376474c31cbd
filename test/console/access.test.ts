// Questions about rights in the console.

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

const rbac = 'apiVersion: rbac.authorization.k8s.io/v1';
const reader = `${rbac}
kind: Role
metadata: {name: pod-reader, namespace: default}
rules: [{apiGroups: [''], resources: [pods, pods/log], verbs: [get, list, watch]}]`;
const readers = `${rbac}
kind: RoleBinding
metadata: {name: readers, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: pod-reader}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: jane}]`;

describeInBrowser('access in the console', () => {
  let browser: Browser;
  let server: TestServer;
  beforeAll(async () => {
    [browser, server] = await Promise.all([openBrowser(), startTestServer({ enableUi: true, settle: true })]);
    for (const manifest of [reader, readers]) await server.apply(manifest);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  test('a user is refused, and the page shows the rule that almost allows it, by keys only', async () => {
    await using opened = await openSignedIn(browser, server);
    const { page } = opened;
    const { keyboard } = page;
    await page.goto(`${server.url}/ui/access`);
    await page.getByLabel('User').focus();
    await keyboard.type('jane');
    for (const text of ['', 'delete', 'pods', '', 'default']) {
      await keyboard.press('Tab');
      await keyboard.type(text);
    }
    await keyboard.press('Enter');
    await page.getByText('jane may not delete pods in namespace default').waitFor();
    await page.getByRole('row', { name: 'verb readers pod-reader' }).waitFor();
    await picture(page, 'console-access');
    expect(await accessibilityProblems(page)).toEqual([]);
    // the address is a link to the answer
    await page.reload();
    await page.getByText('jane may not delete pods in namespace default').waitFor();
    await page.getByLabel('Verb').fill('list');
    await page.getByRole('button', { name: 'May this user?' }).click();
    await page.getByRole('table', { name: 'The rule that allows it' }).getByRole('link', { name: 'readers' }).click();
    await page.waitForURL('**/ui/object/rbac.authorization.k8s.io/v1/rolebindings/default/readers');
    expectNoProblems(opened);
  });

  test('who may, and all rules of a user', async () => {
    await using opened = await openSignedIn(browser, server);
    const { page } = opened;
    await page.goto(`${server.url}/ui/access?verb=watch&resource=pods&namespace=default&page=who`);
    await page.getByRole('row', { name: 'User jane default readers' }).waitFor();
    await picture(page, 'console-who');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByLabel('User').fill('jane');
    await page.getByRole('button', { name: 'All rules of this user' }).click();
    await page.getByRole('row', { name: 'pods, pods/log of core get, list, watch readers → pod-reader' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expectNoProblems(opened);
  });

  test('a user without rights asks about itself, and sees why others are out of reach', async () => {
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
    await page.getByRole('link', { name: 'Access' }).click();
    await page.getByLabel('Verb').fill('get');
    await page.getByLabel('Resource or path').fill('secrets');
    await page.getByRole('button', { name: 'May this user?' }).click();
    await page.getByText('system:serviceaccount:default:default may not get secrets').waitFor();
    await page.getByText('Roles and bindings are not shown').waitFor();
    await page.getByRole('button', { name: 'Who may?' }).click();
    await page.getByRole('alert').filter({ hasText: 'cannot create resource "subjectaccessreviews"' }).waitFor();
    expectNoProblems(opened);
  });
});
