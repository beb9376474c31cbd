// Identity and rights as kubectl's user meets them.

import { afterAll, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { connect, loadKubeconfig } from '../../src/index.ts';
import { OidcIssuer } from '../oidc-issuer.ts';
import { cells, printed, refused } from './outcomes.ts';
import { describeWith, kubectl } from './peers.ts';
import { TempFolder } from './temp-folder.ts';
import { workbench } from './workbench.ts';

/** Hands out the token it finds, to those who tell it which cluster it is for. */
const plugin = `const { apiVersion, spec } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
const { server, 'certificate-authority-data': authority } = spec.cluster;
if (!server.startsWith('https://127.0.0.1:') || !authority || spec.interactive) process.exit(1);
console.log(JSON.stringify({ kind: 'ExecCredential', apiVersion, status: { token: process.env.TOKEN } }));
`;

describeWith(kubectl, 'kubectl auth', () => {
  const bench = workbench(kubectl);

  test('whoami names the administrator, and the user they act as', async () => {
    const { run } = await bench.namespace();
    const own = cells(await run`auth whoami`);
    expect(own).toContainEqual(['Username', 'keelson-admin']);
    expect(own).toContainEqual(['Groups', '[system:masters system:authenticated]']);
    const other = cells(await run`auth whoami --as ann --as-group devs`);
    expect(other).toContainEqual(['Username', 'ann']);
    expect(other).toContainEqual(['Groups', '[devs system:authenticated]']);
  });

  test('can-i follows roles and bindings', async () => {
    const { run, namespace } = await bench.namespace();
    expect(await run`auth can-i delete pods`).toEqual(printed('yes'));
    expect(await run`auth can-i list configmaps --as ann`).toMatchObject({ code: 1, stdout: 'no\n' });
    await run`create role reader --verb=get,list --resource=configmaps`;
    await run`create rolebinding reader --role=reader --user=ann`;
    expect(await run`auth can-i list configmaps --as ann`).toEqual(printed('yes'));
    expect(await run`auth can-i list configmaps --as ann -n default`).toMatchObject({ code: 1, stdout: 'no\n' });
    const rules = cells(await run`auth can-i --list --as ann`);
    expect(rules[0]).toEqual(['Resources', 'Non-Resource URLs', 'Resource Names', 'Verbs']);
    expect(rules).toContainEqual(['configmaps', '[]', '[]', '[get list]']);
    expect((await run`get configmaps --as ann`).code).toBe(0);
    expect(await run`get secrets --as ann`).toEqual(
      refused(
        `Error from server (Forbidden): secrets is forbidden: User "ann" cannot list resource "secrets" in API group "" in the namespace "${namespace}"`,
      ),
    );
  });

  test('tables of bindings say which subjects they are for', async () => {
    const { run } = await bench.namespace();
    await run`create rolebinding viewers --clusterrole=view --user=ann --group=devs`;
    expect(cells(await run`get rolebindings -o wide`)).toEqual([
      ['NAME', 'ROLE', 'AGE', 'USERS', 'GROUPS', 'SERVICEACCOUNTS'],
      ['viewers', 'ClusterRole/view', '<age>', 'ann', 'devs', ''],
    ]);
    expect(cells(await run`get clusterrole view`)[0]).toEqual(['NAME', 'CREATED AT']);
  });

  test('a created token opens the door for its account', async () => {
    const { run, namespace } = await bench.namespace();
    await run`create serviceaccount robot`;
    const { code, stdout: token } = await run`create token robot --duration=1h`;
    expect([code, token.split('.').length]).toEqual([0, 3]);
    const review = await run`auth whoami --token ${token.trim()} -o jsonpath={.status.userInfo.username}`;
    // the administrator's certificate in the kubeconfig comes first
    expect(review.stdout).toBe('keelson-admin');
    const answer = await bench.server.fetch('/apis/authentication.k8s.io/v1/tokenreviews', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ spec: { token: token.trim() } }),
    });
    expect(await answer.json()).toMatchObject({
      status: { authenticated: true, user: { username: `system:serviceaccount:${namespace}:robot` } },
    });
  });

  test('a credential plugin serves kubectl and our own client', async () => {
    const { run, namespace } = await bench.namespace();
    using folder = new TempFolder();
    await run`create serviceaccount robot`;
    const { stdout: token } = await run`create token robot`;
    const script = folder.write('login.cjs', plugin);
    await run`config set-credentials robot --exec-command=${process.execPath} --exec-arg=${script} --exec-env=TOKEN=${token.trim()} --exec-api-version=client.authentication.k8s.io/v1 --exec-interactive-mode=Never --exec-provide-cluster-info=true`;
    await run`config set-context robot --cluster=keelson --user=robot`;
    const name = `system:serviceaccount:${namespace}:robot`;
    const review = await run`--context robot auth whoami -o jsonpath={.status.userInfo.username}`;
    expect(review).toEqual({ code: 0, stdout: name, stderr: '' });
    const { stdout: text } = await run`config view --raw -o json`;
    using cluster = connect(await loadKubeconfig({ text }), { context: 'robot' });
    const own = await cluster.client.create('/apis/authentication.k8s.io/v1/selfsubjectreviews', {});
    expect(own).toMatchObject({ status: { userInfo: { username: name } } });
    const { stdout: json } = await run`--context robot auth whoami -o json`;
    expect(JSON.parse(json)).toMatchObject({ status: (own as unknown as { status: object }).status });
  });

  test('reconcile and escalation', async () => {
    const { run } = await bench.namespace();
    await run`create role lead --verb=create --resource=roles.rbac.authorization.k8s.io`;
    await run`create rolebinding lead --role=lead --user=lea`;
    const { code, stderr } = await run`create role more --verb=get --resource=secrets --as lea`;
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(
        'is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}',
      ),
    ]);
  });
});

describeWith(kubectl, 'kubectl with a token of an issuer', () => {
  let issuer: OidcIssuer;
  const bench = workbench(kubectl, async (folder) => {
    issuer = await OidcIssuer.start();
    const oidcCaFile = folder.write('issuer.crt', issuer.ca);
    return { oidcIssuerUrl: issuer.url, oidcClientId: 'keelson', oidcCaFile, oidcGroupsClaim: 'groups' };
  });
  afterAll(() => issuer.close());

  /** A kubeconfig that brings nothing but the token. */
  function withToken(token: string): string {
    const config = parse(bench.server.kubeconfig) as { users: { name: string }[] };
    return JSON.stringify({ ...config, users: config.users.map(({ name }) => ({ name, user: { token } })) });
  }

  test('is its user, with the rights of its groups', async () => {
    const { run, write, namespace } = await bench.namespace();
    await run`create rolebinding devs --clusterrole=view --group=devs`;
    write('kubeconfig', withToken(issuer.token({ groups: ['devs'] })));
    await vi.waitFor(
      async () => expect(cells(await run`auth whoami`)).toContainEqual(['Groups', '[devs system:authenticated]']),
      {
        timeout: 60_000,
      },
    );
    expect(cells(await run`auth whoami`)).toContainEqual(['Username', `${issuer.url}#ann`]);
    expect(await run`auth can-i list pods -n ${namespace}`).toEqual(printed('yes'));
    expect(await run`auth can-i list nodes`).toMatchObject({ code: 1 });
  });

  test('is unknown when the token has expired', async () => {
    const { run, write } = await bench.namespace();
    write('kubeconfig', withToken(issuer.token({ exp: 1 })));
    expect(await run`auth whoami`).toEqual(refused('error: You must be logged in to the server (Unauthorized)'));
  });
});
