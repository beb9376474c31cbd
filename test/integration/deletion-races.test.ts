// Many clients create, change and delete the same few objects at once. What a watch saw has to be the life of each
// object as the specification tells it (Object deletion), whichever client won.

import { expect, test } from 'vitest';
import { startTestServer } from '../../src/testing/index.ts';
import { type Answer, type Api, apiOf, configMaps } from './api.ts';

const names = ['a', 'b', 'c', 'd'];
const finalizers = ['example.com/one', 'example.com/two', 'example.com/three'];
const clients = 16;
const steps = 30;

/** The same sequence for the same seed. */
function dice(seed: number) {
  let state = seed;
  const roll = (sides: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
  return { roll, pick: <T>(items: readonly T[]): T => items[roll(items.length)] as T };
}
type Dice = ReturnType<typeof dice>;

type Deed = (api: Api, name: string, dice: Dice) => Promise<Answer>;

const at = (name: string) => `${configMaps}/${name}`;

const deeds: readonly Deed[] = [
  (api, name, { pick, roll }) => {
    const metadata = { name, ...(roll(2) === 0 ? { finalizers: [pick(finalizers)] } : {}) };
    return api.post(configMaps, { metadata });
  },
  (api, name, { roll }) => api.patch('merge', at(name), { data: { value: String(roll(1000)) } }),
  (api, name, { pick }) => api.patch('merge', at(name), { metadata: { finalizers: [pick(finalizers)] } }),
  (api, name) => api.patch('json', at(name), [{ op: 'remove', path: '/metadata/finalizers/0' }]),
  (api, name) => api.patch('merge', at(name), { metadata: { finalizers: null } }),
  (api, name) => api.delete(at(name)),
  (api, name, { pick }) => api.delete(at(name), { propagationPolicy: pick(['Background', 'Foreground', 'Orphan']) }),
  replaceWhatWasRead,
  deleteWhatWasRead,
  (api) => api.delete(configMaps),
];

async function replaceWhatWasRead(api: Api, name: string, { roll }: Dice): Promise<Answer> {
  const read = await api.get(at(name));
  if (read.status !== 200) return read;
  return api.put(at(name), { ...read.body, data: { replaced: String(roll(1000)) } });
}

async function deleteWhatWasRead(api: Api, name: string): Promise<Answer> {
  const read = await api.get(at(name));
  if (read.status !== 200) return read;
  const { uid, resourceVersion } = read.body.metadata;
  return api.delete(at(name), { preconditions: { uid, resourceVersion } });
}

interface Seen {
  readonly type: string;
  readonly object: {
    readonly metadata: {
      readonly uid: string;
      readonly resourceVersion: string;
      readonly deletionTimestamp?: string;
      readonly finalizers?: readonly string[];
    };
  };
}

/** Everything a watch tells before the last event. */
async function watched(body: ReadableStream<Uint8Array>, isLast: (event: Seen) => boolean): Promise<Seen[]> {
  const events: Seen[] = [];
  let text = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) {
      const event = JSON.parse(line) as Seen;
      if (isLast(event)) return events;
      events.push(event);
    }
  }
  return events;
}

function livesIn(events: readonly Seen[]): Map<string, Seen[]> {
  const lives = new Map<string, Seen[]>();
  for (const event of events) {
    const { uid } = event.object.metadata;
    lives.set(uid, [...(lives.get(uid) ?? []), event]);
  }
  return lives;
}

const brief = ({ type, object: { metadata } }: Seen) =>
  `${type} at ${metadata.resourceVersion} held by [${metadata.finalizers ?? ''}] ${metadata.deletionTimestamp ?? ''}`;

/** What is wrong with the life of one object, as a watch saw it. */
function complaints(life: readonly Seen[]): string[] {
  const wrong: string[] = [];
  const say = (what: string) => wrong.push(`${what}: ${life.map(brief).join(', ')}`);
  if (life[0]?.type !== 'ADDED') say('does not begin with its creation');
  if (life.filter(({ type }) => type === 'ADDED').length !== 1) say('is created more than once');
  if (life.slice(0, -1).some(({ type }) => type === 'DELETED')) say('goes on after its end');
  for (const [index, event] of life.entries()) {
    const before = life[index - 1]?.object.metadata;
    const { metadata } = event.object;
    const held = metadata.finalizers ?? [];
    const isGone = event.type === 'DELETED';
    if (!isGone && metadata.deletionTimestamp && held.length === 0) say('stays although nothing holds it');
    if (before === undefined) continue;
    if (Number(metadata.resourceVersion) <= Number(before.resourceVersion)) say('goes back in time');
    if (before.deletionTimestamp === undefined) {
      if (isGone && (before.finalizers ?? []).length > 0) say('goes although finalizers hold it');
      continue;
    }
    if (metadata.deletionTimestamp !== before.deletionTimestamp) say('changes the time of its deletion');
    const added = held.filter((name) => !(before.finalizers ?? []).includes(name));
    // a later delete may still say what is to become of dependents
    if (added.some((name) => finalizers.includes(name))) say('gets finalizers while it goes');
  }
  return wrong;
}

test.each([1, 2])('objects live and die in order, whichever client is faster (seed %i)', async (seed) => {
  // foreground and orphan finalizers stay until a client removes them: the race is between clients alone
  await using server = await startTestServer({
    listen: false,
    controllers: ['*', '-garbagecollector', '-root-ca-cert-publisher'],
  });
  const api = apiOf(server);
  const { resourceVersion } = (await api.get(configMaps)).body.metadata;
  const stream = await server.fetch(`${configMaps}?watch=1&resourceVersion=${resourceVersion}`);
  const isLast = ({ object }: Seen) => (object.metadata as { name?: string }).name === 'the-end';
  const events = watched(stream.body as ReadableStream<Uint8Array>, isLast);

  const outcomes = new Map<number, number>();
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      const own = dice(seed * 1000 + client);
      for (let step = 0; step < steps; step++) {
        const { status } = await own.pick(deeds)(api, own.pick(names), own);
        outcomes.set(status, (outcomes.get(status) ?? 0) + 1);
      }
    }),
  );
  // nothing but success, what is not there, what is taken, a lost race, and what may not be done to an object that goes
  expect([...outcomes.keys()].filter((code) => ![200, 201, 202, 404, 409, 422].includes(code))).toEqual([]);
  for (const code of [200, 201, 404, 409]) expect(outcomes.get(code) ?? 0, `answers with ${code}`).toBeGreaterThan(0);
  const left = (await api.get(configMaps)).body.items;
  await api.post(configMaps, { metadata: { name: 'the-end' } });

  const lives = livesIn(await events);
  expect(lives.size).toBeGreaterThan(10);
  expect([...lives.values()].flatMap(complaints)).toEqual([]);
  const alive = [...lives].filter(([, life]) => life.at(-1)?.type !== 'DELETED').map(([uid]) => uid);
  expect(alive.sort()).toEqual(left.map((object: Seen['object']) => object.metadata.uid).sort());
});
