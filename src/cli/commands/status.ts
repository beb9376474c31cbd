// `keelson status`: the state of the server of a data folder, or the content of a store without a running server.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { styleText } from 'node:util';
import type { Connection } from '../../client/connect.ts';
import { option } from '../../config/option.ts';
import { text, yesOrNo } from '../../config/value-types.ts';
import type { Dialect } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { ThreadUse } from '../../metrics/thread-metrics.ts';
import { type CertificateSummary, listCertificates } from '../../pki/certificate-list.ts';
import type { StoreSummary } from '../../storage/store-summary.ts';
import { columns } from '../columns.ts';
import type { Guide } from '../flags/command-line.ts';
import { flagsOf } from '../flags/flag.ts';
import { type InputProblem, type Inspection, openInspection, outputGuide } from '../inspection.ts';
import { metricLine } from '../metric-lines.ts';
import { dataDirFlag, withServer } from '../own-server.ts';
import { type Counts, UserObjects } from '../user-objects.ts';

const namespaceHelp = 'Counts the objects of one namespace only.';
const watchHelp = 'Shows the status again every two seconds, until Ctrl-C.';
const shortNames: Readonly<Record<string, string>> = { namespace: 'n', watch: 'w' };
const statusFlags = flagsOf({
  name: 'Status',
  options: {
    namespace: option({ type: text, flag: 'namespace', help: namespaceHelp }),
    watch: option({ type: yesOrNo, flag: 'watch', help: watchHelp }),
  },
}).map((flag) => ({ ...flag, short: shortNames[flag.name] as string }));

export const statusGuide: Guide = {
  usage: '[flags]',
  notes: [
    'Shows objects of users and of the server itself, watches, the size and revision of the store, leaders and the days left of',
    'certificates: of a running server, or of the store where none runs, and what keeps a server from reading them. The exit code is then 1.',
  ],
  flags: {
    dataDir: dataDirFlag,
    output: outputGuide,
    namespace: { name: 'namespace', short: 'n', type: text, help: namespaceHelp },
    watch: { name: 'watch', short: 'w', type: yesOrNo, help: watchHelp },
  },
  takesServeFlags: true,
};

interface Status {
  /** Undefined where no server runs. */
  readonly server?: { readonly url: string; readonly version: string; readonly isReady: boolean };
  readonly revision?: number;
  /** By resource; of one namespace where one is named. */
  readonly objects: Counts;
  /** Those that the server has not made itself; undefined where no server runs. */
  readonly userObjects?: Counts;
  readonly namespace?: string;
  readonly watches?: number;
  /** Where several threads serve: the share of the last second in which each was at work, and its memory. */
  readonly threads?: readonly ThreadUse[];
  readonly storeBytes?: number;
  readonly leaders?: readonly { readonly lease: string; readonly holder: string }[];
  readonly certificates: readonly CertificateSummary[];
  /** Problems that prevent a server from running, or from reading its store. */
  readonly problems?: readonly InputProblem[];
}

export async function status(args: readonly string[]): Promise<number> {
  const inspection = openInspection(args, statusFlags);
  let code = await show(inspection);
  while (inspection.watch) {
    await pause(watchMs);
    code = await show(inspection);
  }
  return code;
}

const watchMs = 2000;
/** Moves to the corner and clears the screen. */
const clear = '\u001b[H\u001b[2J';

async function show({ config, output, namespace, watch, inspect }: Inspection): Promise<number> {
  const folder = config.dataDir ?? '';
  const running = await withServer(folder, (connection) => ofServer(connection, config.dialect, namespace));
  if (running === undefined && namespace !== undefined)
    throw new Error(`no server runs on ${folder}: objects of one namespace are counted by a running server`);
  const { stored, problems } = await inspect();
  if (running === undefined && stored === undefined && !problems.some(({ input }) => input === 'store'))
    throw new Error(`no server runs on ${folder}, and there is no store in it`);
  const file = statSync(join(folder, 'store', 'data.mdb'), { throwIfNoEntry: false });
  const whole: Status = {
    ...(running ?? (stored === undefined ? { objects: {} } : ofStore(stored))),
    ...(file === undefined ? {} : { storeBytes: file.size }),
    certificates: readableCertificates(join(folder, 'pki'), config.clock.now()),
    ...(problems.length === 0 ? {} : { problems }),
  };
  const isTerminal = process.stdout.isTTY === true;
  const shownText =
    output === 'json'
      ? `${JSON.stringify(whole, undefined, watch ? 0 : 2)}\n`
      : textOf(whole, isTerminal && !process.env['NO_COLOR']);
  process.stdout.write(watch && isTerminal && output === 'text' ? `${clear}${shownText}` : shownText);
  return problems.length === 0 ? 0 : 1;
}

/** Certificates that cannot be read are among the problems. */
function readableCertificates(folder: string, now: number): readonly CertificateSummary[] {
  try {
    return listCertificates(folder, now);
  } catch {
    return [];
  }
}

type Found = Omit<Status, 'storeBytes' | 'certificates'>;

async function ofServer(connection: Connection, dialect: Dialect, namespace: string | undefined): Promise<Found> {
  const { client, transport, url } = connection;
  const { gitVersion: version } = await client.get<{ gitVersion: string }>('/version');
  const { metadata } = await client.list('/api/v1/namespaces?limit=1');
  const metrics = await metricsOf(transport);
  const objects = sorted(metrics.objects);
  const userObjects = new UserObjects(connection, dialect);
  return {
    server: { url, version, isReady: await isReady(transport) },
    revision: Number(metadata.resourceVersion),
    ...(namespace === undefined
      ? { objects, userObjects: await userObjects.among(objects) }
      : { objects: await userObjects.inNamespace(namespace, objects), namespace }),
    watches: metrics.watches,
    ...(metrics.threads.length === 0 ? {} : { threads: metrics.threads }),
    leaders: await leadersOf(client),
  };
}

