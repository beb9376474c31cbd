// From requests to seats: which FlowSchema a request belongs to, how long it waits, and when it is refused.

import { beforeEach, describe, expect, test } from 'vitest';
import { SharedCounts } from '../base/shared-counts.ts';
import { Deadlines } from '../base/time/deadlines.ts';
import { type ApiRequest, Exchange } from '../meta/exchange.ts';
import { parseRequestInfo } from '../meta/request-info.ts';
import { ApiError, clientGone } from '../meta/status.ts';
import type { UserInfo } from '../meta/user.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { FlowControl } from './flow-control.ts';
import { seatColumns } from './level-seats.ts';
import type { SchemaObject } from './matching.ts';
import type { LevelObject } from './priority-level.ts';

const alice: UserInfo = { name: 'alice', groups: ['system:authenticated', 'builders'] };
const bob: UserInfo = { name: 'bob', groups: ['system:authenticated'] };
const master: UserInfo = { name: 'root', groups: ['system:masters', 'system:authenticated'] };
const account: UserInfo = { name: 'system:serviceaccount:shop:web', groups: ['system:authenticated'] };

let clock: FakeClock;
let flowControl: FlowControl;
const sizes = { stored: { objects: 0, averageBytes: 0 }, watches: 0 };

beforeEach(() => {
  clock = new FakeClock();
  sizes.stored = { objects: 0, averageBytes: 0 };
  sizes.watches = 0;
  flowControl = new FlowControl({
    ...{ clock, deadlines: new Deadlines(clock), serverSeats: 20, requestTimeoutMs: 60_000, firstColumn: 0 },
    headers: { level: 'x-level', schema: 'x-schema' },
    sizes: { stored: () => sizes.stored, watches: () => sizes.watches },
    counts: new SharedCounts({ ...seatColumns, rows: 1 }),
  });
});

function exchangeOf(user: UserInfo, path = '/api/v1/namespaces/shop/pods/one', method = 'GET'): Exchange {
  const [plain = '', rawQuery = ''] = path.split('?');
  const exchange = new Exchange({ method, path: plain, rawQuery } as ApiRequest, 'id', clock.now());
  exchange.info = parseRequestInfo(method, plain, () => rawQuery.includes('watch=true'));
  exchange.user = user;
  exchange.deadline = clock.now() + 60_000;
  return exchange;
}

type Rule = NonNullable<NonNullable<SchemaObject['spec']>['rules']>[number];
type Subjects = NonNullable<Rule['subjects']>;

const everything: NonNullable<Rule['resourceRules']> = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true },
];
const byUser = (name: string): Subjects => [{ kind: 'User', user: { name } }];

type Rules = { readonly [K in 'resourceRules' | 'nonResourceRules']?: NonNullable<Rule[K]> };

interface SchemaParts {
  readonly precedence?: number;
  readonly level?: string;
  readonly rule?: Rules;
  readonly by?: string;
}

function addSchema(
  name: string,
  subjects: Subjects,
  { precedence = 500, level = 'small', rule, by }: SchemaParts = {},
) {
  flowControl.table.putSchema({
    metadata: { name, uid: `schema-${name}` },
    spec: {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence: precedence,
      ...(by === undefined ? {} : { distinguisherMethod: { type: by } }),
      rules: [{ subjects, resourceRules: everything, ...rule }],
    },
  });
}

function addLevel(
  name: string,
  shares: number,
  queuing?: { queues: number; handSize: number; queueLengthLimit: number },
) {
  const limitResponse = queuing === undefined ? { type: 'Reject' } : { type: 'Queue', queuing };
  const level: LevelObject = {
    metadata: { name, uid: `level-${name}` },
    spec: { type: 'Limited', limited: { nominalConcurrencyShares: shares, limitResponse, lendablePercent: 0 } },
  };
  flowControl.table.putLevel(level);
}

const schemaOf = (exchange: Exchange) =>
  flowControl.table.classifier.classify(exchange.user, exchange.info).stats.schema;

