// `keelson status`: the state of the server of a data folder, or the content of a store without a running server.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Connection } from '../../client/connect.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { ThreadUse } from '../../metrics/thread-metrics.ts';
import { type CertificateSummary, listCertificates } from '../../pki/certificate-list.ts';
import type { StoreSummary } from '../../storage/store-summary.ts';
import { columns } from '../columns.ts';
import type { Guide } from '../flags/command-line.ts';
import { type InputProblem, openInspection, outputGuide } from '../inspection.ts';
import { metricLine } from '../metric-lines.ts';
import { dataDirFlag, withServer } from '../own-server.ts';

export const statusGuide: Guide = {
  usage: '[flags]',
  notes: [
    'Shows objects, watches, the size and revision of the store, leaders and the days left of certificates:',
    'of a running server, or of the store where none runs, and what keeps a server from reading them. The exit code is then 1.',
  ],
  flags: { dataDir: dataDirFlag, output: outputGuide },
  takesServeFlags: true,
};

interface Status {
  /** Undefined where no server runs. */
  readonly server?: { readonly url: string; readonly version: string; readonly isReady: boolean };
  readonly revision?: number;
  /** By resource. */
  readonly objects: Readonly<Record<string, number>>;
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
  const { config, output, inspect } = openInspection(args);
  const folder = config.dataDir ?? '';
  const running = await withServer(folder, ofServer);
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
  process.stdout.write(output === 'json' ? `${JSON.stringify(whole, undefined, 2)}\n` : textOf(whole));
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

async function ofServer({ client, transport, url }: Connection): Promise<Found> {
  const { gitVersion: version } = await client.get<{ gitVersion: string }>('/version');
  const { metadata } = await client.list('/api/v1/namespaces?limit=1');
  const metrics = await metricsOf(transport);
  return {
    server: { url, version, isReady: await isReady(transport) },
    revision: Number(metadata.resourceVersion),
    objects: sorted(metrics.objects),
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

function textOf(status: Status): string {
  const { server, revision, watches, storeBytes, leaders = [], threads = [], certificates, problems = [] } = status;
  const rows: readonly (readonly string[])[] = [
    ['server', server === undefined ? 'not running' : `${server.url} (${server.version}), ${ready(server.isReady)}`],
    ...(revision === undefined
      ? []
      : [
          ['revision', String(revision)],
          ['objects', countsOf(status)],
        ]),
    ...(watches === undefined ? [] : [['watches', String(watches)]]),
    ...threads.map((use) => ['thread', threadLine(use)]),
    ...(storeBytes === undefined ? [] : [['store', `${(storeBytes / 1024 / 1024).toFixed(1)} MiB`]]),
    ...leaders.map(({ lease, holder }) => ['leader', `${lease}: ${holder}`]),
    ['certificates', certificates.map(daysOf).join(', ') || 'none'],
    ...problems.map(({ input, message }) => ['problem', `${input}: ${message}`]),
  ];
  return columns(rows);
}

function countsOf({ objects }: Status): string {
  const kinds = Object.entries(objects).sort(([, a], [, b]) => b - a);
  const all = kinds.reduce((sum, [, count]) => sum + count, 0);
  const most = kinds.slice(0, shownKinds).map(([name, count]) => `${name} ${count}`);
  return `${all} (${[...most, ...(kinds.length > shownKinds ? ['...'] : [])].join(', ')})`;
}

const threadLine = ({ thread, load, heapBytes }: ThreadUse) =>
  `${thread === '0' ? 'main' : thread}: ${Math.round(load * 100)} % busy, ${Math.round(heapBytes / 1024 / 1024)} MiB`;

const daysOf = ({ name, daysLeft }: CertificateSummary) => `${name} ${daysLeft < 0 ? 'ended' : `${daysLeft} days`}`;

const ready = (isReady: boolean) => (isReady ? 'ready' : 'not ready');
