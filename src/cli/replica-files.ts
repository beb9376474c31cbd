// The files that all replicas on one etcd share: `keelson certs new --replica`.

import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAuthority, signLeaf } from '../pki/certificates.ts';
import { administrator } from '../pki/identity.ts';
import { kubeconfigFor } from '../pki/kubeconfig.ts';
import { writePair } from '../pki/pair-files.ts';
import { UsageError } from './usage-error.ts';

interface ReplicaRequest {
  readonly folder: string;
  /** Names and addresses under which clients reach the replicas; the first is in the kubeconfig. */
  readonly hosts: readonly string[];
  readonly port: number;
}

/** Names of the files, as the flags of `deploy/keelson-replica.service` have them. */
const names = { authority: 'ca', serving: 'server', tokens: 'sa.key', kubeconfig: 'admin.kubeconfig' };

/** Throws a UsageError rather than replace a file: other replicas may use it. Returns their paths. */
export function writeReplicaFiles({ folder, hosts, port }: ReplicaRequest, now: number): readonly string[] {
  const files = ['ca.crt', 'ca.key', 'server.crt', 'server.key', names.tokens, names.kubeconfig];
  const paths = files.map((file) => join(folder, file));
  const existing = paths.find((path) => existsSync(path));
  if (existing !== undefined) throw new UsageError(`${existing} exists; name a new folder with --out`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const authority = createAuthority('keelson-ca', now);
  const serving = signLeaf(authority, { usage: 'server', commonName: 'keelson', hosts: withOwnHosts(hosts) }, now);
  const { name: commonName, groups: organizations } = administrator;
  const admin = signLeaf(authority, { usage: 'client', commonName, organizations }, now);
  writePair(folder, names.authority, authority);
  writePair(folder, names.serving, serving);
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const options = { mode: 0o600, flag: 'wx' } as const;
  writeFileSync(join(folder, names.tokens), privateKey.export({ type: 'pkcs8', format: 'pem' }), options);
  const [host = ''] = hosts;
  const ca = authority.certificate;
  const url = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const kubeconfig = kubeconfigFor(url, { authority, ca, servingCa: ca, serving, admin });
  writeFileSync(join(folder, names.kubeconfig), kubeconfig, options);
  return paths;
}

/** Each replica also reaches itself, and pods reach the service of the API servers. */
const withOwnHosts = (hosts: readonly string[]) => [
  ...new Set([...hosts, 'localhost', '127.0.0.1', '::1', ...serviceNames]),
];

const serviceNames = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc', '10.0.0.1'];
