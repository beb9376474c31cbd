// Webhooks that convert custom resources, over TLS: what they are asked, what they may change, and what happens when they fail.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { TlsPeer } from '../../src/testing/tls-peer.ts';
import { type Api, apiOf } from './api.ts';
import { eventually } from './eventually.ts';

interface Converted {
  apiVersion: string;
  metadata: Record<string, unknown>;
  spec?: Record<string, unknown>;
}
interface ReviewRequest {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly Converted[];
}
interface ReviewResponse {
  uid: string;
  result: object;
  convertedObjects: Converted[];
}

const clock = new FakeClock(Date.now());
const group = 'conv.example.com';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const path = `${definitions}/things.${group}`;
const things = (version: string) => `/apis/${group}/${version}/namespaces/default/things`;
let server: Server;
let api: Api;
let peer: TlsPeer;
/** What a test makes of an answer; undefined: none is given. */
let spoil: (response: ReviewResponse) => unknown;
beforeEach(() => {
  spoil = (response) => response;
  peer.requests.length = 0;
});

/** v1 has spec.size, v2 has spec.width, which is twice as much. */
function convert(object: Converted, apiVersion: string): Converted {
  const { size, width } = (object.spec ?? {}) as { size?: number; width?: number };
  const spec = apiVersion.endsWith('/v2') ? { width: (size ?? 0) * 2 } : { size: (width ?? 0) / 2 };
  return { ...object, apiVersion, metadata: { ...object.metadata }, spec };
}

const reviews = () => peer.requests.map(({ body }) => JSON.parse(body).request as ReviewRequest);

beforeAll(async () => {
  peer = await TlsPeer.open(({ body }) => {
    const { kind, apiVersion, request } = JSON.parse(body);
    const { uid, objects, desiredAPIVersion } = request as ReviewRequest;
    const convertedObjects = objects.map((object) => convert(object, desiredAPIVersion));
    const response = spoil({ uid, result: { status: 'Success' }, convertedObjects });
    return response && { kind, apiVersion, response };
  });
  server = await startTestServer({ listen: false, clock });
  api = apiOf(server);
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const caBundle = Buffer.from(peer.authority.certificate).toString('base64');
  const clientConfig = { url: `${peer.url}/convert`, caBundle };
  const created = await api.post(definitions, {
    metadata: { name: `things.${group}` },
    spec: {
      ...{ group, scope: 'Namespaced', names: { plural: 'things', kind: 'Thing' } },
      versions: ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === 'v1', schema })),
      conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1', 'v1beta1'] } },
    },
  });
  expect(created.status).toBe(201);
  await eventually(async () => expect((await api.get(things('v2'))).status).toBe(200));
  for (const name of ['a', 'b'])
    await api.post(things('v1'), { kind: 'Thing', apiVersion: `${group}/v1`, metadata: { name }, spec: { size: 3 } });
});
afterAll(async () => {
  await server.close();
  await peer[Symbol.asyncDispose]();
});

test('the stored version needs no webhook, another one asks once for a whole list', async () => {
  expect((await api.get(`${things('v1')}/a`)).body.spec).toEqual({ size: 3 });
  expect(reviews()).toEqual([]);
  const { items } = (await api.get(things('v2'))).body;
  expect(items.map(({ spec }: Converted) => spec)).toEqual([{ width: 6 }, { width: 6 }]);
  const [review, ...others] = reviews();
  expect([review?.desiredAPIVersion, review?.objects.length, others]).toEqual([`${group}/v2`, 2, []]);
  expect(peer.requests[0]?.path).toBe('/convert?timeout=30s');
});

describe('what was converted before', () => {
  const widths = async (query = '') => (await api.get(`${things('v2')}/a${query}`)).body.spec;

  test('is converted again for each GET, as kube-apiserver does it', async () => {
    expect(await widths()).toEqual({ width: 6 });
    expect(await widths()).toEqual({ width: 6 });
    expect(reviews().map(({ objects }) => objects.length)).toEqual([1, 1]);
    spoil = (response) => {
      for (const object of response.convertedObjects) object.spec = { width: 'other' };
      return response;
    };
    expect(await widths()).toEqual({ width: 'other' });
    spoil = (response) => response;
    expect(await widths()).toEqual({ width: 6 });
  });

  test('is remembered for lists, and for a GET that takes any version of the object', async () => {
    await api.get(things('v2'));
    peer.requests.length = 0;
    expect(await widths('?resourceVersion=0')).toEqual({ width: 6 });
    expect((await api.get(things('v2'))).body.items).toHaveLength(2);
    expect(reviews()).toEqual([]);
  });

  test('is of no use for a GET when the webhook fails', async () => {
    expect(await widths()).toEqual({ width: 6 });
    spoil = (response) => ({ ...response, result: { status: 'Failure', message: 'too old' } });
    const { status, body } = await api.get(`${things('v2')}/a`);
    expect([status, body.reason, body.message]).toEqual([
      500,
      undefined,
      `conversion webhook for ${group}/v1, Kind=Thing failed: too old`,
    ]);
    expect((await api.get(things('v2'))).status).toBe(200);
  });
});