describe('classification', () => {
  test('everything has a place without any object', () => {
    expect(schemaOf(exchangeOf(master))).toBe('exempt');
    expect(schemaOf(exchangeOf(alice))).toBe('catch-all');
    expect(schemaOf(exchangeOf({ name: 'odd', groups: [] }))).toBe('catch-all');
  });

  test('the lowest precedence wins, and the name among equals', () => {
    addLevel('small', 5);
    addSchema('late', byUser('*'), { precedence: 600 });
    addSchema('second', byUser('*'));
    addSchema('first', byUser('*'));
    expect(schemaOf(exchangeOf(alice))).toBe('first');
    flowControl.table.removeSchema('first');
    expect(schemaOf(exchangeOf(alice))).toBe('second');
  });

  test('a schema whose level does not exist is not used', () => {
    addSchema('dangling', byUser('*'), { level: 'nowhere' });
    expect(schemaOf(exchangeOf(alice))).toBe('catch-all');
    addLevel('nowhere', 1);
    expect(schemaOf(exchangeOf(alice))).toBe('dangling');
  });

  test.each<[string, Subjects, readonly UserInfo[]]>([
    ['a user', byUser('alice'), [alice]],
    ['every user', byUser('*'), [alice, bob, account]],
    ['a group', [{ kind: 'Group', group: { name: 'builders' } }], [alice]],
    ['every group', [{ kind: 'Group', group: { name: '*' } }], [alice, bob, account]],
    ['an account', [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'shop', name: 'web' } }], [account]],
    ['every account', [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'shop', name: '*' } }], [account]],
    ['another account', [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'sho', name: '*' } }], []],
    ['no subject', [], []],
  ])('subjects: %s', (_, subjects, expected) => {
    addLevel('small', 5);
    addSchema('it', subjects);
    expect([alice, bob, account].filter((user) => schemaOf(exchangeOf(user)) === 'it')).toEqual(expected);
  });

  test.each<[string, string, Rules, boolean]>([
    ['GET', '/api/v1/namespaces/shop/pods/one', { resourceRules: [rule({ verbs: ['get'] })] }, true],
    ['PUT', '/api/v1/namespaces/shop/pods/one', { resourceRules: [rule({ verbs: ['get'] })] }, false],
    ['GET', '/api/v1/namespaces/shop/pods/one/status', { resourceRules: [rule({ resources: ['pods'] })] }, false],
    ['GET', '/api/v1/namespaces/shop/pods/one/status', { resourceRules: [rule({ resources: ['pods/status'] })] }, true],
    ['GET', '/apis/apps/v1/namespaces/shop/deployments', { resourceRules: [rule({ apiGroups: [''] })] }, false],
    ['GET', '/api/v1/namespaces/shop/pods', { resourceRules: [rule({ namespaces: ['shop'] })] }, true],
    ['GET', '/api/v1/namespaces/home/pods', { resourceRules: [rule({ namespaces: ['shop'] })] }, false],
    ['GET', '/api/v1/nodes', { resourceRules: [rule({ clusterScope: false })] }, false],
    ['GET', '/api/v1/nodes', { resourceRules: [rule({ clusterScope: true, namespaces: [] })] }, true],
    ['GET', '/healthz', { nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz'] }] }, true],
    ['GET', '/healthz/ping', { nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['/healthz/*'] }] }, true],
    ['GET', '/healthzz', { nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['/healthz'] }] }, false],
    ['POST', '/version', { nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['*'] }] }, false],
    ['GET', '/version', { resourceRules: everything }, false],
  ])('rules: %s %s by %j', (method, path, parts, expected) => {
    addLevel('small', 5);
    addSchema('it', byUser('*'), { rule: parts });
    expect(schemaOf(exchangeOf(alice, path, method)) === 'it').toBe(expected);
  });

  function rule(parts: object) {
    return { ...everything[0], ...parts } as NonNullable<Rule['resourceRules']>[number];
  }

  test('flows of a schema are those of its distinguisher', () => {
    addLevel('small', 5, { queues: 64, handSize: 4, queueLengthLimit: 5 });
    const flowOf = (user: UserInfo, path?: string) => {
      const { info } = exchangeOf(user, path);
      return flowControl.table.classifier.classify(user, info);
    };
    addSchema('it', byUser('*'), { by: 'ByUser' });
    expect(flowOf(alice).distinguisher).toBe('alice');
    expect(flowOf(alice).hand).not.toEqual(flowOf(bob).hand);
    addSchema('it', byUser('*'), { by: 'ByNamespace' });
    expect(flowOf(alice).hand).toEqual(flowOf(bob).hand);
    expect(flowOf(alice).hand).not.toEqual(flowOf(alice, '/api/v1/namespaces/home/pods').hand);
  });

  test('what is kept of many paths and users is limited', () => {
    const { classifier } = flowControl.table;
    for (let i = 0; i < 25_000; i++) classifier.classify({ ...alice }, exchangeOf(alice, `/page/${i}`).info);
    expect(schemaOf(exchangeOf(alice))).toBe('catch-all');
  });
});

