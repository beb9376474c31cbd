// Command lines that other programs start kube-apiserver with: envtest's, kubeadm's and kind's, as they are but for paths.

import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveFlags } from '../../src/cli/flags/flags.ts';
import { parseFlags } from '../../src/cli/flags/parse-flags.ts';
import { createServer } from '../../src/index.ts';
import { createAuthority, signLeaf } from '../../src/pki/certificates.ts';
import { type EtcdProcess, etcdHint, hasEtcd, startEtcd } from '../etcd-process.ts';
import { freePort } from '../free-port.ts';
import { TempFolder } from '../interop/temp-folder.ts';

const folder = new TempFolder();
let etcd: EtcdProcess;
const paths: Record<string, string> = {};

function writePair(name: string, pair: { readonly certificate: string; readonly privateKey: string }): void {
  paths[`${name}.crt`] = folder.write(`${name}.crt`, pair.certificate);
  paths[`${name}.key`] = folder.write(`${name}.key`, pair.privateKey);
}

beforeAll(async () => {
  const now = Date.now();
  const authority = createAuthority('command lines', now);
  writePair('ca', authority);
  writePair(
    'apiserver',
    signLeaf(authority, { usage: 'server', commonName: 'kube-apiserver', hosts: ['127.0.0.1'] }, now),
  );
  writePair(
    'client',
    signLeaf(authority, { usage: 'client', commonName: 'kube-apiserver-client', organizations: [] }, now),
  );
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  paths['sa.pub'] = folder.write('sa.pub', publicKey.export({ type: 'spki', format: 'pem' }).toString());
  paths['sa.key'] = folder.write('sa.key', privateKey.export({ type: 'pkcs1', format: 'pem' }).toString());
  if (hasEtcd) etcd = await startEtcd();
});

afterAll(async () => {
  await etcd?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** Options of a command line, each run with its own keys in etcd; what has no effect is told by name. */
function optionsOf(prefix: string, args: readonly string[]) {
  const { idleFlags = [], ...options } = parseFlags(serveFlags, args);
  const { dataDir: _, ...rest } = options;
  return {
    options: { ...rest, etcdPrefix: `/${prefix}`, dataDir: `${folder.path}/${prefix}` },
    idle: idleFlags.map(({ name }) => name),
  };
}

const kubeadm = (port: number, more: readonly string[] = []) => [
  '--advertise-address=127.0.0.1',
  '--allow-privileged=true',
  '--authorization-mode=Node,RBAC',
  `--client-ca-file=${paths['ca.crt']}`,
  '--enable-admission-plugins=NodeRestriction',
  '--enable-bootstrap-token-auth=true',
  `--etcd-cafile=${paths['ca.crt']}`,
  `--etcd-certfile=${paths['client.crt']}`,
  `--etcd-keyfile=${paths['client.key']}`,
  `--etcd-servers=${etcd.url}`,
  `--kubelet-client-certificate=${paths['client.crt']}`,
  `--kubelet-client-key=${paths['client.key']}`,
  '--kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname',
  `--proxy-client-cert-file=${paths['client.crt']}`,
  `--proxy-client-key-file=${paths['client.key']}`,
  '--requestheader-allowed-names=front-proxy-client',
  `--requestheader-client-ca-file=${paths['ca.crt']}`,
  '--requestheader-extra-headers-prefix=X-Remote-Extra-',
  '--requestheader-group-headers=X-Remote-Group',
  '--requestheader-username-headers=X-Remote-User',
  ...more,
  `--secure-port=${port}`,
  '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
  `--service-account-key-file=${paths['sa.pub']}`,
  `--service-account-signing-key-file=${paths['sa.key']}`,
  '--service-cluster-ip-range=10.96.0.0/12',
  `--tls-cert-file=${paths['apiserver.crt']}`,
  `--tls-private-key-file=${paths['apiserver.key']}`,
];

const envtest = (port: number) => [
  '--advertise-address=127.0.0.1',
  '--allow-privileged=true',
  '--authorization-mode=RBAC',
  '--bind-address=127.0.0.1',
  `--cert-dir=${folder.path}`,
  `--client-ca-file=${paths['ca.crt']}`,
  '--disable-admission-plugins=ServiceAccount',
  `--etcd-servers=${etcd.url}`,
  `--secure-port=${port}`,
  `--service-account-issuer=https://127.0.0.1:${port}/`,
  `--service-account-key-file=${paths['sa.pub']}`,
  `--service-account-signing-key-file=${paths['sa.key']}`,
  '--service-cluster-ip-range=10.0.0.0/24',
];

/** Of Kubernetes' own tests of kubectl: flags without a value are as if they were not given. */
const kubectlTests = (port: number) => [
  '--bind-address=127.0.0.1',
  '--authorization-mode=RBAC,AlwaysAllow',
  `--secure-port=${port}`,
  '--feature-gates=',
  '--enable-admission-plugins=LimitRanger,ResourceQuota',
  '--disable-admission-plugins=ServiceAccount,DefaultStorageClass,MutatingAdmissionWebhook',
  `--etcd-servers=${etcd.url}`,
  '--runtime-config=api/v1',
  `--service-account-key-file=${paths['sa.pub']}`,
  '--service-account-lookup=true',
  '--service-account-issuer=https://kubernetes.default.svc',
  `--service-account-signing-key-file=${paths['sa.key']}`,
  '--storage-media-type=',
  `--cert-dir=${folder.path}`,
  '--service-cluster-ip-range=10.0.0.0/24',
  `--client-ca-file=${paths['ca.crt']}`,
];

const lines = {
  'the tests of kubectl': kubectlTests,
  kubeadm,
  kind: (port: number) => kubeadm(port, ['--runtime-config=']),
  envtest,
};

describe.runIf(hasEtcd)(`with ${etcdHint}`, () => {
  test.each(Object.entries(lines))(
    'the command line of %s starts as it is, and every flag has its effect',
    async (name, line) => {
      const { options, idle } = optionsOf(name, line(await freePort()));
      expect(idle).toEqual([]);
      await using server = await createServer(options);
      await server.listen();
      expect((await server.fetch('/readyz')).status).toBe(200);
      expect(readFileSync(`${folder.path}/${name}/kubeconfig`, 'utf8')).toContain(server.url);
    },
  );
});

test('a command line with flags that are not for this server names them', () => {
  const { idle } = optionsOf('idle', [
    '--storage-backend=etcd3',
    '--watch-cache=true',
    '--profiling=false',
    '--peer-ca-file=x',
  ]);
  expect(idle).toEqual(['storage-backend', 'watch-cache', 'peer-ca-file']);
});
