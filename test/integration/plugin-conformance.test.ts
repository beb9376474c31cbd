// Plugins that are off by default answer as those of the reference server did, which ran with the same ones turned on.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { openCluster } from '../conformance/cluster.ts';
import { differences } from '../conformance/compare.ts';
import { readRecording, runAll } from '../conformance/recording.ts';
import { loadArea } from '../conformance/scenario.ts';

const recorded = join(import.meta.dirname, '../conformance/plugins');
const limits = [
  { type: 'Namespace', qps: 1, burst: 2, cacheSize: 100 },
  { type: 'User', qps: 1000, burst: 1000 },
];

let server: Server;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plugins-'));
  const configuration = { apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1', kind: 'Configuration', limits };
  const admissionControlConfigFile = join(folder, 'admission.json');
  const file = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration' };
  const plugins = [{ name: 'EventRateLimit', configuration }];
  writeFileSync(admissionControlConfigFile, JSON.stringify({ ...file, plugins }));
  server = await startTestServer({
    allowPrivileged: true,
    enableAdmissionPlugins: [
      ...['NodeRestriction', 'AlwaysPullImages', 'DenyServiceExternalIPs', 'ExtendedResourceToleration'],
      ...['LimitPodHardAntiAffinityTopology', 'NamespaceExists', 'OwnerReferencesPermissionEnforcement'],
      ...['PodNodeSelector', 'PodTolerationRestriction', 'EventRateLimit'],
    ],
    featureGates: { PodCertificateRequest: true },
    runtimeConfig: { 'certificates.k8s.io/v1beta1': true },
    admissionControlConfigFile,
  });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

test('every answer is as recorded', async () => {
  const cluster = await openCluster({ text: server.kubeconfig });
  try {
    const scenarios = loadArea('plugins', join(recorded, 'scenarios'));
    const found = differences(readRecording('plugins', join(recorded, 'answers')), await runAll(cluster, scenarios));
    expect(found.map(({ scenario, at, lines }) => `${scenario}: ${at}\n${lines.join('\n')}`)).toEqual([]);
  } finally {
    cluster[Symbol.dispose]();
  }
}, 60_000);
