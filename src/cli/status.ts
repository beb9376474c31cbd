// `keelson status`: what the server of a data folder holds and does, or what is in a store that no server runs on.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../base/clock.ts';
import type { Connection } from '../client/connect.ts';
import type { ApiObject } from '../meta/object.ts';
import { type CertificateSummary, listCertificates } from '../pki/certificate-list.ts';
import { columns } from './columns.ts';
import { type Guide, parseCommandLine } from './command-line.ts';
import { oneOf } from './flag-values.ts';
import { dataDirFlag, folderOf, withServer } from './own-server.ts';
import { UsageError } from './usage-error.ts';

const flags = {
  dataDir: dataDirFlag,
  output: { name: 'output', short: 'o', type: oneOf('text', 'json'), help: 'How it is printed (default text).' },
};

export const statusGuide: Guide = {
  usage: '[flags]',
  notes: [
    'Shows objects, watches, the size and revision of the store, leaders and the days left of certificates:',
    'of a running server, or of the store in the data folder where none runs.',
  ],
  flags,
};

interface Status {
  /** Undefined where no server runs. */
  readonly server?: { readonly url: string; readonly version: string; readonly isReady: boolean };
  readonly revision?: number;
  /** By resource. */
  readonly objects: Readonly<Record<string, number>>;
  readonly watches?: number;
  readonly storeBytes?: number;
  readonly leaders?: readonly { readonly lease: string; readonly holder: string }[];
  readonly certificates: readonly CertificateSummary[];
}

export async function status(args: readonly string[]): Promise<number> {
  const { words, given } = parseCommandLine('status', flags, args);
  if (words.length > 0) throw new UsageError(`unexpected argument ${JSON.stringify(words[0])}`);
  const folder = folderOf(given.dataDir);
  const found = (await withServer(given.dataDir, ofServer)) ?? (await ofStore(folder));
  const store = statSync(join(folder, 'store', 'data.mdb'), { throwIfNoEntry: false });
  const whole: Status = {
    ...found,
    ...(store === undefined ? {} : { storeBytes: store.size }),
    certificates: listCertificates(join(folder, 'pki'), systemClock.now()),
  };
  process.stdout.write(given.output === 'json' ? `${JSON.stringify(whole, undefined, 2)}\n` : textOf(whole));
  return 0;
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
    leaders: await leadersOf(client),
  };
}

async function isReady(transport: Connection['transport']): Promise<boolean> {
  const { status: code } = await transport.send({ method: 'GET', path: '/readyz', discards: true });
  return code === 200;
}

async function metricsOf(transport: Connection['transport']) {
  const objects = new Map<string, number>();
  let watches = 0;
  for await (const line of transport.lines('/metrics', new AbortController().signal)) {
    const [, name, labels = '', value = ''] = /^(\w+)\{([^}]*)\} (\d+)/.exec(line) ?? [];
    const label = (key: string) => new RegExp(`(?:^|,)${key}="([^"]*)"`).exec(labels)?.[1] ?? '';
    if (name === 'apiserver_resource_objects' && value !== '0')
      objects.set([label('resource'), label('group')].filter((part) => part !== '').join('.'), Number(value));
    if (name === 'apiserver_longrunning_requests' && label('verb') === 'WATCH') watches += Number(value);
  }
  return { objects, watches };
}

interface Lease extends ApiObject {
  readonly spec?: { readonly holderIdentity?: string };
}

/** Leases of nodes say that a node lives, not that it leads. */
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

async function ofStore(folder: string): Promise<Found> {
  const { inspectStore } = await import('../storage/embedded/inspect-store.ts');
  const store = await inspectStore(join(folder, 'store'));
  if (store === undefined) throw new Error(`no server runs on ${folder}, and there is no store in it`);
  return { revision: store.revision, objects: sorted(store.objects) };
}

const sorted = (objects: ReadonlyMap<string, number>) => Object.fromEntries([...objects].sort());

/** Kinds with most objects come first, and the rest is a number. */
const shownKinds = 6;

function textOf({ server, revision, objects, watches, storeBytes, leaders, certificates }: Status): string {
  const kinds = Object.entries(objects).sort(([, a], [, b]) => b - a);
  const all = kinds.reduce((sum, [, count]) => sum + count, 0);
  const most = kinds.slice(0, shownKinds).map(([name, count]) => `${name} ${count}`);
  const days = ({ name, daysLeft }: CertificateSummary) => `${name} ${daysLeft < 0 ? 'ended' : `${daysLeft} days`}`;
  const rows: readonly (readonly string[])[] = [
    ['server', server === undefined ? 'not running' : `${server.url} (${server.version}), ${ready(server.isReady)}`],
    ['revision', String(revision)],
    ['objects', `${all} (${[...most, ...(kinds.length > shownKinds ? ['...'] : [])].join(', ')})`],
    ...(watches === undefined ? [] : [['watches', String(watches)]]),
    ...(storeBytes === undefined ? [] : [['store', `${(storeBytes / 1024 / 1024).toFixed(1)} MiB`]]),
    ...(leaders ?? []).map(({ lease, holder }) => ['leader', `${lease}: ${holder}`]),
    ['certificates', certificates.map(days).join(', ') || 'none'],
  ];
  return columns(rows);
}

const ready = (isReady: boolean) => (isReady ? 'ready' : 'not ready');
