// What the image policy backend is asked, how often, and what follows from its answers.

import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../base/json/json.ts';
import { loadKubeconfig } from '../../../client/kubeconfig/load.ts';
import { targetOf } from '../../../client/kubeconfig/target.ts';
import { cluster, type Dialect, kubernetes } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { ResourceDefinition } from '../../../schema/resource.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { answeredObject } from '../../../webhooks/answered-object.ts';
import type { WebhookCaller } from '../../../webhooks/webhook-caller.ts';
import { WebhookCallError } from '../../../webhooks/webhook-failure.ts';
import type { AdmissionRequest } from '../../plugin.ts';
import { requestFor } from '../../testing.ts';
import type { ImagePolicySettings } from './image-policy-settings.ts';
import { imagePolicyWebhook } from './image-policy-webhook.ts';

const kubeconfig = JSON.stringify({
  clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1/images' } }],
  users: [{ name: 'u', user: { token: 'secret' } }],
  contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
  'current-context': 'x',
});
const settings: ImagePolicySettings = {
  backend: targetOf(await loadKubeconfig({ text: kubeconfig })),
  ...{ allowMs: 60_000, denyMs: 10_000, firstPauseMs: 500, defaultAllow: false },
};
const pods = { group: '', plural: 'pods', version: 'v1', namespaced: true } as ResourceDefinition;

/** A plugin whose backend gives these answers one after the other, the last one for ever. */
function open(answers: readonly (JsonValue | Error)[], given: Partial<ImagePolicySettings> = {}, dialect = kubernetes) {
  const clock = new FakeClock();
  const asked: { review: ApiObject; timeoutMs: number; at: number }[] = [];
  const caller = {
    async post(_: unknown, body: unknown, { timeoutMs, answer: expected }: Parameters<WebhookCaller['post']>[2]) {
      const answer = answers[Math.min(asked.length, answers.length - 1)];
      asked.push({ review: body as ApiObject, timeoutMs, at: clock.now() });
      if (answer instanceof Error) throw answer;
      const bytes = Buffer.from(JSON.stringify(answer));
      return answeredObject({ status: 200, type: undefined, bytes }, expected);
    },
    close: () => {},
  };
  const notices: object[] = [];
  const webhooks = {
    ...{ caller, newUid: () => 'u', onCall: () => {}, onExclusion: () => {} },
    notice: (fields: object) => void notices.push(fields),
  };
  const engines = {
    dialect: dialect as Dialect,
    clock,
    webhooks,
    settings: { imagePolicy: { ...settings, ...given } },
  };
  return { clock, asked, notices, plugin: imagePolicyWebhook(engines) };
}

