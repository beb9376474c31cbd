// Objects in the console: the editor, changes and conflicts, actions, and what belongs to an object.

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodedRequest } from '../../src/testing/certificate-requests.ts';
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

interface Managed {
  readonly spec: { readonly replicas: number; readonly template: object };
  readonly data?: Record<string, string>;
  readonly metadata: {
    readonly labels?: Record<string, string>;
    readonly managedFields: readonly { readonly manager: string; readonly operation: string }[];
  };
}

const deployments = '/apis/apps/v1/namespaces/default/deployments';
const configMaps = '/api/v1/namespaces/default/configmaps';

describeInBrowser('objects in the console', () => {
  let browser: Browser;
  let server: TestServer;
  beforeAll(async () => {
    [browser, server] = await Promise.all([openBrowser(), startTestServer({ enableUi: true, settle: true })]);
    await apply(deployments, 'web', 'team-a', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', labels: { app: 'web' } },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ name: 'main', image: 'registry.example/web:1', ports: [{ containerPort: 80 }] }] },
        },
      },
    });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  async function apply(path: string, name: string, manager: string, object: object): Promise<void> {
    const answer = await server.fetch(`${path}/${name}?fieldManager=${manager}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: JSON.stringify(object),
    });
    if (!answer.ok) throw new Error(await answer.text());
  }

  const read = async (path: string) => (await (await server.fetch(path)).json()) as Managed;

  async function openObject(page: Page, path: string): Promise<void> {
    await page.goto(`${server.url}/ui/object/${path}`);
    await page.locator('.cm-line', { hasText: 'apiVersion' }).first().waitFor();
  }

  /** Replaces a part of the text in the editor. Text over a selection would make Chromium try the styles of what was there. */
  async function edit(page: Page, change: (text: string) => string): Promise<void> {
    const lines = await page.locator('.cm-content .cm-line').allInnerTexts();
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await page.keyboard.insertText(change(lines.map((line) => line.replace(/\n$/, '')).join('\n')));
  }

  const review = (page: Page) => page.getByRole('button', { name: 'Review and save' }).click();
  const dialog = (page: Page) => page.getByRole('dialog');

  test('the editor shows the owner of each field, and what is wrong at its line', async () => {
    await using opened = await openSignedIn(browser, server);
    const { page } = opened;
    await openObject(page, 'apps/v1/deployments/default/web');
    await page.locator('.owner', { hasText: 'team-a' }).first().waitFor();
    await picture(page, 'console-object');
    expect(await accessibilityProblems(page)).toEqual([]);
    await edit(page, (text) => text.replace('replicas: 2', 'replicas: many\n  replica: 3'));
    await page.locator('.cm-lint-marker-error').first().waitFor();
    await page.locator('.cm-line', { hasText: 'replicas: many' }).locator('.cm-lintRange-error').waitFor();
    await page.locator('.cm-line', { hasText: 'replica: 3' }).locator('.cm-lintRange-error').waitFor();
    await review(page);
    await page.getByRole('alert').filter({ hasText: 'replica' }).first().waitFor();
    expect((await read(`${deployments}/web`)).spec.replicas).toBe(2);
    expectNoProblems(opened);
  });

  test('fields are completed from the schema', async () => {
    await using opened = await openSignedIn(browser, server);
    const { page } = opened;
    await openObject(page, 'apps/v1/deployments/default/web');
    await page.locator('.cm-line', { hasText: 'replicas: 2' }).click();
    await page.keyboard.press('Home');
    await page.keyboard.type('minRead');
    await page.locator('.cm-tooltip-autocomplete', { hasText: 'minReadySeconds' }).waitFor();
    expectNoProblems(opened);
  });

  test('a change is checked, shown as a difference, and applied without touching other fields', async () => {
    await apply(configMaps, 'plain', 'team-a', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'plain' },
      data: { kept: 'a', removed: 'b' },
    });
    await using opened = await openSignedIn(browser, server);
    const { page } = opened;
    await openObject(page, 'core/v1/configmaps/default/plain');
    await edit(page, (text) => text.replace('  removed: b', '  added: c'));
    await review(page);
    await dialog(page).locator('.added', { hasText: 'added: c' }).waitFor();
    await dialog(page).locator('.removed', { hasText: 'removed: b' }).waitFor();
    await picture(page, 'console-difference');
    expect(await accessibilityProblems(page)).toEqual([]);
    expect((await read(`${configMaps}/plain`)).data).toEqual({ kept: 'a', removed: 'b' });
    await dialog(page).getByRole('button', { name: 'Apply' }).click();
    await page.locator('.owner', { hasText: 'keelson-console' }).waitFor();
    const { data, metadata } = await read(`${configMaps}/plain`);
    expect(data).toEqual({ kept: 'a', added: 'c' });
    const own = metadata.managedFields.find(
      ({ manager, operation }) => manager === 'keelson-console' && operation === 'Apply',
    );
    expect(own).toMatchObject({ fieldsV1: { 'f:data': { 'f:added': {} } } });
    // a second change keeps what the first one applied
    await edit(page, (text) => text.replace('  added: c', '  added: c\n  more: d'));
    await review(page);
    await dialog(page).getByRole('button', { name: 'Apply' }).click();
    await page.locator('.cm-line', { hasText: 'more: d' }).waitFor();
    await dialog(page).waitFor({ state: 'detached' });
    expect((await read(`${configMaps}/plain`)).data).toEqual({ kept: 'a', added: 'c', more: 'd' });
    expectNoProblems(opened);
  });

  test('a conflict names the field and its manager, and is decided field by field', async () => {
    await apply(configMaps, 'shared', 'team-a', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'shared' },
      data: { first: '1', second: '2' },
    });
    await using opened = await openSignedIn(browser, server);
    const { page } = opened;
    await openObject(page, 'core/v1/configmaps/default/shared');
    await edit(page, (text) => text.replace('first: "1"', 'first: "one"').replace('second: "2"', 'second: "two"'));
    await review(page);
    await dialog(page).getByText('.data.second').first().waitFor();
    await dialog(page).getByText('conflict with "team-a"').first().waitFor();
    await picture(page, 'console-conflict');
    await dialog(page).getByLabel('Take over .data.first').check();
    await dialog(page).locator('.added', { hasText: 'first: one' }).waitFor();
    await dialog(page).getByRole('button', { name: 'Apply' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    await page.locator('.owner', { hasText: 'keelson-console' }).waitFor();
    expect((await read(`${configMaps}/shared`)).data).toEqual({ first: 'one', second: '2' });
    expectNoProblems(opened);
  });

  test('actions scale deployments, cordon nodes and evict pods', async () => {
    await server.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1' } });
    await using opened = await openSignedIn(browser, server);
    const { page } = opened;
    await openObject(page, 'apps/v1/deployments/default/web');
    await page.getByLabel('Replicas').fill('5');
    await page.getByRole('button', { name: 'Scale' }).click();
    await page.locator('.cm-line', { hasText: 'replicas: 5' }).waitFor();
    await openObject(page, 'core/v1/nodes/-/node-1');
    await page.getByRole('button', { name: 'Cordon' }).click();
    await page.getByRole('button', { name: 'Uncordon' }).waitFor();
    await page.locator('.cm-line', { hasText: 'unschedulable: true' }).waitFor();
    const containers = [{ name: 'main', image: 'registry.example/web:1' }];
    await server.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'old', namespace: 'default' },
      spec: { containers },
    });
    await openObject(page, 'core/v1/pods/default/old');
    await page.getByRole('button', { name: 'Evict' }).click();
    await page.getByRole('alert').filter({ hasText: 'pods "old" not found' }).waitFor();
    expectNoProblems(opened);
  });

  test('owners, dependents and events are shown', async () => {
    const { metadata } = (await read(`${deployments}/web`)) as unknown as { metadata: { uid: string } };
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: metadata.uid, controller: true };
    await server.apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'owned', namespace: 'default', ownerReferences: [owner] },
    });
    await server.apply({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'web.1', namespace: 'default' },
      involvedObject: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        name: 'web',
        namespace: 'default',
        uid: metadata.uid,
      },
      type: 'Warning',
      reason: 'TooSmall',
      message: 'The deployment is too small.',
    });
    await using opened = await openSignedIn(browser, server);
    const { page } = opened;
    await openObject(page, 'apps/v1/deployments/default/web');
    await page.getByRole('tab', { name: 'Events' }).click();
    await page.getByText('The deployment is too small.').waitFor();
    await page.getByRole('tab', { name: 'Relatives' }).click();
    await page.getByRole('button', { name: 'Look in all kinds' }).click();
    await page.getByRole('link', { name: 'ConfigMap owned' }).click();
    await page.waitForURL('**/configmaps/default/owned');
    await page.getByRole('tab', { name: 'Relatives' }).click();
    await page.getByRole('link', { name: 'Deployment web' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expectNoProblems(opened);
  });

  test('certificate requests are approved and denied by buttons, once', async () => {
    const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
    for (const name of ['good', 'bad'])
      await post(server, requests, {
        ...{ apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest', metadata: { name } },
        spec: {
          request: encodedRequest({ commonName: 'jane' }),
          ...{ signerName: 'example.com/console', usages: ['client auth'] },
        },
      });
    await using opened = await openSignedIn(browser, server);
    const { page } = opened;
    const conditionsOf = async (name: string) => {
      const { status } = (await (await server.fetch(`${requests}/${name}`)).json()) as {
        status?: { conditions?: readonly { type: string }[] };
      };
      return status?.conditions?.map(({ type }) => type) ?? [];
    };
    for (const [name, button, condition] of [
      ['good', 'Approve', 'Approved'],
      ['bad', 'Deny', 'Denied'],
    ] as const) {
      await page.goto(`${server.url}/ui/object/certificates.k8s.io/v1/certificatesigningrequests/-/${name}`);
      await page.getByRole('button', { name: button }).click();
      await expect.poll(() => conditionsOf(name)).toEqual([condition]);
    }
    // a decision is final, and the server's words are shown
    await page.getByRole('button', { name: 'Approve' }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: 'may not be' })
      .or(page.getByRole('alert').filter({ hasText: 'Denied' }))
      .first()
      .waitFor();
    expect(await conditionsOf('bad')).toEqual(['Denied']);
    expectNoProblems(opened);
  });

  test('a user who may only read sees why buttons do nothing', async () => {
    await server.apply(
      [
        'apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: viewer, namespace: default}',
        'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: viewer}',
        'roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}',
        'subjects: [{kind: ServiceAccount, name: viewer, namespace: default}]',
      ]
        .join('\n')
        .replace('\napiVersion: rbac', '\n---\napiVersion: rbac'),
    );
    const issued = await server.fetch('/api/v1/namespaces/default/serviceaccounts/viewer/token', {
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
    await page.locator('.counts').first().waitFor();
    await page.keyboard.press(':');
    await page.keyboard.type('deploy');
    await page.keyboard.press('Enter');
    await page.locator('.rows .row', { hasText: 'web' }).click();
    await page.getByTitle('You may not patch deployments/scale here.').waitFor();
    await page.getByTitle('You may not delete deployments here.').waitFor();
    await page.getByTitle('You may not patch deployments here.').waitFor();
    expect(await page.getByRole('button', { name: 'Scale' }).isDisabled()).toBe(true);
  });
});
