import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, test } from 'vitest';
import { type ApiRequest, type ApiResponse, Exchange, type Peer, type Sink } from '../meta/exchange.ts';
import { parseRequestInfo } from '../meta/request-info.ts';
import { internalError } from '../meta/status.ts';
import { loopbackUser } from '../meta/user.ts';
import { bodyOfText, bodyOfValue } from './bodies.ts';
import type { AuditEvent } from './event.ts';
import type { Level, Stage } from './policy.ts';
import { sourceIps } from './source-ips.ts';
import { RequestTrail } from './trail.ts';

const keys = { truncated: 'truncated', deprecated: 'deprecated', removedRelease: 'removed' };
let events: AuditEvent[];
beforeEach(() => {
  events = [];
});
const stages = () => events.map(({ stage }) => stage);

function requestFor(
  path: string,
  headers: Record<string, string> = {},
  peer: Peer = { address: '127.0.0.1' },
): ApiRequest {
  const [bare = '', rawQuery = ''] = path.split('?', 2);
  return {
    ...{ method: 'GET', path: bare, rawQuery, peer },
    header: (name) => headers[name],
    hasHeader: () => false,
    headers: () => [],
    readBody: async () => Buffer.alloc(0),
  };
}

function trailOf(path: string, { level = 'RequestResponse', isLongRunning = false, omit = [] as Stage[] } = {}) {
  const request = requestFor(path);
  const exchange = new Exchange(request, 'id', 0);
  exchange.info = parseRequestInfo('GET', request.path, () => false);
  const context = { keys, now: () => 1000, record: (event: AuditEvent) => events.push(event) > 0 };
  const decision = { level: level as Level, omitStages: new Set(omit), omitManagedFields: false };
  return { exchange, trail: new RequestTrail(exchange, context, { decision, level: level as Level, isLongRunning }) };
}

class Reader implements Sink {
  text = '';
  isGone = false;
  stop: () => void = () => {};
  write(chunk: Uint8Array | string): boolean {
    this.text += chunk.toString();
    return true;
  }
  async drained(): Promise<void> {}
  onStop(stop: () => void): void {
    this.stop = stop;
  }
  end(): void {}
  cut(): void {}
}

const list = '/api/v1/namespaces/default/configmaps';
const json = { 'content-type': 'application/json' };
const stream = (text: string): ApiResponse => ({
  status: 200,
  headers: json,
  body: async (sink) => void sink.write(text),
});
const bodyOf = ({ body }: ApiResponse) => body as Exclude<ApiResponse['body'], string | Uint8Array | undefined>;

describe('a streamed answer', () => {
  test('is complete when it has ended, and then shows what it said', async () => {
    const { trail } = trailOf(list);
    const answer = await trail.finished(trail.captureResponse(stream('{"items":[]}\n')));
    expect(stages()).toEqual([]);
    const reader = new Reader();
    await bodyOf(answer)(reader);
    await Promise.resolve();
    expect(reader.text).toBe('{"items":[]}\n');
    expect(events).toMatchObject([{ stage: 'ResponseComplete', responseObject: '{"items":[]}' }]);
  });

  test('that is too long to keep, or no JSON, is left out and marked', async () => {
    for (const answer of [stream(`"${'x'.repeat(4 * 1024 * 1024)}"`), { ...stream('k8s'), headers: {} }]) {
      const { trail } = trailOf(list);
      await bodyOf(await trail.finished(trail.captureResponse(answer)))(new Reader());
      await Promise.resolve();
      expect(events.at(-1)).toMatchObject({ responseObject: undefined, annotations: { truncated: 'true' } });
    }
  });

  test('that its client has cut off is left out and marked: what came of it is no JSON', async () => {
    const { trail } = trailOf(list);
    const reader = new Reader();
    reader.isGone = true;
    await bodyOf(await trail.finished(trail.captureResponse(stream('{"items":['))))(reader);
    await Promise.resolve();
    expect(events.at(-1)).toMatchObject({ responseObject: undefined, annotations: { truncated: 'true' } });
  });

  test('that fails on its way is complete too', async () => {
    const { trail } = trailOf(list);
    const failing: ApiResponse = { status: 200, headers: json, body: () => Promise.reject(new Error('disk')) };
    await expect(bodyOf(await trail.finished(trail.captureResponse(failing)))(new Reader())).rejects.toThrow('disk');
    expect(stages()).toEqual(['ResponseComplete']);
  });

  test('that no client waits for any more is complete, once', async () => {
    const { trail } = trailOf(list);
    const answer = await trail.finished(stream('{}'));
    answer.onUnsent?.();
    answer.onUnsent?.();
    expect(stages()).toEqual(['ResponseComplete']);
  });
});

