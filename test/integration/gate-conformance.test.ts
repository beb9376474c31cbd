// Fields of features that are turned off are dropped as by the reference server, which ran with the same gates.

import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { openCluster } from '../conformance/cluster.ts';
import { differences } from '../conformance/compare.ts';
import { readRecording, runAll } from '../conformance/recording.ts';
import { loadArea } from '../conformance/scenario.ts';

const recorded = join(import.meta.dirname, '../conformance/gates');

/** Those of the fields, and those that need them. */
const off = [
  ...['ContainerRestartRules', 'RestartAllContainersOnContainerExits', 'EnvFiles', 'HostnameOverride'],
  ...['MatchLabelKeysInPodTopologySpread', 'MatchLabelKeysInPodTopologySpreadSelectorMerge'],
  ...['PodLevelResources', 'InPlacePodLevelResourcesVerticalScaling', 'InPlacePodVerticalScalingInitContainers'],
  ...['ResourceHealthStatus', 'ResourceHealthStatusMessage', 'DRAExtendedResource', 'HPAConfigurableTolerance'],
  ...['DeploymentReplicaSetTerminatingReplicas', 'NodeDeclaredFeatures', 'ExtendWebSocketsToKubelet'],
  ...['DRAConsumableCapacity', 'DRADeviceBindingConditions', 'DRADeviceTaints', 'DRAPartitionableDevices'],
  ...['DRAPrioritizedList', 'DRAResourceClaimDeviceStatus', 'DRAResourceClaimGranularStatusAuthorization'],
];

let server: Server;
beforeAll(async () => {
  server = await startTestServer({ featureGates: Object.fromEntries(off.map((gate) => [gate, false])) });
});
afterAll(() => server.close());

test('every answer is as recorded', async () => {
  const cluster = await openCluster({ text: server.kubeconfig });
  try {
    const scenarios = loadArea('gates', join(recorded, 'scenarios'));
    const found = differences(readRecording('gates', join(recorded, 'answers')), await runAll(cluster, scenarios));
    expect(found.map(({ scenario, at, lines }) => `${scenario}: ${at}\n${lines.join('\n')}`)).toEqual([]);
  } finally {
    cluster[Symbol.dispose]();
  }
}, 60_000);
