// The table of the rules of RFC 9113 and RFC 7541 on both implementations of HTTP/2. Each deviation is named with its outcome.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { frame, greeting } from '../testing/http2-bytes.ts';
import { type Http2Case, http2Cases, type Outcome } from '../testing/http2-cases.ts';
import { type RawClient, TestListener } from '../testing/raw-http2-client.ts';
import { type Http2Implementation, http2Implementations } from './http2-implementation.ts';

const nameOf = ({ section, title }: Http2Case) => `${section}: ${title}`;

type Deviations = Readonly<Record<string, Outcome>>;

/** What Node does instead in all releases, by section and title. */
const ofNode: Deviations = {
  '3.4: an invalid preface': 'goaway 2',
  '5.1, closed by a reset: data': 'goes on',
  '5.1, closed by a reset: headers': 'goes on',
  '5.1, closed by both ends: data': 'answered',
  '5.1, closed by both ends: headers': 'answered',
  '5.1.1: a number lower than one before': 'goes on',
  '6.7: the answer to no ping': 'goaway 2',
};

/** Before release 22, and since. */
const ofOlderNode: Deviations = {
  '5.4.1: an invalid ping closes the connection': 'goaway 2',
  '5.4.1: an invalid ping is answered with a GOAWAY first': 'goaway 2',
  '8.4: a push': 'goaway 2',
  '5.1, idle: a reset': 'goaway 2',
  '5.1, idle: a window': 'goaway 2',
  '5.1.1: an even number': 'goaway 2',
  '6.2: headers on stream 0': 'goaway 2',
  '6.3: a priority on stream 0': 'goaway 2',
  '6.4: a reset on stream 0': 'goaway 2',
  '6.4: a reset of an idle stream': 'goaway 2',
  '6.5: settings on a stream': 'goaway 2',
  '6.5.2: push that is neither on nor off': 'goaway 2',
  '6.5.2: frames below 16,384 bytes': 'goaway 2',
  '6.5.2: frames above 16,777,215 bytes': 'goaway 2',
  '6.7: a ping on a stream': 'goaway 2',
  '6.8: a GOAWAY on a stream': 'goaway 2',
  '6.9: an increment of 0': 'goaway 2',
  '5.1, half-closed (remote): headers': 'goaway 2',
  '5.3.1 (RFC 7540): headers that depend on themselves': 'goaway 2',
  '6.9: an increment of 0 for a stream': 'goaway 2',
  '6.5.2: a window above its maximum': 'goaway 2',
  '6.9.1: a window of the connection beyond its maximum': 'goaway 2',
  '6.9.2: a first window above its maximum': 'goaway 2',
};
const ofNewerNode: Deviations = {
  '5.3.1 (RFC 7540): a priority that depends on itself': 'goes on',
  '6.3: a priority on stream 0': 'goes on',
  '6.9.1: a window of a stream beyond its maximum': 'goaway 3',
  '8.1.1: a body of another length': 'goaway 2',
  '8.1.1: a body of another length in two frames': 'goaway 2',
};
/** Node sends its GOAWAY, or closes the connection before it is sent. */
const eitherWay: Deviations = { '5.1.2: one request more than may be under way': 'closed' };
const isOlderNode = Number(process.versions.node.split('.')[0]) < 22;

const deviations: Readonly<Record<Http2Implementation, Deviations>> = {
  // priorities are ignored, as RFC 9113 has given them up
  own: {
    '5.3.1 (RFC 7540): headers that depend on themselves': 'answered',
    '5.3.1 (RFC 7540): a priority that depends on itself': 'goes on',
  },
  node: { ...ofNode, ...(isOlderNode ? ofOlderNode : ofNewerNode) },
};

test('the table has every rule once', () => {
  const names = http2Cases.map(nameOf);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThanOrEqual(147);
  const deviating = Object.values(deviations).flatMap((one) => Object.keys(one));
  expect(deviating.filter((name) => !names.includes(name))).toEqual([]);
});

describe.each(http2Implementations)('%s', (http2) => {
  let listener: TestListener;

  beforeAll(async () => {
    listener = await new TestListener({ http2 }).listen();
    listener.handler = async (request) => ({
      status: 200,
      headers: {},
      body:
        request.method === 'GET' ? 'an answer' : Buffer.from(await request.readBody(100_000).catch(() => 'cut off')),
    });
  });
  afterAll(() => listener.close());

  test.each(http2Cases.map((row) => [nameOf(row), row] as const))('%s', async (name, row) => {
    const deviation = deviations[http2][name];
    const others = http2 === 'node' && eitherWay[name] ? [eitherWay[name]] : [];
    const client = await listener.open();
    const outcome = await outcomeOf(client, row);
    client.socket.destroy();
    expect(deviation === undefined ? [...row.allowed, ...others] : [deviation]).toContain(outcome);
    // a deviation that was fixed has to be taken out of the list
    if (deviation !== undefined) expect(row.allowed).not.toContain(outcome);
  });
});

async function outcomeOf(client: RawClient, row: Http2Case): Promise<Outcome> {
  if (!row.isUngreeted) {
    client.send(greeting);
    await client.until(() => client.of(0, 4).length === 2);
    client.send(frame(4, 1, 0));
  }
  const isAnswered = row.allowed.includes('answered');
  for (const step of row.steps) {
    if (typeof step !== 'string') client.send(step);
    else await reached(client, step);
  }
  if (isAnswered && row.allowed.length === 1)
    await untilOrEnd(client, () => client.isEnded(1) || client.code(1) !== undefined);
  // twice: what a server sends on a stream may come behind the answer to a ping
  for (let round = 0; round < 2; round++) await settledOrClosed(client);
  return seenBy(client, row);
}

function seenBy(client: RawClient, { steps }: Http2Case): Outcome {
  const code = client.code(0);
  const [reset] = client.frames.filter(({ type }) => type === 3);
  if (code !== undefined) return `goaway ${code}`;
  if (reset !== undefined) return `reset ${reset.payload.readUInt32BE(0)}`;
  if (client.isClosed) return 'closed';
  if (steps.at(-1) === 'until data') return `data ${client.of(1, 0).at(-1)?.payload.length ?? 0}`;
  return client.isEnded(1) ? 'answered' : 'goes on';
}

async function reached(client: RawClient, step: Exclude<Http2Case['steps'][number], Buffer>): Promise<void> {
  const acknowledged = () => client.of(0, 4).filter(({ flags }) => flags === 1).length;
  const [pieces, acks] = [client.of(1, 0).length, acknowledged()];
  if (step === 'until answered') await untilOrEnd(client, () => client.isEnded(1));
  else if (step === 'until data') await untilOrEnd(client, () => client.of(1, 0).length > pieces);
  else await untilOrEnd(client, () => acknowledged() > acks || acks > 1);
}

async function untilOrEnd(client: RawClient, isThere: () => boolean): Promise<void> {
  await client.until(() => client.isClosed || isThere());
}

async function settledOrClosed(client: RawClient): Promise<void> {
  const pongs = () => client.frames.filter(({ type, flags }) => type === 6 && (flags & 1) === 1).length;
  const before = pongs();
  client.send(frame(6, 0, 0, 'settling'));
  await untilOrEnd(client, () => pongs() > before);
}
