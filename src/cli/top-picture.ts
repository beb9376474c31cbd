// What `keelson top` shows: the difference of two samples, as data and as text for a terminal.

import { foreignText } from '../base/text/foreign-text.ts';
import type { ThreadUse } from '../metrics/thread-metrics.ts';
import type { RequestRecord } from '../trace/request-trace.ts';
import { columns } from './columns.ts';
import type { RecordedPage, Sample } from './top-sample.ts';

interface Rate {
  readonly name: string;
  readonly perSecond: number;
}

interface SlowRequest {
  readonly durationMs: number;
  readonly verb: string;
  readonly path: string;
  readonly user: string;
  readonly status: number;
  /** The part of the work that took longest. */
  readonly slowestStage: string;
}

interface LevelUse {
  readonly priorityLevel: string;
  readonly executingSeats: number;
  readonly limitSeats: number;
  readonly waiting: number;
  readonly refusedPerSecond: number;
}

export interface Picture {
  readonly url: string;
  /** The time between the samples. */
  readonly seconds: number;
  readonly requestsPerSecond: number;
  readonly errorsPerSecond: number;
  readonly underWay: number;
  readonly watches: number;
  readonly objects: number;
  readonly storeBytes?: number;
  readonly memoryBytes: number;
  /** Of one processor. */
  readonly processorShare: number;
  readonly verbs: readonly Rate[];
  /** Absent where the server does not show requests to this user. */
  readonly users?: readonly Rate[];
  readonly slowest?: readonly SlowRequest[];
  readonly threads: readonly ThreadUse[];
  readonly priorityLevels: readonly LevelUse[];
}

/** Users and requests that are shown. */
const rows = 8;

export function pictureOf(url: string, before: Sample, now: Sample): Picture {
  const seconds = Math.max(0.001, (now.at - before.at) / 1000);
  const rate = (count: number) => Math.round((Math.max(0, count) / seconds) * 10) / 10;
  const verbs = [...now.requests].map(([name, count]) => ({
    name,
    perSecond: rate(count - (before.requests.get(name) ?? 0)),
  }));
  return {
    url,
    seconds: Math.round(seconds * 10) / 10,
    requestsPerSecond: rate(sum(now.requests.values()) - sum(before.requests.values())),
    errorsPerSecond: rate(now.errors - before.errors),
    ...{ underWay: now.underWay, watches: now.watches, objects: now.objects, memoryBytes: now.memoryBytes },
    ...(now.storeBytes === undefined ? {} : { storeBytes: now.storeBytes }),
    processorShare: Math.round(((now.processorSeconds - before.processorSeconds) / seconds) * 100) / 100,
    verbs: most(verbs),
    ...(now.recorded === undefined
      ? {}
      : {
          users: usersIn(now.recorded, before.recorded?.last ?? 0, rate),
          slowest: slowestIn(now.recorded),
        }),
    threads: now.threads,
    priorityLevels: [...now.levels].map(([priorityLevel, { refused, ...use }]) => ({
      priorityLevel,
      ...use,
      refusedPerSecond: rate(refused - (before.levels.get(priorityLevel)?.refused ?? 0)),
    })),
  };
}

const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);

const most = (rates: readonly Rate[]) =>
  rates
    .filter(({ perSecond }) => perSecond > 0)
    .sort((a, b) => b.perSecond - a.perSecond)
    .slice(0, rows);

/** A busy server has more requests than a page: those on it stand for all. */
function usersIn({ last, requests }: RecordedPage, after: number, rate: (count: number) => number): readonly Rate[] {
  const counts = new Map<string, number>();
  for (const { user } of requests) counts.set(user, (counts.get(user) ?? 0) + 1);
  const share = requests.length === 0 ? 1 : Math.max(1, (last - after) / requests.length);
  return most([...counts].map(([name, count]) => ({ name, perSecond: rate(count * share) })));
}

function slowestIn({ requests }: RecordedPage): readonly SlowRequest[] {
  const isShort = ({ verb }: RequestRecord) => verb !== 'watch';
  const sorted = requests.filter(isShort).sort((a, b) => b.durationMs - a.durationMs);
  return sorted.slice(0, rows).map(({ durationMs, verb, path, user, status, stages }) => ({
    durationMs: Math.round(durationMs * 10) / 10,
    ...{ verb, path, user, status },
    slowestStage: [...stages].sort((a, b) => b.durationMs - a.durationMs)[0]?.name ?? '',
  }));
}

const mebibytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(0)} MiB`;
const percent = (share: number) => `${Math.round(share * 100)} %`;

const notShown =
  'Users and slow requests are not shown: that needs the right to get /debug/keelson/requests, and a server that has it.\n';

/** Words of clients cannot change the terminal. */
export function pictureText(picture: Picture): string {
  const { url, seconds, verbs, users, slowest, threads, priorityLevels } = picture;
  const head = [
    ['server', `${url}, the last ${seconds} s`],
    [
      'requests',
      `${picture.requestsPerSecond}/s, ${picture.errorsPerSecond}/s failed, ${picture.underWay} under way, ${picture.watches} watches`,
    ],
    ['process', `${percent(picture.processorShare)} of a processor, ${mebibytes(picture.memoryBytes)}`],
    ['store', [`${picture.objects} objects`, ...storeSize(picture)].join(', ')],
  ];
  const blocks = [
    columns(head),
    table(['VERB', 'PER SECOND'], verbs.map(rateRow)),
    users === undefined ? notShown : table(['USER', 'PER SECOND'], users.map(rateRow)),
    slowest === undefined
      ? ''
      : table(['SLOWEST', 'STATUS', 'VERB', 'PATH', 'USER', 'LONGEST PART'], slowest.map(slowRow)),
    table(['PRIORITY LEVEL', 'SEATS', 'LIMIT', 'WAITING', 'REFUSED PER SECOND'], priorityLevels.map(levelRow)),
    table(['THREAD', 'BUSY', 'MEMORY'], threads.map(threadRow)),
  ];
  return blocks.filter((block) => block !== '').join('\n');
}

const storeSize = ({ storeBytes }: Picture) => (storeBytes === undefined ? [] : [mebibytes(storeBytes)]);

const rateRow = ({ name, perSecond }: Rate) => [foreignText(name), String(perSecond)];

const slowRow = ({ durationMs, status, verb, path, user, slowestStage }: SlowRequest) => [
  `${durationMs} ms`,
  String(status),
  ...[verb, path, user, slowestStage].map(foreignText),
];

const levelRow = ({ priorityLevel, executingSeats, limitSeats, waiting, refusedPerSecond }: LevelUse) => [
  foreignText(priorityLevel),
  ...[executingSeats, limitSeats, waiting, refusedPerSecond].map(String),
];

const threadRow = ({ thread, load, heapBytes }: ThreadUse) => [
  thread === '0' ? 'main' : foreignText(thread),
  percent(load),
  mebibytes(heapBytes),
];

/** Empty where there is nothing in it. */
const table = (head: readonly string[], body: readonly (readonly string[])[]) =>
  body.length === 0 ? '' : columns([head, ...body]);
