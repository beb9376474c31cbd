// Load, something that breaks at random moments, and then the question whether every client heard the truth.

import { type Acknowledged, collection, type Reached, type Seen, Watcher, Writer } from './clients.ts';
import { Target } from './target.ts';

export interface CrashReport {
  readonly crashes: number;
  readonly acknowledged: number;
  readonly events: number;
  /** What must not happen; empty when all is well. */
  readonly problems: readonly string[];
}

interface LoadOptions {
  readonly durationMs: number;
  readonly writers?: number;
  readonly watchers?: number;
}

export interface CrashOptions extends LoadOptions {
  readonly store: 'embedded' | 'etcd';
  /** Threads that serve; 1 unless given. */
  readonly threads?: number;
}

interface Listed {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly resourceVersion: string };
    readonly data: { readonly value: string };
  }[];
}

export async function crashTest(options: CrashOptions): Promise<CrashReport> {
  await using target = new Target(options.store, options.threads ?? 1);
  await target.start();
  return await checkedLoad(target, options, () => target.crash(Math.random() < 0.5 ? 'server' : 'etcd'));
}

/** `crash` resolves when everything runs again. */
export async function checkedLoad(
  target: Reached,
  { durationMs, writers: writerCount = 8, watchers: watcherCount = 3 }: LoadOptions,
  crash: () => Promise<void>,
): Promise<CrashReport> {
  const begin = Number((await list(target)).metadata.resourceVersion);
  const end = Date.now() + durationMs;
  let crashing = true;
  const writers = Array.from({ length: writerCount }, (_, id) => new Writer(target, id));
  const watchers = Array.from({ length: watcherCount }, () => new Watcher(target, begin));
  const watching = watchers.map((watcher) => watcher.run(() => !crashing));
  const writing = writers.map((writer) => writer.run(() => !crashing));
  let crashes = 0;
  while (Date.now() < end || crashes < 2) {
    await someWrites(writers);
    await sleep(Math.random() * 500);
    await crash();
    crashes++;
  }
  crashing = false;
  await Promise.all(writing);
  // the last word, so that every watcher knows when it has heard everything
  const marker = await mark(target);
  const last = await list(target);
  await Promise.all(watching);
  for (const watcher of watchers) await watcher.finish(marker);
  const acknowledged = writers.flatMap((writer) => writer.acknowledged);
  const problems = [
    ...watchers.flatMap((watcher) => watcher.problems),
    ...writers.flatMap((writer) => writer.problems),
    ...checkSameEvents(watchers),
    ...writers.flatMap((writer) => checkWriter(writer.acknowledged, (watchers[0] as Watcher).seen)),
    ...checkFinal((watchers[0] as Watcher).seen, last),
  ];
  return { crashes, acknowledged: acknowledged.length, events: watchers[0]?.seen.length ?? 0, problems };
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** However slow the machine is, something has to be at stake when the server is killed. */
async function someWrites(writers: readonly Writer[]): Promise<void> {
  const count = () => writers.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0);
  const wanted = count() + 20;
  const deadline = Date.now() + 10_000;
  while (count() < wanted && Date.now() < deadline) await sleep(20);
}

async function list(target: Reached): Promise<Listed> {
  for (;;) {
    const answer = await target.call('GET', collection);
    if (answer?.status === 200) return JSON.parse(answer.body) as Listed;
  }
}

async function mark(target: Reached): Promise<number> {
  for (let attempt = 0; ; attempt++) {
    const metadata = { name: `end-${attempt}` };
    const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata, data: { value: 'end' } };
    const answer = await target.call('POST', collection, object);
    if (answer?.status === 201) {
      return Number((JSON.parse(answer.body) as Listed['items'][number]).metadata.resourceVersion);
    }
  }
}

function checkSameEvents(watchers: readonly Watcher[]): string[] {
  const [first, ...others] = watchers.map(({ seen }) => seen.map((event) => JSON.stringify(event)));
  return others.flatMap((other, index) => {
    if (other.length !== first?.length)
      return [`watcher ${index + 1} saw ${other.length} events, watcher 0 ${first?.length}`];
    const at = other.findIndex((event, i) => event !== first[i]);
    return at < 0 ? [] : [`watcher ${index + 1} saw ${other[at]} where watcher 0 saw ${first?.[at]}`];
  });
}

/** Every acknowledged write is among the events, in the order in which its writer made it. */
function checkWriter(acknowledged: readonly Acknowledged[], seen: readonly Seen[]): string[] {
  const problems: string[] = [];
  const byName = groupByName(seen);
  const reached = new Map<string, number>();
  for (const write of acknowledged) {
    const from = reached.get(write.name) ?? 0;
    const events = byName.get(write.name) ?? [];
    const at = events.findIndex((event, i) => i >= from && isThatWrite(event, write));
    if (at < 0) problems.push(`acknowledged and lost: ${JSON.stringify(write)}`);
    else reached.set(write.name, at + 1);
  }
  const versions = acknowledged.flatMap(({ version }) => (version === undefined ? [] : [version]));
  versions.forEach((version, i) => {
    const before = versions[i - 1] ?? 0;
    if (version <= before) problems.push(`version ${version} was handed out after ${before}`);
  });
  return problems;
}

function isThatWrite(event: Seen, { type, version, value }: Acknowledged): boolean {
  return event.type === type && event.value === value && (version === undefined || event.version === version);
}

function groupByName(seen: readonly Seen[]): Map<string, Seen[]> {
  const groups = new Map<string, Seen[]>();
  for (const event of seen) {
    const group = groups.get(event.name);
    if (group === undefined) groups.set(event.name, [event]);
    else group.push(event);
  }
  return groups;
}

/** The last event of each name is what the list shows. */
function checkFinal(seen: readonly Seen[], { items, metadata }: Listed): string[] {
  const problems: string[] = [];
  const final = new Map(seen.filter(({ type }) => type !== 'DELETED').map((event) => [event.name, event]));
  const deleted = new Map(seen.filter(({ type }) => type === 'DELETED').map((event) => [event.name, event.version]));
  for (const { metadata: found, data } of items) {
    const event = final.get(found.name);
    if (event?.version !== Number(found.resourceVersion) || event.value !== data.value) {
      problems.push(`${found.name} is at ${found.resourceVersion}, its last event was ${JSON.stringify(event)}`);
    }
  }
  const names = new Set(items.map((item) => item.metadata.name));
  for (const [name, { version }] of final) {
    if (!names.has(name) && (deleted.get(name) ?? 0) < version) problems.push(`${name} is gone without an event`);
  }
  const newest = Math.max(0, ...seen.map(({ version }) => version));
  if (Number(metadata.resourceVersion) < newest) {
    problems.push(`the list is at ${metadata.resourceVersion}, events went up to ${newest}`);
  }
  return problems;
}