test('a write in another version is stored in the first', async () => {
  const body = { kind: 'Thing', apiVersion: `${group}/v2`, metadata: { name: 'c' }, spec: { width: 8 } };
  expect((await api.post(things('v2'), body)).body.spec).toEqual({ width: 8 });
  expect((await api.get(`${things('v1')}/c`)).body.spec).toEqual({ size: 4 });
  expect((await api.patch('merge', `${things('v2')}/c`, { spec: { width: 10 } })).body.spec).toEqual({ width: 10 });
  expect((await api.get(`${things('v1')}/c`)).body.spec).toEqual({ size: 5 });
});

test('labels and annotations may change, the rest of metadata stays', async () => {
  await api.patch('merge', `${things('v1')}/a`, { metadata: { labels: { old: '1' } }, spec: { size: 4 } });
  spoil = (response) => {
    for (const { metadata } of response.convertedObjects)
      Object.assign(metadata, { labels: { made: 'up' }, generation: 77, ownerReferences: [{}], finalizers: ['x/y'] });
    return response;
  };
  const { metadata } = (await api.get(`${things('v2')}/a`)).body;
  expect(metadata.labels).toEqual({ made: 'up' });
  expect(metadata).toMatchObject({ generation: 2 });
  expect([metadata.ownerReferences, metadata.finalizers]).toEqual([undefined, undefined]);
});

