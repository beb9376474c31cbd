// `keelson certs`: shows the certificates of a data folder, renews them and replaces its CA.

import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { suggestion } from '../../base/text/nearest-name.ts';
import { systemClock } from '../../base/time/clock.ts';
import { defaultDataDir } from '../../config/tables/storage.ts';
import { integer, oneOf, text, texts, yesOrNo } from '../../config/value-types.ts';
import {
  type AuthorityFiles,
  finishRotation,
  nameOf,
  startRotation,
  switchAuthority,
} from '../../pki/authority-files.ts';
import { type CertificateSummary, listCertificates } from '../../pki/certificate-list.ts';
import { renewLeafs } from '../../pki/identity.ts';
import { lockFolder } from '../../storage/embedded/folder-lock.ts';
import { columns } from '../columns.ts';
import { type Guide, parseCommandLine } from '../flags/command-line.ts';
import { writeReplicaFiles } from '../replica-files.ts';
import { UsageError } from '../usage-error.ts';

const flags = {
  dataDir: { name: 'data-dir', type: text, help: `Data folder of the server (default ${defaultDataDir}).` },
  replica: { name: 'replica', type: yesOrNo, help: 'Of new: the files are for replicas on one etcd.' },
  hosts: {
    name: 'hosts',
    type: texts,
    help: 'Of new: names and addresses of the replicas and their balancer, separated by commas; the first is in the kubeconfig.',
  },
  port: { name: 'port', type: integer(1, 65535), help: 'Of new: the port in the kubeconfig (default 6443).' },
  out: { name: 'out', type: text, help: 'Of new: the folder to write (default keelson-replica).' },
  output: { name: 'output', short: 'o', type: oneOf('text', 'json'), help: 'How the list is printed (default text).' },
};

export const certsGuide: Guide = {
  usage: '[renew | new --replica --hosts HOSTS | rotate-ca start|switch|finish] [flags]',
  actions: {
    '(nothing)': 'Lists the certificates in the data folder: names, who signed them, days left.',
    renew: 'Makes new certificates of the server and of its administrator.',
    new: 'Makes the CA, the serving certificate, the key for tokens and a kubeconfig that all replicas on one etcd share.',
    'rotate-ca start': 'Makes a new CA, which is trusted in addition to the one that signs.',
    'rotate-ca switch': 'Lets the new CA sign; certificates of the old one stay trusted.',
    'rotate-ca finish': 'Ends the trust in the old CA.',
  },
  notes: ['A running server takes over what changed within seconds, without a restart.'],
  flags,
};

type Step = (folder: string, now: number) => string;

const steps: Readonly<Record<string, Step>> = {
  renew(folder, now) {
    renewLeafs(folder, now);
    return 'The certificates of the server and of its administrator are new.';
  },
  'rotate-ca start'(folder, now) {
    const { current, next } = startRotation(folder, now);
    return `${nameOf(next as AuthorityFiles['current'])} is trusted in addition to ${nameOf(current)}, which still signs.
Next: once all clients have the new kubeconfig or CA, keelson certs rotate-ca switch.`;
  },
  'rotate-ca switch'(folder, now) {
    const { current } = switchAuthority(folder);
    renewLeafs(folder, now);
    return `${nameOf(current)} signs from now on; certificates of the old CA are still trusted.
Next: once all clients have new certificates, keelson certs rotate-ca finish.`;
  },
  'rotate-ca finish'(folder) {
    const { current } = finishRotation(folder);
    return `Only ${nameOf(current)} is trusted now.`;
  },
};

type Given = ReturnType<typeof parseCommandLine<typeof flags>>['given'];

function makeReplicaFiles({ replica = false, hosts = [], port = 6443, out = 'keelson-replica' }: Given): number {
  if (!replica) throw new UsageError('certs new needs --replica: a single server makes its certificates itself');
  if (hosts.length === 0) throw new UsageError('certs new --replica needs --hosts');
  for (const path of writeReplicaFiles({ folder: resolve(out), hosts, port }, systemClock.now()))
    process.stdout.write(`${path}\n`);
  return 0;
}

export async function certs(args: readonly string[]): Promise<number> {
  const { words, given } = parseCommandLine('certs', flags, args);
  const folder = join(resolve(given.dataDir ?? defaultDataDir), 'pki');
  const step = words.join(' ');
  if (step === 'new') return makeReplicaFiles(given);
  if (step === '') return show(folder, given.output ?? 'text');
  if (!Object.hasOwn(steps, step))
    throw new UsageError(
      `certs: ${JSON.stringify(step)} is not renew, new or rotate-ca start, switch or finish${suggestion(step, [...Object.keys(steps), 'new'])}`,
    );
  throwIfForeign(folder);
  const lock = await lockFolder(folder);
  try {
    process.stdout.write(`${(steps[step] as Step)(folder, systemClock.now())}\n`);
  } finally {
    await lock.release();
  }
  return 0;
}

function show(folder: string, output: 'text' | 'json'): number {
  const certificates = listCertificates(folder, systemClock.now());
  if (certificates.length === 0)
    throw new Error(`there are no certificates in ${folder}: the server makes them at its first start`);
  process.stdout.write(output === 'json' ? `${JSON.stringify(certificates, undefined, 2)}\n` : tableOf(certificates));
  return 0;
}

/** A server that runs as the owner of the folder could not read keys of another user. */
function throwIfForeign(folder: string): void {
  const owner = statSync(folder, { throwIfNoEntry: false })?.uid;
  if (owner === undefined) throw new Error(`there is no folder ${folder}: the server makes it at its first start`);
  if (process.geteuid !== undefined && owner !== process.geteuid())
    throw new Error(`${folder} belongs to user ${owner}: run this command as that user`);
}

function tableOf(certificates: readonly CertificateSummary[]): string {
  const rows = [
    ['NAME', 'SUBJECT', 'SIGNED BY', 'DAYS LEFT', 'ENDS', 'FOR'],
    ...certificates.map(({ name, subject, issuer, daysLeft, notAfter, hosts }) => [
      ...[name, subject, issuer === subject ? 'itself' : issuer, daysLeft < 0 ? 'ended' : String(daysLeft), notAfter],
      hosts.join(','),
    ]),
  ];
  return columns(rows);
}
