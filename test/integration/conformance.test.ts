// Keelson answers as the reference server did: every scenario of test/conformance, compared with its recording.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Cluster, openCluster } from '../conformance/cluster.ts';
import { differences } from '../conformance/compare.ts';
import { readRecording, runAreas } from '../conformance/recording.ts';
import type { Recorded } from '../conformance/run-scenario.ts';
import { areas } from '../conformance/scenario.ts';

interface Known {
  readonly why: string;
  /** `area: scenario: which answer`, counted from 0. */
  readonly answers: readonly string[];
}

const folder = join(import.meta.dirname, '../conformance');
const known = parse(readFileSync(join(folder, 'known-differences.yaml'), 'utf8')) as readonly Known[];
const knownAnswers = known.flatMap(({ answers }) => answers);

let server: Server;
let cluster: Cluster;
/** What was answered, by area: all areas are asked at once, because some answers have to be waited for. */
let answered: ReadonlyMap<string, readonly Recorded[]>;
beforeAll(async () => {
  server = await startTestServer({ allowPrivileged: true, enableAdmissionPlugins: ['NodeRestriction'] });
  cluster = await openCluster({ text: server.kubeconfig });
  answered = await runAreas(cluster, areas());
}, 600_000);
afterAll(async () => {
  cluster[Symbol.dispose]();
  await server.close();
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