describe('requests', () => {
  const queuing = { queues: 1, handSize: 1, queueLengthLimit: 2 };

  /** A level with two seats, and a queue for two requests. */
  function twoSeats() {
    // 2 of 20 seats
    addLevel('small', 5, queuing);
    addLevel('rest', 40);
    addSchema('it', byUser('alice'));
    flowControl.table.adjust();
    expect(flowControl.table.classifier.schemas.length).toBe(3);
    (
      flowControl.table.levels.find(({ name }) => name === 'small') as { queues: { setLimit(limit: number): void } }
    ).queues.setLimit(2);
  }

  test('run at once while there are seats, and say where they belong', () => {
    twoSeats();
    const exchange = exchangeOf(alice);
    expect(flowControl.enter(exchange)).toBeUndefined();
    expect(exchange.addedHeaders).toEqual({
      'x-schema': 'schema-it',
      'x-level': 'level-small',
    });
  });

  test('wait for seats, in their order, and are refused when the queue is full', async () => {
    twoSeats();
    const running = [exchangeOf(alice), exchangeOf(alice)];
    for (const exchange of running) expect(flowControl.enter(exchange)).toBeUndefined();
    const waiting = [exchangeOf(alice), exchangeOf(alice)];
    const order: number[] = [];
    const promises = waiting.map((exchange, at) => flowControl.enter(exchange)?.then(() => order.push(at)));
    expect(() => flowControl.enter(exchangeOf(alice))).toThrow(ApiError);
    expect(flowControl.enter(exchangeOf(bob))).toBeUndefined();
    running[0]?.release?.();
    running[0]?.release?.();
    await promises[0];
    expect(order).toEqual([0]);
    waiting[0]?.release?.();
    await promises[1];
    expect(order).toEqual([0, 1]);
  });

  test('wait for a quarter of their time at most', async () => {
    twoSeats();
    for (const exchange of [exchangeOf(alice), exchangeOf(alice)]) void flowControl.enter(exchange);
    const waiting = flowControl.enter(exchangeOf(alice));
    let error: unknown;
    const ended = waiting?.catch((why: unknown) => {
      error = why;
    });
    clock.advance(14_999);
    await Promise.resolve();
    expect(error).toBeUndefined();
    clock.advance(1);
    await ended;
    expect(error).toMatchObject({
      code: 429,
      message: 'Too many requests, please try again later.',
      details: { retryAfterSeconds: 1 },
    });
  });

  test('leave their queue with their client', async () => {
    twoSeats();
    const running = [exchangeOf(alice), exchangeOf(alice)];
    for (const exchange of running) void flowControl.enter(exchange);
    const gone = exchangeOf(alice);
    const ended = expect(flowControl.enter(gone)).rejects.toThrow();
    const next = exchangeOf(alice);
    const seated = flowControl.enter(next);
    gone.end(clientGone());
    await ended;
    running[0]?.release?.();
    await seated;
    expect(gone.release).toBeUndefined();
  });

  test('of administrators never wait', () => {
    for (let i = 0; i < 1000; i++) expect(flowControl.enter(exchangeOf(master))).toBeUndefined();
  });

  test('that are refused often are sent away for longer', () => {
    addLevel('small', 1);
    addLevel('rest', 100);
    addSchema('it', byUser('alice'));
    expect(flowControl.enter(exchangeOf(alice))).toBeUndefined();
    const seconds: number[] = [];
    for (let second = 0; second < 8; second++) {
      for (let i = 0; i < 50; i++) {
        try {
          void flowControl.enter(exchangeOf(alice));
        } catch (error) {
          seconds.push((error as ApiError).details?.retryAfterSeconds as number);
        }
      }
      clock.advance(1000);
    }
    expect([seconds[0], Math.max(...seconds)]).toEqual([1, 8]);
  });
});

