// `keelson certs new --replica`: a server starts with the files, with the flags of the unit in deploy/.

import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { connect, loadKubeconfig } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';

test('the files of replicas are made once, and serve two servers that trust the same clients', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-replica-'));
  const out = join(folder, 'pki');
  const [output, errors]: [string[], string[]] = [[], []];
  vi.spyOn(process.stdout, 'write').mockImplementation((part) => output.push(String(part)) > 0);
  vi.spyOn(process.stderr, 'write').mockImplementation((part) => errors.push(String(part)) > 0);
  const args = ['certs', 'new', '--replica', '--hosts', '127.0.0.1,api.example.com', '--out', out];
  const codes = [await main(args), await main(args), await main(['certs', 'new', '--replica'])];
  vi.restoreAllMocks();
  try {
    expect(codes).toEqual([0, 2, 2]);
    expect(errors).toEqual([
      `keelson: ${join(out, 'ca.crt')} exists; name a new folder with --out\n`,
      'keelson: certs new --replica needs --hosts\n',
    ]);
    const path = (name: string) => join(out, name);
    expect(output.join('').trimEnd().split('\n')).toContain(path('admin.kubeconfig'));
    for (const secret of ['ca.key', 'server.key', 'sa.key', 'admin.kubeconfig'])
      expect(statSync(path(secret)).mode & 0o077, secret).toBe(0);
    const options = {
      ...{ tlsCertFile: path('server.crt'), tlsPrivateKeyFile: path('server.key'), clientCaFile: path('ca.crt') },
      ...{ serviceAccountSigningKeyFile: path('sa.key'), serviceAccountIssuers: ['https://api.example.com'] },
      ...{ clusterSigningCertFile: path('ca.crt'), clusterSigningKeyFile: path('ca.key') },
    };
    const servers = [await startTestServer(options), await startTestServer(options)];
    for (const server of servers) {
      const text = readFileSync(path('admin.kubeconfig'), 'utf8').replace('https://127.0.0.1:6443', server.url);
      const connection = connect(await loadKubeconfig({ text }));
      const { items } = await connection.client.list('/api/v1/namespaces');
      expect(items.length).toBeGreaterThan(3);
      connection.close();
      await server.close();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
