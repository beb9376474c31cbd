import { describe, expect, test } from 'vitest';
import { JsonFields } from '../../base/json/json-fields.ts';
import { type Review, WebhookError } from '../../client/webhook.ts';
import { type AccessAttributes, pathAccess, resourceAccess } from '../../meta/access.ts';
import { kubernetes } from '../../meta/dialect.ts';
import { parseFieldSelector } from '../../meta/field-selector.ts';
import { parseLabelSelector } from '../../meta/label-selector.ts';
import type { UserInfo } from '../../meta/user.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { type WebhookModuleConfig, webhookModule } from './webhook-module.ts';

const ann: UserInfo = { name: 'ann', uid: '7', groups: ['devs'], extra: { 'a/b': ['c'] } };
const listing = resourceAccess({
  user: ann,
  verb: 'list',
  resource: 'pods',
  version: 'v1',
  namespace: 'n',
  fieldSelector: parseFieldSelector('spec.nodeName=x,status.phase!=y'),
  labelSelector: parseLabelSelector('a=b,c!=d,e in (f,g),h,!i,j>5'),
});

function setup(answer: () => object | Error, config: Partial<WebhookModuleConfig> = {}) {
  const clock = new FakeClock();
  const reviews: Review[] = [];
  const failedOpen: string[] = [];
  const module = webhookModule({
    webhook: {
      async ask(review) {
        reviews.push(review);
        const status = answer();
        if (status instanceof Error) throw status;
        return JsonFields.of({ status: status }, '');
      },
    },
    version: 'v1',
    authorizedMs: 300_000,
    unauthorizedMs: 30_000,
    failurePolicy: 'NoOpinion',
    clock,
    dialect: kubernetes,
    onError: () => {},
    onFailOpen: (result) => failedOpen.push(result),
    ...config,
  });
  const decide = async (question: AccessAttributes = listing) => module.authorize(question);
  return { module, decide, asked: reviews, clock, failedOpen };
}

describe('the review that an authorization webhook receives', () => {
  test('a request for resources, with its selectors', async () => {
    const { decide, asked } = setup(() => ({ allowed: true }));
    await decide();
    expect(asked).toEqual([
      {
        kind: 'SubjectAccessReview',
        apiVersion: 'authorization.k8s.io/v1',
        metadata: {},
        status: { allowed: false },
        spec: {
          user: 'ann',
          uid: '7',
          groups: ['devs'],
          extra: { 'a/b': ['c'] },
          resourceAttributes: {
            namespace: 'n',
            verb: 'list',
            version: 'v1',
            resource: 'pods',
            fieldSelector: {
              requirements: [
                { key: 'spec.nodeName', operator: 'In', values: ['x'] },
                { key: 'status.phase', operator: 'NotIn', values: ['y'] },
              ],
            },
            labelSelector: {
              requirements: [
                { key: 'a', operator: 'In', values: ['b'] },
                { key: 'c', operator: 'NotIn', values: ['d'] },
                { key: 'e', operator: 'In', values: ['f', 'g'] },
                { key: 'h', operator: 'Exists' },
                { key: 'i', operator: 'DoesNotExist' },
              ],
            },
          },
        },
      },
    ]);
  });

  test('a path, in the older version', async () => {
    const { decide, asked } = setup(() => ({ allowed: true }), { version: 'v1beta1' });
    await decide(pathAccess({ name: 'ann', groups: ['devs'] }, 'get', '/metrics'));
    expect(asked[0]).toMatchObject({
      apiVersion: 'authorization.k8s.io/v1beta1',
      spec: { user: 'ann', group: ['devs'], nonResourceAttributes: { path: '/metrics', verb: 'get' } },
    });
    expect(asked[0]).not.toHaveProperty('spec.groups');
  });
});

describe('what its answer means', () => {
  test.each([
    [
      { allowed: true, reason: 'fine' },
      { kind: 'allow', reason: 'fine' },
    ],
    [
      { allowed: false, reason: 'who?' },
      { kind: 'noOpinion', reason: 'who?' },
    ],
    [
      { denied: true, reason: 'never' },
      { kind: 'deny', reason: 'never' },
    ],
    [
      { allowed: true, denied: true },
      { kind: 'deny', reason: '', error: 'webhook subject access review returned both allow and deny response' },
    ],
    [{}, { kind: 'noOpinion' }],
  ])('%j', async (status, decision) => {
    expect(await setup(() => status).decide()).toEqual(decision);
  });

  test.each<[object | Error, string]>([
    [new WebhookError('the webhook did not answer in time', 'timeout', false), 'timeout'],
    [{ allowed: 'yes' }, 'error'],
  ])('a missing answer is no opinion, or a denial if configured', async (answer, result) => {
    const open = setup(() => answer);
    expect(await open.decide()).toMatchObject({ kind: 'noOpinion', error: expect.any(String) as string });
    expect(open.failedOpen).toEqual([result]);
    const closed = setup(() => answer, { failurePolicy: 'Deny' });
    expect(await closed.decide()).toMatchObject({ kind: 'deny', error: expect.any(String) as string });
    expect(closed.failedOpen).toEqual([]);
  });

  test('its rules cannot be listed', () => {
    const { module } = setup(() => ({}));
    expect(module.rules(ann, 'n')).toEqual({
      rules: [],
      incomplete: true,
      errors: ['webhook authorizer does not support user rule resolution'],
    });
  });
});

describe('how long a verdict is cached', () => {
  test('longer when it allows something', async () => {
    let allowed = true;
    const { decide, asked, clock } = setup(() => ({ allowed }));
    await decide();
    clock.advance(299_000);
    await decide();
    expect(asked).toHaveLength(1);
    allowed = false;
    clock.advance(1000);
    await decide();
    clock.advance(29_000);
    await decide();
    expect(asked).toHaveLength(2);
    clock.advance(1000);
    await decide();
    expect(asked).toHaveLength(3);
  });

  test('about this very question only, and not where the question is huge', async () => {
    const { decide, asked } = setup(() => ({ allowed: true }));
    await decide();
    await decide({ ...listing, name: 'a' });
    await decide({ ...listing, user: { ...ann, groups: [] } });
    expect(asked).toHaveLength(3);
    for (let i = 0; i < 2; i++) await decide({ ...listing, name: 'x'.repeat(10_000) });
    expect(asked).toHaveLength(5);
  });

  test('not at all when it gave no answer', async () => {
    let answer: object | Error = new WebhookError('down', 'error', true);
    const { decide } = setup(() => answer);
    await decide();
    answer = { allowed: true };
    expect((await decide()).kind).toBe('allow');
  });
});

describe('conditions', () => {
  test('keep questions from it', async () => {
    const { decide, asked } = setup(() => ({ allowed: true }), {
      matches: async ({ resourceAttributes }) => ({ matches: resourceAttributes?.['resource'] === 'pods' }),
    });
    expect((await decide()).kind).toBe('allow');
    expect(await decide({ ...listing, resource: 'secrets' })).toEqual({ kind: 'noOpinion' });
    expect(asked).toHaveLength(1);
  });

  test('that cannot be computed count as a failure', async () => {
    const matches = async () => ({ error: 'no such key' });
    expect(await setup(() => ({}), { matches }).decide()).toEqual({ kind: 'noOpinion', error: 'no such key' });
    const strict = setup(() => ({}), { matches, failurePolicy: 'Deny' });
    expect(await strict.decide()).toEqual({ kind: 'deny', reason: '', error: 'no such key' });
  });
});