describe('requests that last', () => {
  test('end when their reader leaves', async () => {
    const { trail } = trailOf(list, { isLongRunning: true });
    const endless: ApiResponse = { status: 200, headers: json, body: (sink) => void sink.onStop(() => {}) };
    const answer = await trail.finished(trail.captureResponse(endless));
    const reader = new Reader();
    void bodyOf(answer)(reader);
    expect(stages()).toEqual(['ResponseStarted']);
    reader.stop();
    expect(stages()).toEqual(['ResponseStarted', 'ResponseComplete']);
  });

  test('that change their protocol end with the connection', async () => {
    const { trail } = trailOf(`${list}/x`, { isLongRunning: true });
    const answer = await trail.finished({ status: 101, headers: {}, tunnel: () => {} });
    const client = new PassThrough();
    answer.tunnel?.(client, Buffer.alloc(0));
    expect(events).toMatchObject([{ stage: 'ResponseStarted', responseStatus: { code: 101 } }]);
    client.destroy();
    await new Promise((resolve) => setImmediate(resolve));
    expect(stages()).toEqual(['ResponseStarted', 'ResponseComplete']);
    const gone = new PassThrough().destroy();
    const { trail: other } = trailOf(`${list}/x`, { isLongRunning: true });
    (await other.finished({ status: 101, headers: {}, tunnel: () => {} })).tunnel?.(gone, Buffer.alloc(0));
    expect(stages().at(-1)).toBe('ResponseComplete');
  });

  test('that are refused begin and end at once', async () => {
    const { trail } = trailOf(list, { isLongRunning: true });
    await trail.finished({ status: 403, headers: json, body: '{}' });
    expect(stages()).toEqual(['ResponseStarted', 'ResponseComplete']);
  });
});

test('an unexpected failure is its own stage', async () => {
  const { trail } = trailOf(list);
  trail.failed(internalError('lost').toStatus(), true);
  await trail.finished({ status: 500, headers: json, body: '{}' });
  expect(events).toMatchObject([
    { stage: 'Panic', responseStatus: { status: 'Failure', reason: 'InternalError', code: 500 } },
  ]);
});

test('omitted stages are not recorded', async () => {
  const { trail } = trailOf(list, { omit: ['RequestReceived', 'ResponseComplete'] });
  expect(trail.received()).toBe(true);
  await trail.finished({ status: 200, headers: json, body: '{}' });
  expect(events).toEqual([]);
});

test('annotations keep their first value, and keys are only keys', () => {
  const { trail } = trailOf(list);
  for (const value of ['first', 'second']) for (const key of ['b', '__proto__', 'a']) trail.annotate(key, value);
  void trail.received();
  const { annotations = {} } = events[0] as AuditEvent;
  expect(annotations).toMatchObject({ a: 'first', b: 'first' });
  expect(Object.keys(annotations)).toEqual(['__proto__', 'a', 'b']);
  expect(Object.getPrototypeOf(annotations)).toBe(Object.prototype);
});

test('bodies keep large integers, and become one line', () => {
  const text = '{\n  "metadata": {"managedFields": [1], "name": "a"},\n  "big": 9007199254740993\n}\n';
  expect(bodyOfText(text, false)).toBe('{"metadata":{"managedFields":[1],"name":"a"},"big":9007199254740993}');
  expect(bodyOfText(text, true)).toBe('{"metadata":{"name":"a"},"big":9007199254740993}');
  expect(bodyOfValue({ big: 9007199254740993n }, false)).toBe('{"big":9007199254740993}');
  const table = {
    rows: [{ cells: [], object: { metadata: { managedFields: [], name: 'a' } } }],
    items: [{ metadata: {} }],
  };
  expect(bodyOfValue(table, true)).toBe(
    '{"rows":[{"cells":[],"object":{"metadata":{"name":"a"}}}],"items":[{"metadata":{}}]}',
  );
});

test.each<[Record<string, string>, Peer, string[]]>([
  [{}, { address: '10.0.0.1' }, ['10.0.0.1']],
  [{}, { address: '::ffff:10.0.0.1' }, ['10.0.0.1']],
  [{ 'x-forwarded-for': '1.1.1.1, 2.2.2.2' }, { address: '10.0.0.1' }, ['1.1.1.1', '2.2.2.2', '10.0.0.1']],
  [{ 'x-forwarded-for': '1.1.1.1,10.0.0.1' }, { address: '10.0.0.1' }, ['1.1.1.1', '10.0.0.1']],
  [{ 'x-forwarded-for': 'a,,<script>', 'x-real-ip': '3.3.3.3' }, { address: '10.0.0.1' }, ['3.3.3.3', '10.0.0.1']],
  [{ 'x-forwarded-for': '3.3.3.3', 'x-real-ip': '3.3.3.3' }, { address: '10.0.0.1' }, ['3.3.3.3', '10.0.0.1']],
  [{}, { address: 'loopback', trustedUser: loopbackUser }, ['::1']],
])('%j from %j comes from %j', (headers, peer, expected) => {
  expect(sourceIps(requestFor('/', headers, peer))).toEqual(expected);
});