async function isReady(transport: Connection['transport']): Promise<boolean> {
  const { status: code } = await transport.send({ method: 'GET', path: '/readyz', discards: true });
  return code === 200;
}

async function metricsOf(transport: Connection['transport']) {
  const objects = new Map<string, number>();
  const threads = new Map<string, ThreadUse>();
  let watches = 0;
  for await (const line of transport.lines('/metrics', new AbortController().signal)) {
    const read = metricLine(line);
    if (read === undefined) continue;
    const { name, label, value } = read;
    if (name === 'apiserver_resource_objects' && value !== 0)
      objects.set([label('resource'), label('group')].filter((part) => part !== '').join('.'), value);
    const thread = label('thread');
    const use = threads.get(thread) ?? { thread, load: 0, heapBytes: 0 };
    if (name === 'keelson_thread_load') threads.set(thread, { ...use, load: value });
    if (name === 'keelson_thread_heap_bytes') threads.set(thread, { ...use, heapBytes: value });
    if (name === 'apiserver_longrunning_requests' && label('verb') === 'WATCH') watches += value;
  }
  return { objects, watches, threads: [...threads.values()] };
}

interface Lease extends ApiObject {
  readonly spec?: { readonly holderIdentity?: string };
}

/** Leases of nodes and of API servers say that they are there, not who leads. */
function isPresence({ namespace, name }: ApiObject['metadata']): boolean {
  return namespace?.endsWith('-node-lease') || /^apiserver-[a-z2-7]{26}$/.test(name ?? '');
}

async function leadersOf(client: Connection['client']): Promise<NonNullable<Status['leaders']>> {
  const { groups } = await client.get<{ groups: { name: string; preferredVersion: { groupVersion: string } }[] }>(
    '/apis',
  );
  const group = groups.find(({ name }) => name.split('.')[0] === 'coordination');
  if (group === undefined) return [];
  const { items } = await client.list(`/apis/${group.preferredVersion.groupVersion}/leases`);
  return (items as Lease[])
    .filter(({ metadata, spec }) => spec?.holderIdentity && !isPresence(metadata))
    .map(({ metadata, spec }) => ({
      lease: `${metadata.namespace}/${metadata.name}`,
      holder: spec?.holderIdentity ?? '',
    }));
}

const ofStore = ({ revision, objects }: StoreSummary): Found => ({ revision, objects: sorted(objects) });

const sorted = (objects: ReadonlyMap<string, number>) => Object.fromEntries([...objects].sort());

/** Kinds with most objects come first, and the rest is a number. */
const shownKinds = 6;

type Paint = (colour: 'green' | 'yellow' | 'red' | 'bold', text: string) => string;

function textOf(status: Status, hasColours: boolean): string {
  const paint: Paint = (colour, words) => (hasColours ? styleText(colour, words) : words);
  const { server, revision, watches, storeBytes, leaders = [], threads = [], certificates, problems = [] } = status;
  const rows: readonly (readonly string[])[] = [
    [
      'server',
      server === undefined ? 'not running' : `${server.url} (${server.version}), ${ready(server.isReady, paint)}`,
    ],
    ...(revision === undefined ? [] : [['revision', String(revision)], ...objectRows(status, paint)]),
    ...(watches === undefined ? [] : [['watches', String(watches)]]),
    ...threads.map((use) => ['thread', threadLine(use)]),
    ...(storeBytes === undefined ? [] : [['store', `${(storeBytes / 1024 / 1024).toFixed(1)} MiB`]]),
    ...leaders.map(({ lease, holder }) => ['leader', `${lease}: ${holder}`]),
    ['certificates', certificates.map((one) => daysOf(one, paint)).join(', ') || 'none'],
    ...problems.map(({ input, message }) => ['problem', paint('red', `${input}: ${message}`)]),
  ];
  return columns(rows);
}

/** Objects of users come first: those of the server are always there. */
function objectRows({ objects, userObjects, namespace }: Status, paint: Paint): readonly (readonly string[])[] {
  if (namespace !== undefined) return [[`objects in ${namespace}`, paint('bold', countsOf(objects))]];
  if (userObjects === undefined) return [['objects', countsOf(objects)]];
  const own = Object.entries(objects).map(([name, count]) => [name, count - (userObjects[name] ?? 0)] as const);
  const rest = Object.fromEntries(own.filter(([, count]) => count > 0));
  return [
    ['objects', paint('bold', countsOf(userObjects))],
    ['of the server', countsOf(rest)],
  ];
}

function countsOf(objects: Counts): string {
  const kinds = Object.entries(objects).sort(([, a], [, b]) => b - a);
  const all = kinds.reduce((sum, [, count]) => sum + count, 0);
  const most = kinds.slice(0, shownKinds).map(([name, count]) => `${name} ${count}`);
  if (all === 0) return '0';
  return `${all} (${[...most, ...(kinds.length > shownKinds ? ['...'] : [])].join(', ')})`;
}

const threadLine = ({ thread, load, heapBytes }: ThreadUse) =>
  `${thread === '0' ? 'main' : thread}: ${Math.round(load * 100)} % busy, ${Math.round(heapBytes / 1024 / 1024)} MiB`;

const soonDays = 30;

function daysOf({ name, daysLeft }: CertificateSummary, paint: Paint): string {
  const words = `${name} ${daysLeft < 0 ? 'ended' : `${daysLeft} days`}`;
  if (daysLeft < 0) return paint('red', words);
  return daysLeft < soonDays ? paint('yellow', words) : words;
}

const ready = (isReady: boolean, paint: Paint) => (isReady ? paint('green', 'ready') : paint('red', 'not ready'));
