// What a server reads when it starts: `keelson status` and `keelson doctor` read it as well, and say what is wrong with it.

import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createServer } from '../../src/index.ts';
import { apiOf, configMap, configMaps } from './api.ts';
import { eventually } from './eventually.ts';

const bin = join(import.meta.dirname, '../../bin/keelson.cjs');

let folder = '';
let sound = '';
const encryptionFile = (key: string) => {
  const file = join(folder, `${key}.json`);
  const secret = Buffer.alloc(32, key).toString('base64');
  const providers = [{ aescbc: { keys: [{ name: key, secret }] } }, { identity: {} }];
  const resources = [{ resources: ['configmaps'], providers }];
  const apiVersion = 'apiserver.config.k8s.io/v1';
  writeFileSync(file, JSON.stringify({ apiVersion, kind: 'EncryptionConfiguration', resources }));
  return file;
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-inputs-'));
  sound = join(folder, 'sound');
  await using server = await createServer({
    ...{ store: 'embedded', dataDir: sound, controllers: [] },
    encryptionProviderConfig: encryptionFile('first'),
  });
  await server.listen();
  await apiOf(server).post(configMaps, configMap('a'));
  // made a moment after the start
  await eventually(async () => expect(existsSync(join(sound, 'pki', 'front-proxy-client.key'))).toBe(true));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A data folder as the server has left it, with other content in some files. */
function dataDir(files: Readonly<Record<string, string>> = {}): string {
  const copy = mkdtempSync(join(folder, 'data-'));
  cpSync(sound, copy, { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(copy, name), content);
  return copy;
}

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

interface Problem {
  readonly input: string;
  readonly message: string;
}

interface Exit {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

function keelson(...args: readonly string[]): Promise<Exit> {
  return new Promise((resolve) => {
    execFile(process.execPath, [bin, ...args], { cwd: folder, timeout: 30_000 }, (error, output, errors) =>
      resolve({ code: error === null ? 0 : Number(error.code), output, errors }),
    );
  });
}

/** Of both commands, which have to agree. */
async function problems(...flags: readonly string[]): Promise<readonly Problem[]> {
  const status = await keelson('status', '-o', 'json', ...flags);
  const doctor = await keelson('doctor', '-o', 'json', '--secure-port=0', ...flags);
  const found = (JSON.parse(status.output) as { problems?: readonly Problem[] }).problems ?? [];
  expect(status.code).toBe(found.length === 0 ? 0 : 1);
  expect(doctor.code).toBe(status.code);
  const checks = JSON.parse(doctor.output) as readonly { check: string; state: string; message: string }[];
  const bad = checks.filter(({ state }) => state === 'bad').map(({ check, message }) => [check, message]);
  const inputs = [...new Set(found.map(({ input }) => input))];
  const joined = inputs.map((input) => [
    input,
    found
      .filter((problem) => problem.input === input)
      .map(({ message }) => message)
      .join('; '),
  ]);
  expect(new Map(bad as [string, string][])).toEqual(new Map(joined as [string, string][]));
  return found;
}

const encrypted = () => ['--encryption-provider-config', encryptionFile('first')];
const auditPolicy = 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: Metadata }]\n';

describe('status and doctor', () => {
  test('find nothing wrong with a sound data folder', async () => {
    expect(await problems('--data-dir', dataDir(), ...encrypted())).toEqual([]);
    const log = ['--audit-policy-file', file('policy.yaml', auditPolicy), '--audit-log-path', join(folder, 'a', 'log')];
    expect(await problems('--data-dir', dataDir(), ...encrypted(), ...log)).toEqual([]);
  });

  test.each([
    ['pki/ca.crt', 'certificates', /ca\.crt and ca\.key in .* cannot be read .*: restore both from a backup/],
    ['pki/ca.key', 'certificates', /ca\.crt and ca\.key in .* cannot be read .*: restore both from a backup/],
    ['pki/sa.key', 'certificates', /sa\.key cannot be read .*: restore it from a backup, or remove it/],
    ['store/data.mdb', 'store', /data\.mdb is damaged: .*; restore a snapshot/],
  ])('name a %s that cannot be used, as serve does', async (name, input, message) => {
    const data = dataDir({ [name]: 'broken\n' });
    const found = await problems('--data-dir', data, ...encrypted());
    expect(found).toEqual([{ input, message: expect.stringMatching(message) }]);
    const { code, errors } = await keelson('--data-dir', data, '--secure-port=0', ...encrypted());
    expect(code).toBe(1);
    expect(errors).toMatch(message);
    expect(errors.trimEnd()).not.toContain('\n');
  });

  test('report certificates that the server makes again as odd, and it does', async () => {
    const data = dataDir({ 'pki/apiserver.crt': 'broken\n', 'pki/front-proxy-ca.crt': 'broken\n' });
    expect(await problems('--data-dir', data, ...encrypted())).toEqual([]);
    const { output } = await keelson('doctor', '--data-dir', data, '--secure-port=0', ...encrypted());
    expect(output).toMatch(/^odd +certificates +apiserver, front-proxy-ca cannot be used: the server makes it again/m);
    await using server = await createServer({
      ...{ store: 'embedded', dataDir: data, encryptionProviderConfig: encryptionFile('first') },
    });
    await server.listen();
    expect(await problems('--data-dir', data, ...encrypted())).toEqual([]);
  });

  test('name the key of objects that a server could not decrypt, and the flag', async () => {
    const message = (words: string) => [{ input: 'encryption', message: expect.stringContaining(words) }];
    const without = await problems('--data-dir', dataDir());
    expect(without).toEqual(message('--encryption-provider-config: objects such as /configmaps/default/'));
    expect(without).toEqual(message('encrypted with key "first" of aescbc: name the file with that key'));
    const other = ['--encryption-provider-config', encryptionFile('second')];
    const found = await problems('--data-dir', dataDir(), ...other);
    expect(found).toEqual(message('encrypted with key "first" of aescbc, which the encryption configuration does not'));
  });

  test.each([
    ['encryption', ['--encryption-provider-config'], 'kind: None\n'],
    ['admission', ['--admission-control-config-file'], 'kind: None\n'],
    ['authentication', ['--authentication-config'], 'kind: None\n'],
    ['authentication', ['--authorization-config'], 'kind: None\n'],
    ['authentication', ['--authentication-token-webhook-config-file'], 'kind: None\n'],
    ['audit', ['--audit-log-path=audit.log', '--audit-policy-file'], 'kind: None\n'],
    ['audit', ['--audit-log-path=/dev/null/log', '--audit-policy-file'], auditPolicy],
  ])('read the file of %s: %j', async (input, flags, content) => {
    const path = file(`${input}.yaml`, content);
    const data = mkdtempSync(join(folder, 'empty-'));
    cpSync(join(sound, 'pki'), join(data, 'pki'), { recursive: true });
    const found = await keelson('doctor', '--data-dir', data, '--secure-port=0', ...flags, path);
    expect(found.code).toBe(1);
    const [, message = ''] = new RegExp(`^bad +${input} +(.*)$`, 'm').exec(found.output) ?? [];
    expect(message).not.toBe('');
    const served = await keelson('--data-dir', data, '--secure-port=0', ...flags, path);
    expect(served.code).toBe(2);
    expect(served.errors.split('\n')[0]).toContain(message.split(':')[0]);
  });

  test('name the flag of an etcd that cannot be reached', async () => {
    const found = await problems('--data-dir', dataDir(), '--etcd-servers', 'http://127.0.0.1:1', ...encrypted());
    expect(found).toEqual([
      {
        input: 'store',
        message: '--etcd-servers: http://127.0.0.1:1: etcd is not available: connect ECONNREFUSED 127.0.0.1:1',
      },
    ]);
  });

  test('refuse a flag that serve would refuse', async () => {
    for (const command of ['status', 'doctor']) {
      const { code, errors } = await keelson(command, '--data-dri', 'x');
      expect([code, errors]).toEqual([2, 'keelson: unknown flag --data-dri; did you mean --data-dir?\n']);
    }
  });
});
