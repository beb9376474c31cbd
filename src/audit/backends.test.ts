import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TempFolder } from '../../test/interop/temp-folder.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { type AuditBackend, AuditCounts, lossReporter } from './backend.ts';
import { type BatchConfig, BatchingBackend } from './batching.ts';
import { blocking, blockingBudgetMs } from './blocking.ts';
import { type AuditEvent, eventJson, eventText } from './event.ts';
import { LogBackend, streamSink } from './log-backend.ts';
import { RotatingFile } from './rotating-file.ts';
import { truncating } from './truncation.ts';
import { WebhookBackend } from './webhook-backend.ts';

const event = (id: string, more: Partial<AuditEvent> = {}): AuditEvent => ({
  level: 'Metadata',
  auditID: id,
  stage: 'ResponseComplete',
  requestURI: '/api/v1/pods?limit=1',
  verb: 'list',
  user: { name: 'ann', groups: ['devs', 'a "b"'] },
  impersonatedUser: undefined,
  impersonationConstraint: undefined,
  sourceIPs: ['10.0.0.1'],
  userAgent: 'kubectl\n',
  objectRef: { resource: 'pods', apiVersion: 'v1' },
  responseStatus: { code: 200 },
  requestObject: undefined,
  responseObject: undefined,
  requestReceivedTimestamp: '2030-01-01T00:00:00.000000Z',
  stageTimestamp: '2030-01-01T00:00:00.000000Z',
  annotations: undefined,
  ...more,
});
const many = (count: number) => Array.from({ length: count }, (_, index) => event(`e${index}`));
const ids = (events: readonly AuditEvent[]) => events.map(({ auditID }) => auditID);

let counts: AuditCounts;
let clock: FakeClock;
const lost = () => lossReporter(counts, () => {});
beforeEach(() => {
  counts = new AuditCounts();
  clock = new FakeClock();
});

/** Keeps what it gets, and answers when the test says so. */
class Receiver implements AuditBackend {
  readonly batches: string[][] = [];
  readonly #pending: ((delivered: boolean) => void)[] = [];
  readonly #answersAtOnce: boolean;

  constructor(answersAtOnce = true) {
    this.#answersAtOnce = answersAtOnce;
  }