describe('an answer is refused', () => {
  const failing = `conversion webhook for ${group}/v1, Kind=Thing`;
  let count = 0;
  /** Nothing that was converted before is of any help. */
  const ask = async (one = true) => {
    await api.patch('merge', `${things('v1')}/a`, { spec: { size: ++count * 100 } });
    await api.patch('merge', `${things('v1')}/b`, { spec: { size: count * 100 } });
    const { status, body } = await api.get(one ? `${things('v2')}/a` : things('v2'));
    return [status, body.message];
  };

  test.each<[string, (response: ReviewResponse) => unknown, string | RegExp]>([
    [
      'with another uid',
      (r) => ({ ...r, uid: 'other' }),
      /failed: expected response.uid="[-0-9a-f]{36}", got "other"$/,
    ],
    ['without objects', (r) => ({ ...r, convertedObjects: [] }), `${failing} returned 0 objects, expected 1`],
    [
      'that says no',
      (r) => ({ ...r, result: { status: 'Failure', message: 'too old' } }),
      `${failing} failed: too old`,
    ],
    [
      'that says nothing',
      (r) => ({ ...r, result: {} }),
      `${failing} failed: response.result.status was '', not 'Success'`,
    ],
    ['with no response', () => null, /failed: /],
  ])('%s', async (_what, change, message) => {
    spoil = change;
    const [status, text] = await ask();
    expect(status).toBe(500);
    if (typeof message === 'string') expect(text).toBe(message);
    else expect(text).toMatch(message);
  });

  const withMeta = (object: Converted, more: object) => ({ ...object, metadata: { ...object.metadata, ...more } });

  describe.each([true, false])('of one object: %s', (one) => {
    // of a list it is the second one
    const index = one ? 0 : 1;
    const name = one ? 'a' : 'b';
    test.each<[string, (object: Converted) => unknown, string]>([
      [
        'another version',
        (o) => ({ ...o, apiVersion: `${group}/v3` }),
        `${failing} returned invalid object at index ${index}: invalid groupVersion (expected ${group}/v2, received ${group}/v3)`,
      ],
      [
        'another kind',
        (o) => ({ ...o, kind: 'Other' }),
        `${failing} returned invalid object at index ${index}: invalid kind (expected Thing, received Other)`,
      ],
      ['no kind', () => ({ a: 1 }), `Object 'Kind' is missing in '{"a":1}'`],
      [
        'another name',
        (o) => withMeta(o, { name: 'x' }),
        `${failing} returned invalid object: must have the same name: ${name} != x`,
      ],
      [
        'another namespace',
        (o) => withMeta(o, { namespace: 'x' }),
        `${failing} returned invalid object: must have the same namespace: default != x`,
      ],
      [
        'no metadata',
        ({ metadata: _, ...o }) => o,
        `${failing} returned invalid object: must have the same name: ${name} != `,
      ],
      [
        'a label that is no text',
        (o) => withMeta(o, { labels: { a: 1 } }),
        `${failing} returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object`,
      ],
      [
        'labels that are no map',
        (o) => withMeta(o, { labels: ['a'] }),
        `${failing} returned invalid metadata: invalid metadata.labels of type []interface {} in converted object`,
      ],
      [
        'an invalid label',
        (o) => withMeta(o, { labels: { a: 'b c' } }),
        `${failing} returned invalid metadata: metadata.labels: Invalid value: "b c": a valid label must be`,
      ],
      [
        'two invalid annotations',
        (o) => withMeta(o, { annotations: { 'a/b/c': '', '/': '' } }),
        `${failing} returned invalid metadata: [metadata.annotation: Invalid value: "a/b/c": `,
      ],
    ])('%s', async (_what, change, message) => {
      spoil = (response) => ({
        ...response,
        convertedObjects: response.convertedObjects.map((o) => (o.metadata['name'] === name ? change(o) : o)),
      });
      const [status, text] = await ask(one);
      expect(status).toBe(500);
      expect(text.slice(0, message.length)).toBe(message);
    });
  });

  test('when some objects of a list are dropped', async () => {
    spoil = (response) => ({ ...response, convertedObjects: response.convertedObjects.slice(1) });
    expect(await ask(false)).toEqual([500, `${failing} returned 1 objects, expected 2`]);
  });

  test.each([
    ['mutating', `Internal error occurred: ${failing} failed: too old`],
    ['validating', `${failing} failed: too old`],
  ])('for a %s admission webhook that reads another version: an internal error with its cause', async (type, cause) => {
    const configurations = `/apis/admissionregistration.k8s.io/v1/${type}webhookconfigurations`;
    const hook = {
      name: 'hook.example.com',
      clientConfig: { url: `${peer.url}/admit`, caBundle: Buffer.from(peer.authority.certificate).toString('base64') },
      rules: [{ operations: ['CREATE'], apiGroups: [group], apiVersions: ['v2'], resources: ['things'] }],
      matchPolicy: 'Equivalent',
      failurePolicy: 'Ignore',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    };
    expect((await api.post(configurations, { metadata: { name: 'v2' }, webhooks: [hook] })).status).toBe(201);
    spoil = (response) => ({ ...response, result: { status: 'Failure', message: 'too old' } });
    const body = { kind: 'Thing', apiVersion: `${group}/v1`, metadata: { name: 'd' }, spec: { size: 1 } };
    const answer = await api.post(things('v1'), body);
    await api.delete(`${configurations}/v2`);
    expect(answer.body).toMatchObject({
      ...{ code: 500, reason: 'InternalError', message: `Internal error occurred: ${cause}` },
      details: { causes: [{ message: cause }] },
    });
  });

  test('when it does not come in 30 seconds', async () => {
    let hung = () => {};
    const hanging = new Promise<void>((resolve) => {
      hung = resolve;
    });
    spoil = () => {
      hung();
      return new Promise(() => {});
    };
    const asked = ask();
    await hanging;
    clock.advance(30_000);
    const [status, text] = await asked;
    expect(status).toBe(500);
    expect(text).toMatch(/^conversion webhook for .* failed: Post "https:.*": context deadline exceeded$/);
  });

  test('and the stored version is served all the same, and the failures are counted', async () => {
    expect((await api.get(`${things('v1')}/a`)).status).toBe(200);
    const text = (await api.get('/metrics')).body as string;
    expect(text).toContain(
      'apiserver_conversion_webhook_request_total{result="failure",failure_type="conversion_webhook_partial_response_failure"} 2',
    );
    expect(text).toMatch(
      /apiserver_crd_conversion_webhook_duration_seconds_count\{crd_name="things.conv.example.com",from_version="v1",to_version="v2",succeeded="true"\} \d/,
    );
  });
});

test('reviews of v1beta1 are sent where a webhook knows no others, and need no uid', async () => {
  await api.patch('merge', path, { spec: { conversion: { webhook: { conversionReviewVersions: ['v1beta1'] } } } });
  spoil = (response) => ({ ...response, uid: '' });
  await api.patch('merge', `${things('v1')}/a`, { spec: { size: 9 } });
  expect((await api.get(`${things('v2')}/a`)).body.spec).toEqual({ width: 18 });
  expect(JSON.parse(peer.requests.at(-1)?.body ?? '').apiVersion).toBe('apiextensions.k8s.io/v1beta1');
});

test('without a webhook only the version changes', async () => {
  await api.patch('merge', path, { spec: { conversion: { strategy: 'None', webhook: null } } });
  peer.requests.length = 0;
  expect((await api.get(`${things('v2')}/a`)).body).toMatchObject({ apiVersion: `${group}/v2`, spec: { size: 9 } });
  expect(peer.requests).toEqual([]);
});
