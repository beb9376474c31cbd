// Certificates as kubectl's user gets them, and as OpenSSL sees them.

import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { ellipticKeys, encodedRequest } from '../../src/testing/certificate-requests.ts';
import { credentialsOf } from '../integration/credentials.ts';
import { cells, printed } from './outcomes.ts';
import { describeWith, kubectl } from './peers.ts';
import { TempFolder } from './temp-folder.ts';
import { workbench } from './workbench.ts';

const signerName = 'kubernetes.io/kube-apiserver-client';
const openssl = (...args: readonly string[]) => spawnSync('openssl', args, { encoding: 'utf8' });
const hasOpenssl = openssl('version').status === 0;

function csr(name: string, request: string): string {
  const usages = ['client auth', 'digital signature'];
  const spec = { request, signerName, usages, expirationSeconds: 86_400 };
  return stringify({
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name },
    spec,
  });
}

describeWith(kubectl, 'kubectl certificate', () => {
  const bench = workbench(kubectl);

  /** Asks for a certificate, has it approved, and waits for it. */
  async function issued(name: string) {
    const { run, write } = await bench.namespace();
    const keys = ellipticKeys();
    const parts = {
      commonName: name,
      organizations: ['devs'],
      hosts: ['n1.example'],
      addresses: [Buffer.of(10, 0, 0, 1)],
      keys,
    };
    write('csr.yaml', csr(name, encodedRequest(parts)));
    const made = `certificatesigningrequest.certificates.k8s.io/${name}`;
    expect(await run`apply -f csr.yaml`).toEqual(printed(`${made} created`));
    expect(await run`certificate approve ${name}`).toEqual(printed(`${made} approved`));
    expect((await run`wait csr/${name} --for=jsonpath={.status.certificate} --timeout=20s`).code).toBe(0);
    const { stdout } = await run`get csr ${name} -o jsonpath={.status.certificate}`;
    const privateKey = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    return { run, write, certificate: Buffer.from(stdout, 'base64').toString(), privateKey };
  }

  test('approve leads to a certificate with which kubectl works', async () => {
    const { run, write, certificate, privateKey } = await issued('jane');
    expect(cells(await run`get csr jane`)[1]).toEqual([
      'jane',
      '<age>',
      signerName,
      'keelson-admin',
      '<age>',
      'Approved,Issued',
    ]);
    write('jane.crt', certificate);
    write('jane.key', privateKey);
    const { ca } = credentialsOf(bench.server.kubeconfig);
    write('ca.crt', ca.toString());
    write('none.yaml', 'apiVersion: v1\nkind: Config\n');
    const server = bench.server.url;
    const who =
      await run`--kubeconfig none.yaml --server ${server} --certificate-authority ca.crt --client-certificate jane.crt --client-key jane.key auth whoami`;
    expect(cells(who)).toContainEqual(['Username', 'jane']);
    expect(cells(who)).toContainEqual(['Groups', '[devs system:authenticated]']);
  });

  test('deny leads to none', async () => {
    const { run, write } = await bench.namespace();
    write('csr.yaml', csr('joe', encodedRequest({ commonName: 'joe' })));
    await run`apply -f csr.yaml`;
    expect(await run`certificate deny joe`).toEqual(
      printed('certificatesigningrequest.certificates.k8s.io/joe denied'),
    );
    expect(cells(await run`get csr joe`)[1]?.at(-1)).toBe('Denied');
  });

  test.skipIf(!hasOpenssl)(
    'OpenSSL verifies what is issued, and finds the fields that kube-controller-manager writes',
    async () => {
      const { certificate } = await issued('anna');
      using folder = new TempFolder();
      const file = folder.write('anna.crt', certificate);
      const ca = folder.write('ca.crt', credentialsOf(bench.server.kubeconfig).ca.toString());
      expect(openssl('verify', '-CAfile', ca, '-purpose', 'sslclient', '-x509_strict', file).stdout).toBe(
        `${file}: OK\n`,
      );
      expect(openssl('verify', '-CAfile', ca, '-purpose', 'sslserver', file).status).not.toBe(0);
      const lines = openssl('x509', '-in', file, '-noout', '-text')
        .stdout.split('\n')
        .map((line) => line.trim());
      expect(lines).toEqual(
        expect.arrayContaining([
          'Version: 3 (0x2)',
          'Signature Algorithm: ecdsa-with-SHA256',
          'Issuer: CN = keelson-ca',
          'Subject: O = devs, CN = anna',
        ]),
      );
      const extensions = lines.slice(
        lines.indexOf('X509v3 extensions:') + 1,
        lines.lastIndexOf('Signature Algorithm: ecdsa-with-SHA256'),
      );
      expect(extensions.map((line) => line.replace(/^([0-9A-F]{2}:){19}[0-9A-F]{2}$/, '<key identifier>'))).toEqual([
        ...['X509v3 Key Usage: critical', 'Digital Signature'],
        ...['X509v3 Extended Key Usage:', 'TLS Web Client Authentication'],
        ...['X509v3 Basic Constraints: critical', 'CA:FALSE'],
        ...['X509v3 Authority Key Identifier:', '<key identifier>'],
        ...['X509v3 Subject Alternative Name:', 'DNS:n1.example, IP Address:10.0.0.1'],
      ]);
    },
  );
});