const spec = {
  containers: [{ image: 'a' }, { image: 'b' }],
  initContainers: [{ image: 'c' }],
  ephemeralContainers: [{ image: 'd' }],
};
const annotations = { 'team.image-policy.k8s.io/ticket': '7', 'image-policy.k8s.io/x': 'no', other: 'no' };
const request = (parts: Partial<AdmissionRequest> = {}) =>
  requestFor({
    ...{ definition: pods, operation: 'CREATE', namespace: 'n', name: 'p' },
    object: { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p', annotations }, spec },
    ...parts,
  });
const yes = { status: { allowed: true } };
const status = (code: number) => new WebhookCallError(`answered with ${code}`, { code });

test('the backend is asked about images, marked annotations and the namespace', async () => {
  const { plugin, asked } = open([yes]);
  await plugin.validate?.(request());
  expect(asked[0]?.review).toEqual({
    kind: 'ImageReview',
    apiVersion: 'imagepolicy.k8s.io/v1alpha1',
    metadata: {},
    spec: {
      containers: [{ image: 'a' }, { image: 'b' }, { image: 'c' }],
      annotations: { 'team.image-policy.k8s.io/ticket': '7' },
      namespace: 'n',
    },
    status: { allowed: false },
  });
});

test('containers that are added later are asked about by themselves', async () => {
  const { plugin, asked } = open([yes]);
  await plugin.validate?.(request({ subresource: 'ephemeralcontainers', operation: 'UPDATE' }));
  expect(asked[0]?.review['spec']).toMatchObject({ containers: [{ image: 'd' }] });
  expect(plugin.covers(pods, 'status', 'UPDATE')).toBe(false);
});

test('the cluster dialect has its own group and annotations', async () => {
  const dialect = cluster({ apiDomain: 'api.example' });
  const { plugin, asked } = open([{ status: { allowed: true, auditAnnotations: { k: 'v' } } }], {}, dialect);
  const asking = request({
    object: { kind: 'Pod', apiVersion: 'v1', metadata: { annotations: { 'x.image-policy.api.example/y': '1' } }, spec },
  });
  await plugin.validate?.(asking);
  expect(asked[0]?.review).toMatchObject({
    apiVersion: 'imagepolicy.api.example/v1alpha1',
    spec: { annotations: { 'x.image-policy.api.example/y': '1' } },
  });
  expect(asking.annotations).toEqual({ 'imagepolicywebhook.image-policy.api.example/k': 'v' });
});

describe('a no', () => {
  test.each([
    [{ allowed: false, reason: 'unsigned' }, 'image policy webhook backend denied one or more images: unsigned'],
    [{ allowed: false }, 'one or more images rejected by webhook backend'],
    [{}, 'one or more images rejected by webhook backend'],
  ])('%j refuses the pod', async (said, why) => {
    const { plugin } = open([{ status: said }]);
    await expect(plugin.validate?.(request())).rejects.toThrow(`pods "p" is forbidden: ${why}`);
  });

  test('is noted too, under names that can be names', async () => {
    const { plugin } = open([{ status: { allowed: false, auditAnnotations: { why: 'x', 'no name!': 'y' } } }]);
    const asking = request();
    await expect(plugin.validate?.(asking)).rejects.toThrow('rejected');
    expect(asking.annotations).toEqual({ 'imagepolicywebhook.image-policy.k8s.io/why': 'x' });
  });
});

describe('an answer counts for a while', () => {
  test.each([
    [true, 60_000],
    [false, 10_000],
  ])('allowed: %s, for %i ms', async (allowed, ms) => {
    const { plugin, asked, clock } = open([{ status: { allowed, auditAnnotations: { a: '1' } } }]);
    const ask = async () => {
      const asking = request();
      await Promise.resolve(plugin.validate?.(asking)).catch(() => {});
      return asking.annotations;
    };
    await ask();
    clock.advance(ms - 1);
    expect(await ask()).toEqual({ 'imagepolicywebhook.image-policy.k8s.io/a': '1' });
    expect(asked).toHaveLength(1);
    clock.advance(1);
    await ask();
    expect(asked).toHaveLength(2);
  });

  test('about the same images, annotations and namespace only', async () => {
    const { plugin, asked } = open([yes]);
    await plugin.validate?.(request());
    await plugin.validate?.(request({ namespace: 'm' }));
    await plugin.validate?.(request({ operation: 'UPDATE' }));
    expect(asked).toHaveLength(2);
  });

  test('unless that is turned off', async () => {
    const { plugin, asked } = open([yes], { allowMs: 0 });
    await plugin.validate?.(request());
    await plugin.validate?.(request());
    expect(asked).toHaveLength(2);
  });
});

describe('a backend in trouble', () => {
  /** Lets everything that waits for no clock happen. */
  const settle = async () => {
    for (let i = 0; i < 20; i++) await Promise.resolve();
  };

  test('is asked again, with pauses that grow', async () => {
    const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    const broken = new WebhookCallError('EOF', { cause: reset });
    const { plugin, asked, clock } = open([status(500), status(504), status(429), broken, yes]);
    const done = plugin.validate?.(request());
    for (let i = 0; i < 60 && asked.length < 5; i++) {
      clock.advance(100);
      await settle();
    }
    await done;
    const pauses = asked.slice(1).map(({ at }, index) => at - (asked[index]?.at ?? 0));
    pauses.forEach((pause, index) => {
      const least = 500 * 1.5 ** index;
      expect(pause).toBeGreaterThanOrEqual(least);
      expect(pause).toBeLessThanOrEqual(least * 1.2 + 100);
    });
    expect(pauses).toHaveLength(4);
  });

  test('is given up after five attempts, and the last error is told', async () => {
    const { plugin, asked, clock } = open([status(500)], { firstPauseMs: 1 });
    const done = expect(plugin.validate?.(request())).rejects.toThrow('pods "p" is forbidden: answered with 500');
    for (let i = 0; i < 40; i++) {
      clock.advance(100);
      await settle();
    }
    await done;
    expect(asked).toHaveLength(5);
  });

  test('is asked again where it says that it will be ready later', async () => {
    const later = new WebhookCallError('later', { code: 503, suggestsRetry: true });
    const { plugin, asked, clock } = open([later, yes], { firstPauseMs: 1 });
    const done = plugin.validate?.(request());
    for (let i = 0; i < 10 && asked.length < 2; i++) {
      clock.advance(100);
      await settle();
    }
    await done;
    expect(asked).toHaveLength(2);
  });

  test('is not asked again where that cannot help', async () => {
    const { plugin, asked } = open([status(403)]);
    await expect(plugin.validate?.(request())).rejects.toThrow('answered with 403');
    expect(asked).toHaveLength(1);
  });

  test('has no more time than the request', async () => {
    const { plugin, asked, clock } = open([yes]);
    await plugin.validate?.(request({ deadline: clock.now() + 1500 }));
    expect(asked[0]?.timeoutMs).toBe(1500);
  });

  test('lets pods in where the configuration says so, which is noted and not remembered', async () => {
    const { plugin, asked, notices } = open([status(403)], { defaultAllow: true });
    const asking = request();
    const shown = await plugin.validate?.(asking);
    expect(shown?.metadata.annotations).toMatchObject({ 'alpha.image-policy.k8s.io/failed-open': 'true' });
    expect(asking.annotations).toEqual({ 'imagepolicywebhook.image-policy.k8s.io/failed-open': 'true' });
    expect(notices).toEqual([{ plugin: 'ImagePolicyWebhook', why: 'answered with 403', failedOpen: true }]);
    await plugin.validate?.(request());
    expect(asked).toHaveLength(2);
  });

  test.each([
    [
      { kind: 'TokenReview' },
      'no kind "TokenReview" is registered for version "imagepolicy.k8s.io/v1alpha1" in scheme "pkg/api/legacyscheme/scheme.go:30"',
    ],
    [
      { apiVersion: 'v1' },
      'no kind "ImageReview" is registered for version "v1" in scheme "pkg/api/legacyscheme/scheme.go:30"',
    ],
    [
      { status: { allowed: 'yes' } },
      'json: cannot unmarshal string into Go struct field ImageReviewStatus.status.allowed of type bool',
    ],
    [[], "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct"],
  ])('and one that answers with %j gives no answer', async (answer, why) => {
    const { plugin } = open([answer as JsonValue]);
    await expect(plugin.validate?.(request())).rejects.toThrow(`pods "p" is forbidden: ${why}`);
  });
});