  process(events: readonly AuditEvent[]): Promise<boolean> {
    this.batches.push(ids(events));
    if (this.#answersAtOnce) return Promise.resolve(true);
    return new Promise((resolve) => this.#pending.push(resolve));
  }

  answer(delivered: boolean): void {
    for (const resolve of this.#pending.splice(0)) resolve(delivered);
  }

  async close(): Promise<void> {}
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('batches', () => {
  const config: BatchConfig = {
    bufferSize: 10,
    maxBatchSize: 3,
    maxBatchWaitMs: 1000,
    throttle: undefined,
    maxBatchBytes: undefined,
  };
  const batching = (receiver: AuditBackend, more: Partial<BatchConfig> = {}) =>
    new BatchingBackend(receiver, { ...config, ...more }, { clock, lost: lost() });

  test('are sent when they are full, and otherwise some time after their first event', async () => {
    const receiver = new Receiver();
    const backend = batching(receiver);
    backend.process(many(4));
    expect(receiver.batches).toEqual([['e0', 'e1', 'e2']]);
    await settled();
    clock.advance(999);
    expect(receiver.batches).toHaveLength(1);
    clock.advance(1);
    expect(receiver.batches[1]).toEqual(['e3']);
  });

  test('are no more a second than the throttle lets through', async () => {
    const receiver = new Receiver();
    const backend = batching(receiver, { maxBatchSize: 1, throttle: { qps: 2, burst: 2 } });
    backend.process(many(4));
    await settled();
    expect(receiver.batches).toHaveLength(2);
    clock.advance(500);
    await settled();
    expect(receiver.batches).toHaveLength(3);
    clock.advance(500);
    await settled();
    expect(receiver.batches).toHaveLength(4);
  });

  test('are split where they would be too long', async () => {
    const receiver = new Receiver();
    const size = eventJson(event('e0')).length;
    batching(receiver, { maxBatchBytes: 2 * size }).process(many(3));
    expect(receiver.batches).toEqual([['e0', 'e1']]);
  });

  test('of a dead receiver fill the queue and no more; what is dropped is counted', async () => {
    const receiver = new Receiver(false);
    const backend = batching(receiver, { maxBatchSize: 1 });
    expect(backend.process(many(100))).toBe(true);
    // four under way, ten waiting
    expect(counts.errors.get('buffered')).toBe(90);
    receiver.answer(true);
    await settled();
    backend.process([event('later')]);
    expect(counts.errors.get('buffered')).toBe(90);
  });

  test('that are left at the end are sent, or counted when no backend takes them', async () => {
    const receiver = new Receiver();
    const backend = batching(receiver);
    backend.process(many(2));
    await backend.close();
    expect(receiver.batches).toEqual([['e0', 'e1']]);

    const dead = batching(new Receiver(false), { maxBatchSize: 1 });
    dead.process(many(6));
    const closed = dead.close();
    clock.advance(5000);
    await closed;
    expect(counts.errors.get('buffered')).toBe(2);
  });
});

describe('requests that wait', () => {
  test('wait no longer than their budget', async () => {
    const waiting = Promise.resolve(blocking(new Receiver(false), clock, false).process(many(1)));
    const strict = Promise.resolve(blocking(new Receiver(false), clock, true).process(many(1)));
    clock.advance(blockingBudgetMs);
    expect([await waiting, await strict]).toEqual([true, false]);
  });

  test('go on after a failure unless that is to be strict', async () => {
    const failing: AuditBackend = { process: () => Promise.resolve(false), close: async () => {} };
    expect(await blocking(failing, clock, false).process(many(1))).toBe(true);
    expect(await blocking(failing, clock, true).process(many(1))).toBe(false);
  });
});

describe('long events', () => {
  const long = 'x'.repeat(2000);
  const process = (...events: AuditEvent[]) => {
    const taken: AuditEvent[] = [];
    const delegate: AuditBackend = { process: (some) => taken.push(...some) > 0, close: async () => {} };
    void truncating(delegate, { maxEventSize: 1000, annotation: 'audit/truncated' }, lost()).process(events);
    return taken;
  };

  test('lose their bodies, and say so', () => {
    const [short, cut] = process(
      event('short'),
      event('long', { level: 'Request', requestObject: `"${long}"`, annotations: { a: 'b' } }),
    );
    expect(short).toEqual(event('short'));
    expect(cut).toMatchObject({ requestObject: undefined, annotations: { a: 'b', 'audit/truncated': 'true' } });
    expect(counts.errors.size).toBe(0);
  });

  test('that are long without bodies are dropped and counted', () => {
    expect(process(event('a', { requestURI: long }), event('b', { level: 'Request', requestURI: long }))).toEqual([]);
    expect(counts.errors.get('truncate')).toBe(2);
  });
});

describe('the log', () => {
  const config = { format: 'json', apiVersion: 'audit/v1' } as const;

  test('has a line for each event, whatever the event says', async () => {
    const stream = new PassThrough();
    const backend = new LogBackend(streamSink(stream), config, lost());
    await Promise.all([backend.process([event('a')]), backend.process([event('b', { userAgent: 'x\ny' })])]);
    const lines = String(stream.read()).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { kind: 'Event', apiVersion: 'audit/v1', auditID: 'a', user: { username: 'ann', groups: ['devs', 'a "b"'] } },
      { auditID: 'b', userAgent: 'x\ny' },
    ]);
  });

  test('has an old form', () => {
    expect(eventText(event('id'))).toBe(
      '2030-01-01T00:00:00.000000Z AUDIT: id="id" stage="ResponseComplete" ip="10.0.0.1" method="list" user="ann" ' +
        'groups="\\"devs\\",\\"a \\\\\\"b\\\\\\"\\"" as="<self>" asgroups="<lookup>" user-agent="kubectl\\n" ' +
        'namespace="<none>" uri="/api/v1/pods?limit=1" response="200"',
    );
  });

  test('that cannot be written to counts what is lost, and goes on when it can', async () => {
    let isFull = true;
    const written: string[] = [];
    const sink = {
      append: async (text: string) => {
        if (isFull) throw new Error('ENOSPC');
        written.push(text);
      },
      close: async () => {},
    };
    const backend = new LogBackend(sink, config, lost());
    expect(await backend.process(many(2))).toBe(false);
    expect(counts.errors.get('log')).toBe(2);
    isFull = false;
    expect(await backend.process([event('a')])).toBe(true);
    expect(written).toHaveLength(1);
  });

  test('on a disk that hangs takes so much and no more', () => {
    const backend = new LogBackend({ append: () => new Promise(() => {}), close: async () => {} }, config, lost());
    const large = event('large', { requestURI: 'x'.repeat(1024 * 1024) });
    for (let count = 0; count < 40; count++) void backend.process([large]);
    expect(counts.errors.get('log')).toBe(9);
  });
});

describe('a log file', () => {
  let folder: TempFolder;
  let path: string;
  beforeEach(() => {
    folder = new TempFolder();
    path = join(folder.path, 'audit.log');
  });
  afterEach(() => folder[Symbol.dispose]());
  const failures: unknown[] = [];
  const file = (more: object = {}) =>
    new RotatingFile(
      { path, maxBytes: 100, maxBackups: 0, maxAgeDays: 0, compresses: false, ...more },
      clock,
      (error) => failures.push(error),
    );
  const line = (letter: string) => `${letter.repeat(59)}\n`;
  const names = () => readdirSync(folder.path).sort();

  test('is put aside under its time when it is full, and nothing is lost', async () => {
    const log = file();
    for (const letter of 'abc') await log.append(line(letter));
    await log.close();
    expect(names()).toEqual(['audit-2030-01-01T00-00-00.000.log', 'audit-2030-01-01T00-00-00.001.log', 'audit.log']);
    expect(names().map((name) => readFileSync(join(folder.path, name), 'utf8')[0])).toEqual(['a', 'b', 'c']);
  });

  test('goes on where it ended', async () => {
    writeFileSync(path, line('a'));
    const log = file({ maxBytes: 120 });
    await log.append(line('b'));
    await log.append(line('c'));
    await log.close();
    expect(readFileSync(path, 'utf8')).toBe(line('c'));
    expect(names()).toHaveLength(2);
  });

  test('keeps as many old ones as it should, and no files that are not its own', async () => {
    writeFileSync(join(folder.path, 'audit-notes.log'), 'mine');
    const log = file({ maxBackups: 2 });
    for (const letter of 'abcde') {
      await log.append(line(letter));
      clock.advance(1000);
      await log.close();
    }
    expect(names()).toEqual([
      'audit-2030-01-01T00-00-03.000.log',
      'audit-2030-01-01T00-00-04.000.log',
      'audit-notes.log',
      'audit.log',
    ]);
  });

  test('drops old ones after some days', async () => {
    const log = file({ maxAgeDays: 2 });
    await log.append(line('a'));
    await log.append(line('b'));
    clock.advance(3 * 24 * 3600 * 1000);
    await log.append(line('c'));
    await log.close();
    expect(names()).toEqual(['audit-2030-01-04T00-00-00.000.log', 'audit.log']);
  });

  test('compresses old ones', async () => {
    const log = file({ compresses: true });
    await log.append(line('a'));
    await log.append(line('b'));
    await log.close();
    expect(names()).toEqual(['audit-2030-01-01T00-00-00.000.log.gz', 'audit.log']);
    expect(gunzipSync(readFileSync(join(folder.path, names()[0] as string))).toString()).toBe(line('a'));
  });

  test('is for its owner alone, and its folder is made', async () => {
    path = join(folder.path, 'deep', 'er', 'audit.log');
    const log = file();
    await log.open();
    await log.close();
    const { statSync } = await import('node:fs');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('that cannot be opened fails at once', async () => {
    mkdirSync(path);
    await expect(file().open()).rejects.toThrow('EISDIR');
  });
});

describe('the webhook', () => {
  const config = { apiVersion: 'audit/v1', initialBackoffMs: 1000 };
  const posting = (answers: (number | Error)[], bodies: string[] = []) => {
    const post = async (body: string) => {
      bodies.push(body);
      const answer = answers.shift() ?? 200;
      if (answer instanceof Error) throw answer;
      return answer;
    };
    return new WebhookBackend(post, config, clock, lost());
  };
  /** Lets pauses pass until the events are delivered or given up. */
  const outcome = async (backend: WebhookBackend, events: readonly AuditEvent[]) => {
    let result: boolean | undefined;
    void backend.process(events).then((delivered) => {
      result = delivered;
    });
    for (let turn = 0; turn < 20 && result === undefined; turn++) {
      await settled();
      if (result === undefined) clock.advance(10_000);
    }
    return result;
  };

  test('gets lists of events', async () => {
    const bodies: string[] = [];
    expect(await outcome(posting([], bodies), many(2))).toBe(true);
    expect(JSON.parse(bodies[0] as string)).toMatchObject({
      kind: 'EventList',
      apiVersion: 'audit/v1',
      items: [{ auditID: 'e0' }, { auditID: 'e1' }],
    });
    expect(JSON.parse(bodies[0] as string).items[0]).not.toHaveProperty('kind');
  });

  test('an audit webhook is called again after failures of the connection or of the server, and when it is busy', async () => {
    const bodies: string[] = [];
    const answers = [new Error('refused'), 503, 429];
    expect(await outcome(posting(answers, bodies), many(1))).toBe(true);
    expect(bodies).toHaveLength(4);
    expect(counts.errors.size).toBe(0);
  });

  test('an audit webhook that refuses is not called again, and a dead one is given up; both are counted', async () => {
    const bodies: string[] = [];
    expect(await outcome(posting([403], bodies), many(3))).toBe(false);
    expect(bodies).toHaveLength(1);
    expect(counts.errors.get('webhook')).toBe(3);
    const dead = Array.from({ length: 9 }, () => new Error('dead'));
    expect(await outcome(posting(dead, bodies), many(2))).toBe(false);
    expect(bodies).toHaveLength(6);
    expect(counts.errors.get('webhook')).toBe(5);
  });

  test('does not hold up the end of the server', async () => {
    const backend = posting([new Error('dead')]);
    const pending = backend.process(many(1));
    await settled();
    await backend.close();
    expect(await pending).toBe(false);
  });
});
