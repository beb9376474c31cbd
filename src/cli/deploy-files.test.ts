// The files for operators name flags that the command knows, and are complete.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { resolveOptions } from '../config/options.ts';
import { serveFlags } from './flags/flags.ts';
import { parseFlags } from './flags/parse-flags.ts';
import { main } from './main.ts';

const folder = join(import.meta.dirname, '../../deploy');
const read = (file: string) => readFileSync(join(folder, file), 'utf8');

interface Compose {
  readonly services: Record<string, { readonly image: string; readonly command: string[]; readonly volumes: string[] }>;
  readonly volumes: Record<string, unknown>;
}

const compose = parse(read('compose.yaml')) as Compose;

/** The words behind `keelson` of every file that starts a server. */
const commands = new Map<string, readonly string[]>([
  ...readdirSync(folder)
    .filter((file) => file.endsWith('.service'))
    .map((file): [string, string[]] => [file, wordsOfUnit(read(file))]),
  ['Containerfile', JSON.parse(/^CMD (\[.*\])$/m.exec(read('Containerfile'))?.[1] ?? '[]') as string[]],
  ...Object.entries(compose.services)
    .filter(([, { image }]) => image === 'keelson')
    .map(([name, { command }]): [string, string[]] => [`compose.yaml: ${name}`, command]),
]);

/** The last value of each setting. */
function settingsOf(file: string): ReadonlyMap<string, string> {
  const lines = read(file)
    .replace(/\\\n/g, '')
    .matchAll(/^(\w+)=(.*)$/gm);
  return new Map(Array.from(lines, ([, name, value]) => [name as string, value as string]));
}

function wordsOfUnit(unit: string): string[] {
  const line = /^ExecStart=(.*)$/m.exec(unit.replace(/\\\n/g, ''))?.[1] ?? '';
  const [program, ...words] = line.split(/\s+/);
  expect(program).toMatch(/\/keelson$/);
  return words;
}

interface StatefulSet {
  readonly kind: string;
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly { readonly args: string[] }[] } };
  };
}
const clusterObjects = parseAllDocuments(read('kubernetes.yaml')).map((document) => document.toJS() as StatefulSet);
const inCluster = clusterObjects.find(({ kind }) => kind === 'StatefulSet');
commands.set('kubernetes.yaml', inCluster?.spec.template.spec.containers[0]?.args ?? []);

test('units run as a user that systemd makes', () => {
  for (const file of services) expect(settingsOf(file).get('DynamicUser'), file).toBe('yes');
});

test('the server in a cluster is accepted under the restricted pod security level, without a warning', async () => {
  let output = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((part) => {
    output += String(part);
    return true;
  });
  const code = await main(['validate', '-f', join(folder, 'kubernetes.yaml'), '--fail-on=warning']);
  vi.restoreAllMocks();
  expect([code, output]).toEqual([0, '3 objects: 0 errors\n']);
});

test('there is one for each way to run it', () => {
  expect([...commands.keys()].sort()).toEqual([
    'Containerfile',
    'compose.yaml: keelson-1',
    'compose.yaml: keelson-2',
    'keelson-replica.service',
    'keelson.service',
    'kubernetes.yaml',
  ]);
});

test.each([...commands])('%s starts the server with flags that it knows', (_, [command, ...words]) => {
  expect(command).toBe('serve');
  const options = parseFlags(serveFlags, words);
  expect(options).toMatchObject({ bindAddress: '0.0.0.0', securePort: 6443 });
});

const services = readdirSync(folder).filter((file) => file.endsWith('.service'));

test('the socket of systemd listens where the service would, and the service waits for it', () => {
  const sockets = readdirSync(folder).filter((file) => file.endsWith('.socket'));
  expect(sockets).toEqual(['keelson.socket']);
  const { bindAddress, securePort } = parseFlags(serveFlags, commands.get('keelson.service')?.slice(1) ?? []);
  expect(settingsOf('keelson.socket').get('ListenStream')).toBe(`${bindAddress}:${securePort}`);
  const service = settingsOf('keelson.service');
  expect(service.get('Requires')).toBe('keelson.socket');
  expect(service.get('After')?.split(' ')).toContain('keelson.socket');
  expect(service.get('Also')).toBe('keelson.socket');
});

test.each(services)('%s gives the server time to stop in order', (file) => {
  const options = parseFlags(serveFlags, commands.get(file)?.slice(1) ?? []);
  const { shutdownDelayMs, shutdownGraceMs } = resolveOptions({
    shutdownDelaySeconds: options.shutdownDelaySeconds ?? 0,
  });
  const stopMs = 1000 * Number(settingsOf(file).get('TimeoutStopSec'));
  expect(stopMs).toBeGreaterThan(shutdownDelayMs + 2 * shutdownGraceMs);
});

test('replicas share the CA, the key for tokens and the signing CA', () => {
  const unit = parseFlags(serveFlags, commands.get('keelson-replica.service')?.slice(1) ?? []);
  const shared = [
    'clientCaFile',
    'serviceAccountSigningKeyFile',
    'clusterSigningCertFile',
    'clusterSigningKeyFile',
  ] as const;
  for (const option of shared) expect(unit[option], option).toMatch(/^\/etc\/keelson\/pki\//);
  const { 'keelson-1': one, 'keelson-2': two } = compose.services;
  expect(one?.volumes).toEqual(two?.volumes);
  expect(Object.keys(compose.volumes)).toEqual(['etcd', 'keelson']);
});
