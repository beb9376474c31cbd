import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { resourceAccess } from '../../meta/access.ts';
import { kubernetes } from '../../meta/dialect.ts';
import { AuthorizationMetrics } from '../../metrics/authorization-metrics.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { TlsPeer } from '../../testing/tls-peer.ts';
import { Authorizers, type OpenAuthorizer } from './authorizers.ts';

const folder = mkdtempSync(join(tmpdir(), 'keelson-authorizers-'));
afterAll(() => rmSync(folder, { recursive: true }));
const kubeconfig = join(folder, 'kubeconfig');
writeFileSync(
  kubeconfig,
  'clusters: [{name: a, cluster: {server: "https://a.test"}}]\ncontexts: [{name: a, context: {cluster: a}}]\ncurrent-context: a\n',
);

const webhook = {
  timeout: '3s',
  subjectAccessReviewVersion: 'v1',
  failurePolicy: 'NoOpinion',
  connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: kubeconfig },
};
const hook = (changes: object = {}, more: object = {}) => ({
  type: 'Webhook',
  name: 'hook',
  webhook: { ...webhook, ...changes },
  ...more,
});
const rbac = { type: 'RBAC', name: 'rbac' };

const fileOf = (authorizers: readonly object[], version = 'v1') =>
  JSON.stringify({ apiVersion: `apiserver.config.k8s.io/${version}`, kind: 'AuthorizationConfiguration', authorizers });

let files = 0;
function put(text: string): string {
  const file = join(folder, `config-${files++}`);
  writeFileSync(file, text);
  return file;
}

function open(file: string, clock = new FakeClock(), metrics = new AuthorizationMetrics({ apiserver_id_hash: 'h' })) {
  const said: string[] = [];
  const note = (_fields: object, message: string) => said.push(message);
  const config = { authorizers: { from: 'file', file }, policies: undefined } as const;
  const log = { info: note, warn: note, error: note };
  const opened = Authorizers.open({
    ...{ config, metrics, clock, log, dialect: kubernetes },
    userAgent: 'test',
  });
  return { opened, said, metrics };
}

const shown = (all: readonly OpenAuthorizer[]) => all.map(({ type, name }) => `${type} ${name}`);