describe('seats of a request', () => {
  function seatsOf(path: string, method = 'GET') {
    addLevel('large', 1000, { queues: 8, handSize: 1, queueLengthLimit: 2 });
    addSchema('it', byUser('alice'), { level: 'large' });
    const level = flowControl.table.levels.find(({ name }) => name === 'large');
    expect(flowControl.table.classifier.schemas.length).toBe(3);
    const inUse = () => flowControl.table.levels.find(({ name }) => name === 'large')?.seats.inUse as number;
    const before = level === undefined ? 0 : inUse();
    void flowControl.enter(exchangeOf(alice, path, method));
    return inUse() - before;
  }

  beforeEach(() => {
    flowControl = new FlowControl({
      ...{ clock, deadlines: new Deadlines(clock), serverSeats: 600, requestTimeoutMs: 60_000, firstColumn: 0 },
      headers: { level: 'x-level', schema: 'x-schema' },
      sizes: { stored: () => sizes.stored, watches: () => sizes.watches },
      counts: new SharedCounts({ ...seatColumns, rows: 1 }),
    });
  });

  test('a list needs seats by its bytes', () => {
    expect(seatsOf('/api/v1/pods')).toBe(1);
    sizes.stored = { objects: 250, averageBytes: 1000 };
    expect(seatsOf('/api/v1/pods')).toBe(3);
    expect(seatsOf('/api/v1/pods?limit=10')).toBe(1);
    sizes.stored = { objects: 100_000, averageBytes: 10_000 };
    expect(seatsOf('/api/v1/pods')).toBe(10);
    expect(seatsOf('/api/v1/pods?fieldSelector=metadata.name%3Done')).toBe(1);
  });

  test('a watch needs as many when it begins with what there is', () => {
    sizes.stored = { objects: 500, averageBytes: 1000 };
    expect(seatsOf('/api/v1/pods?watch=true')).toBe(5);
    expect(seatsOf('/api/v1/pods?watch=true&resourceVersion=5')).toBe(1);
    expect(seatsOf('/api/v1/pods?watch=true&resourceVersion=5&sendInitialEvents=true')).toBe(5);
  });

  test('a write needs seats by the watches that see it, also after its answer', () => {
    expect(seatsOf('/api/v1/namespaces/shop/pods', 'POST')).toBe(1);
    sizes.watches = 45;
    const exchange = exchangeOf(alice, '/api/v1/namespaces/shop/pods', 'POST');
    const inUse = () => flowControl.table.levels.find(({ name }) => name === 'large')?.seats.inUse;
    expect(inUse()).toBe(1);
    void flowControl.enter(exchange);
    expect(inUse()).toBe(6);
    exchange.release?.();
    expect(inUse()).toBe(6);
    clock.advance(5);
    expect(inUse()).toBe(1);
    expect(seatsOf('/api/v1/namespaces/shop/serviceaccounts/web/token', 'POST')).toBe(1);
  });

  test('the seats of a watch are given back after a minute at the latest', () => {
    sizes.stored = { objects: 500, averageBytes: 1000 };
    seatsOf('/api/v1/pods?watch=true');
    const inUse = () => flowControl.table.levels.find(({ name }) => name === 'large')?.seats.inUse;
    clock.advance(59_999);
    expect(inUse()).toBe(5);
    clock.advance(1);
    expect(inUse()).toBe(0);
  });
});

describe('limits', () => {
  test('move every ten seconds to where they are needed', () => {
    addLevel('small', 10, { queues: 1, handSize: 1, queueLengthLimit: 100 });
    flowControl.table.putLevel({
      metadata: { name: 'lender' },
      spec: {
        type: 'Limited',
        limited: { nominalConcurrencyShares: 25, limitResponse: { type: 'Reject' }, lendablePercent: 100 },
      },
    });
    addSchema('it', byUser('alice'));
    flowControl.start(clock);
    for (let i = 0; i < 60; i++) void flowControl.enter(exchangeOf(alice))?.catch(() => {});
    const level = flowControl.table.levels.find(({ name }) => name === 'small');
    const before = level?.queues.executing as number;
    clock.advance(10_000);
    expect(level?.queues.executing).toBeGreaterThan(before);
    expect(level?.queues.limit).toBeGreaterThan(15);
    flowControl.close();
  });

  test('a deleted level serves what it has, and ends', () => {
    addLevel('small', 10, { queues: 1, handSize: 1, queueLengthLimit: 100 });
    addSchema('it', byUser('alice'));
    const exchange = exchangeOf(alice);
    void flowControl.enter(exchange);
    flowControl.table.removeLevel('small');
    expect(schemaOf(exchangeOf(alice))).toBe('catch-all');
    expect(flowControl.table.levels.map(({ name }) => name)).toContain('small');
    exchange.release?.();
    flowControl.table.adjust();
    expect(schemaOf(exchangeOf(alice))).toBe('catch-all');
    expect(flowControl.table.levels.map(({ name }) => name)).not.toContain('small');
  });
});
