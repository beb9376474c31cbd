// Keelson answers as the reference server did: every scenario of test/conformance, compared with its recording.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import type { Server } from '../../src/index.ts';
import { createAuthority, signLeaf } from '../../src/pki/certificates.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Cluster, openCluster } from '../conformance/cluster.ts';
import { differences } from '../conformance/compare.ts';
import { readRecording, runAreas } from '../conformance/recording.ts';
import type { Recorded } from '../conformance/run-scenario.ts';
import { areas } from '../conformance/scenario.ts';
import { TempFolder } from '../interop/temp-folder.ts';

interface Known {
  readonly why: string;
  /** `area: scenario: which answer`, counted from 0. */
  readonly answers: readonly string[];
}

const folder = join(import.meta.dirname, '../conformance');
const known = parse(readFileSync(join(folder, 'known-differences.yaml'), 'utf8')) as readonly Known[];
const knownAnswers = known.flatMap(({ answers }) => answers);

/** The administrator of the recorded server, as a client of this one. */
const users = createAuthority('users', Date.now());
const admin = signLeaf(users, { usage: 'client', commonName: 'admin', organizations: ['system:masters'] }, Date.now());

function asAdmin(kubeconfig: string): string {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const user = { 'client-certificate-data': base64(admin.certificate), 'client-key-data': base64(admin.privateKey) };
  const config = parse(kubeconfig) as { readonly users: readonly { readonly name: string }[] };
  return stringify({ ...config, users: config.users.map(({ name }) => ({ name, user })) });
}

let temp: TempFolder;
let server: Server;
let cluster: Cluster;
/** What was answered, by area: all areas are asked at once, because some answers have to be waited for. */
let answered: ReadonlyMap<string, readonly Recorded[]>;
beforeAll(async () => {
  temp = new TempFolder();
  const clientCaFile = join(temp.path, 'users.crt');
  writeFileSync(clientCaFile, users.certificate);
  server = await startTestServer({
    ...{ clientCaFile, allowPrivileged: true, enableAdmissionPlugins: ['NodeRestriction'] },
    // as with the recorded server
    controllers: ['*', '-podgc', '-service-cidr-controller'],
  });
  cluster = await openCluster({ text: asAdmin(server.kubeconfig) });
  answered = await runAreas(cluster, areas());
}, 600_000);
afterAll(async () => {
  cluster[Symbol.dispose]();
  await server.close();
  temp[Symbol.dispose]();
});

test('recordings cover enough to mean something', () => {
  const steps = areas().flatMap((area) => readRecording(area));
  expect(areas().length).toBeGreaterThan(20);
  expect(steps.length).toBeGreaterThan(1500);
});

describe.each(areas())('%s', (area) => {
  test('answers as recorded', () => {
    const found = differences(readRecording(area), answered.get(area) ?? []);
    const unexpected = found.filter((one) => !knownAnswers.includes(nameOf(area, one)));
    expect(unexpected.map((one) => `${nameOf(area, one)} ${one.request}\n${one.lines.join('\n')}`)).toEqual([]);
    const names = new Set(found.map((one) => nameOf(area, one)));
    const mended = knownAnswers.filter((name) => name.startsWith(`${area}: `) && !names.has(name));
    expect(mended, 'agree now: take them out of known-differences.yaml').toEqual([]);
  });
});

const nameOf = (area: string, { scenario, at }: { scenario: string; at: number }) => `${area}: ${scenario}: ${at}`;