describe('a configuration file', () => {
  test.each(['v1', 'v1beta1', 'v1alpha1'])('of %s names authorizers in order', async (version) => {
    const file = put(
      fileOf([hook(), rbac, hook({}, { name: 'other' }), { type: 'AlwaysDeny', name: 'alwaysdeny' }], version),
    );
    const authorizers = await open(file).opened;
    expect(shown(authorizers.current)).toEqual(['Webhook hook', 'RBAC rbac', 'Webhook other', 'AlwaysDeny alwaysdeny']);
    authorizers.close();
  });

  const at = 'authorizers[0]';
  test.each<[string, readonly object[], string]>([
    ['none', [], 'authorizers: Required value: at least one authorization mode must be defined'],
    ['no type', [{ name: 'a' }], `${at}.type: Required value`],
    [
      'an unknown type',
      [{ type: 'Magic', name: 'a' }],
      `${at}.type: Unsupported value: "Magic": supported values: "ABAC", "AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook"`,
    ],
    ['a type twice', [rbac, { ...rbac, name: 'again' }], 'authorizers[1].type: Duplicate value: "RBAC"'],
    ['no name', [hook({}, { name: '' })], `${at}.name: Required value`],
    ['a name twice', [hook(), hook()], 'authorizers[1].name: Duplicate value: "hook"'],
    [
      'a bad name',
      [hook({}, { name: 'A b' })],
      `${at}.name: Invalid value: "A b": authorizer name is invalid: a lowercase RFC 1123`,
    ],
    [
      'another name than its type has',
      [{ ...rbac, name: 'roles' }],
      'expected name rbac for authorizer RBAC instead of roles',
    ],
    [
      'a webhook without settings',
      [{ type: 'Webhook', name: 'hook' }],
      `${at}.webhook: Required value: required when type=Webhook`,
    ],
    [
      'settings for others',
      [{ ...rbac, webhook }],
      `${at}.webhook: Invalid value: "non-null": may only be specified when type=Webhook`,
    ],
    ['no timeout', [hook({ timeout: '' })], `${at}.timeout: Required value`],
    ['a long timeout', [hook({ timeout: '31s' })], `${at}.timeout: Invalid value: "31s": must be > 0s and <= 30s`],
    ['a negative timeout', [hook({ timeout: '-1s' })], `${at}.timeout: Invalid value: "-1s": must be > 0s and <= 30s`],
    ['no time at all', [hook({ timeout: 'soon' })], `${at}.timeout: Invalid value: "soon": must be a duration`],
    [
      'a negative lifetime',
      [hook({ authorizedTTL: '-1m' })],
      `${at}.authorizedTTL: Invalid value: "-1m0s": must be > 0s`,
    ],
    ['another', [hook({ unauthorizedTTL: '-1s' })], `${at}.unauthorizedTTL: Invalid value: "-1s": must be > 0s`],
    ['no version', [hook({ subjectAccessReviewVersion: '' })], `${at}.subjectAccessReviewVersion: Required value`],
    [
      'a bad version',
      [hook({ subjectAccessReviewVersion: 'v2' })],
      `${at}.subjectAccessReviewVersion: Unsupported value: "v2": supported values: "v1", "v1beta1"`,
    ],
    [
      'conditions without a version',
      [hook({ matchConditions: [{ expression: 'true' }] })],
      `${at}.matchConditionSubjectAccessReviewVersion: Required value: required if match conditions are specified`,
    ],
    [
      'conditions of a bad version',
      [hook({ matchConditionSubjectAccessReviewVersion: 'v1beta1' })],
      `${at}.matchConditionSubjectAccessReviewVersion: Unsupported value: "v1beta1": supported values: "v1"`,
    ],
    ['no policy', [hook({ failurePolicy: '' })], `${at}.failurePolicy: Required value`],
    [
      'a bad policy',
      [hook({ failurePolicy: 'Allow' })],
      `${at}.failurePolicy: Unsupported value: "Allow": supported values: "NoOpinion", "Deny"`,
    ],
    ['no connection', [hook({ connectionInfo: {} })], `${at}.connectionInfo.type: Required value`],
    [
      'a bad connection',
      [hook({ connectionInfo: { type: 'InClusterConfig' } })],
      `${at}.connectionInfo.type: Unsupported value: "InClusterConfig"`,
    ],
    [
      'no file',
      [hook({ connectionInfo: { type: 'KubeConfigFile' } })],
      `${at}.connectionInfo.kubeConfigFile: Required value`,
    ],
    [
      'a relative file',
      [hook({ connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: 'a' } })],
      `${at}.connectionInfo.kubeConfigFile: Invalid value: "a": must be an absolute path`,
    ],
    [
      'a folder',
      [hook({ connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: folder } })],
      'must be a regular file',
    ],
    [
      'a missing file',
      [hook({ connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: join(folder, 'absent') } })],
      'error loading file: ENOENT',
    ],
    [
      'a bad condition',
      [conditional('true', 'request.bad')],
      `${at}.matchConditions[1].expression: Invalid value: "request.bad": compilation failed: ERROR: <input>:1:8: undefined field 'bad'`,
    ],
    ['an empty condition', [conditional(' ')], `${at}.matchConditions[0].expression: Required value`],
    [
      'a condition twice',
      [conditional('true', 'true')],
      `${at}.matchConditions[1].expression: Duplicate value: "true"`,
    ],
    [
      'too many conditions',
      [conditional(...Array.from({ length: 65 }, (_, i) => `${i}`))],
      `${at}.matchConditions: Too many: 65: must have at most 64 items`,
    ],
    ['an unknown field', [{ ...rbac, nam: 'x' }], 'strict decoding error: unknown field "authorizers[0].nam"'],
    ['ABAC without policies', [{ type: 'ABAC', name: 'abac' }], 'the type ABAC needs authorizationPolicyFile as well'],
  ])('with %s is refused', async (_what, authorizers, message) => {
    await expect(open(put(fileOf(authorizers))).opened).rejects.toThrow(message);
  });

  function conditional(...expressions: string[]) {
    return hook({
      matchConditionSubjectAccessReviewVersion: 'v1',
      matchConditions: expressions.map((expression) => ({ expression })),
    });
  }

  test('every validation error is told at once, and the option is named', async () => {
    const { opened } = open(put(fileOf([hook({ timeout: '', failurePolicy: '' })])));
    await expect(opened).rejects.toThrow(
      'authorizationConfig: [authorizers[0].timeout: Required value, authorizers[0].failurePolicy: Required value]',
    );
  });

  test.each([
    [
      'another kind',
      '{"apiVersion":"v1","kind":"Pod"}',
      'no kind "Pod" is known in version "v1", use AuthorizationConfiguration in apiserver.config.k8s.io/v1',
    ],
    ['no YAML', 'a: [', 'error converting YAML to JSON'],
    ['nothing', '', 'the file is empty'],
    ['a list', '[]', 'the file holds no AuthorizationConfiguration'],
  ])('that is %s is refused', async (_what, text, message) => {
    await expect(open(put(text)).opened).rejects.toThrow(message);
  });
});

describe('a webhook of the file', () => {
  test('is asked when its conditions hold, within its own time', async () => {
    await using peer = await TlsPeer.open(() => ({ status: { allowed: true } }));
    const path = put(peer.kubeconfig({ path: '/authorize', user: { token: 'mine' } }));
    const connectionInfo = { type: 'KubeConfigFile', kubeConfigFile: path };
    const conditions = (expression: string) => ({
      connectionInfo,
      matchConditionSubjectAccessReviewVersion: 'v1',
      matchConditions: [{ expression }],
    });
    const file = put(
      fileOf([
        hook(conditions("request.user == 'bob'"), { name: 'never' }),
        hook(conditions("request.resourceAttributes.resource == 'pods'")),
      ]),
    );
    const { opened, metrics } = open(file);
    const authorizers = await opened;
    const question = resourceAccess({ user: { name: 'ann', groups: [] }, verb: 'get', resource: 'pods' });
    const said = [];
    for (const { webhook: one } of authorizers.current) said.push(await one?.module.authorize(question));
    expect(said).toEqual([{ kind: 'noOpinion' }, { kind: 'allow' }]);
    expect(peer.requests).toMatchObject([{ path: '/authorize?timeout=3s', headers: { authorization: 'Bearer mine' } }]);
    expect(await shownMetrics(metrics)).toMatchObject({
      apiserver_authorization_webhook_evaluations_total: [{ labels: { name: 'hook', result: 'success' }, value: 1 }],
      apiserver_authorization_match_condition_exclusions_total: [
        { labels: { type: 'Webhook', name: 'never' }, value: 1 },
      ],
    });
    authorizers.close();
  });
});

async function shownMetrics(metrics: AuthorizationMetrics): Promise<Record<string, unknown>> {
  const all = metrics.sources.map(async (source) => [source.name, await source.values()] as const);
  return Object.fromEntries(await Promise.all(all));
}

describe('a file that changes', () => {
  const settle = async () => {
    for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
  };

  async function following(authorizers: readonly object[]) {
    const clock = new FakeClock();
    const file = put(fileOf(authorizers));
    const { opened, said, metrics } = open(file, clock);
    const current = await opened;
    const seen: string[][] = [];
    current.follow((next) => seen.push(shown(next)));
    const change = async (text: string) => {
      writeFileSync(file, text);
      clock.advance(5000);
      await settle();
    };
    return { change, seen, said, metrics, close: () => current.close(), clock };
  }

  test('is read again; bad content leaves everything as it was', async () => {
    const { change, seen, said, metrics, close } = await following([rbac]);
    await change(fileOf([rbac]));
    expect(seen).toEqual([]);
    await change('nonsense');
    await change(fileOf([hook(), rbac]));
    expect(seen).toEqual([['Webhook hook', 'RBAC rbac']]);
    expect(said).toEqual([
      'the authorizers could not be configured again, the old ones stay',
      'the authorizers were configured again',
    ]);
    expect(await shownMetrics(metrics)).toMatchObject({
      apiserver_authorization_config_controller_automatic_reloads_total: [
        { labels: { status: 'failure' }, value: 1 },
        { labels: { status: 'success', apiserver_id_hash: 'h' }, value: 1 },
      ],
      apiserver_authorization_config_controller_last_config_info: [
        { labels: { apiserver_id_hash: 'h', hash: expect.stringMatching(/^sha256:\w{64}$/) as string }, value: 1 },
      ],
    });
    close();
  });

  test('must keep the types it began with, and may not add those that are made at start', async () => {
    const { change, seen, metrics, close } = await following([rbac, hook()]);
    await change(fileOf([hook()]));
    await change(fileOf([rbac, { type: 'Node', name: 'node' }]));
    expect(seen).toEqual([]);
    await change(fileOf([rbac, { type: 'AlwaysAllow', name: 'alwaysallow' }]));
    expect(seen).toEqual([['RBAC rbac', 'AlwaysAllow alwaysallow']]);
    expect(await shownMetrics(metrics)).toMatchObject({
      apiserver_authorization_config_controller_automatic_reloads_total: [{ value: 2 }, { value: 1 }],
    });
    close();
  });

  test('is not looked at any more once all is closed', async () => {
    const { change, seen, close } = await following([rbac]);
    close();
    await change(fileOf([rbac, hook()]));
    expect(seen).toEqual([]);
  });
});
