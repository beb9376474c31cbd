import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { cluster, kubernetes } from '../meta/dialect.ts';
import { gateStates, gatesIn, gateWarnings, resolveFeatureGates } from './feature-gates.ts';
import { knownGates } from './known-gates.ts';

interface RecordedGate {
  readonly stage: string;
  readonly default: boolean;
  readonly locked?: true;
}

const file = new URL('../../test/golden/feature-gates.json', import.meta.url);
const recorded = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, RecordedGate>>;

test('the gates are those of the release, with stage, default and lock', () => {
  const gates = [...knownGates().values()].map(({ name, stage, isOn, isLocked }) => [
    name,
    { stage, default: isOn, ...(isLocked ? { locked: true } : {}) },
  ]);
  expect(Object.fromEntries(gates)).toEqual(recorded);
});

test('gates that change something here are off or on as in the release', () => {
  const { APIListChunking, ...resolved } = resolveFeatureGates();
  expect(APIListChunking).toBe(true);
  for (const [name, isOn] of Object.entries(resolved)) expect([name, recorded[name]?.default]).toEqual([name, isOn]);
});

describe('what cannot be set is refused in the words of the release', () => {
  test.each([
    [{ NoSuchGate: true }, 'featureGates: unrecognized feature gate: NoSuchGate'],
    [{ constructor: true }, 'featureGates: unrecognized feature gate: constructor'],
    // gates of earlier releases: of a stable feature, and of one that was dropped
    [{ CronJobControllerV2: true }, 'featureGates: unrecognized feature gate: CronJobControllerV2'],
    [{ DynamicKubeletConfig: false }, 'featureGates: unrecognized feature gate: DynamicKubeletConfig'],
    [
      { DynamicResourceAllocation: false },
      'featureGates: cannot set feature gate DynamicResourceAllocation to false, feature is locked to true',
    ],
    [
      { ClusterTrustBundleProjection: true },
      'featureGates: ClusterTrustBundleProjection is enabled, but depends on features that are disabled: [ClusterTrustBundle]',
    ],
  ])('%j', (given: Readonly<Record<string, boolean>>, message) => {
    expect(() => resolveFeatureGates(given)).toThrow(message);
  });

  test('a deprecated gate can still be turned on and off', () => {
    const deprecated = [...knownGates().values()].filter(({ stage, isLocked }) => stage === 'DEPRECATED' && !isLocked);
    expect(deprecated.length).toBeGreaterThan(2);
    for (const { name } of deprecated)
      for (const isOn of [true, false]) {
        const state = gateStates({ [name]: isOn }).find((gate) => gate.name === name);
        expect([name, state?.isEnabled]).toEqual([name, isOn]);
        expect(() => resolveFeatureGates({ [name]: isOn })).not.toThrow();
      }
  });

  test('a locked gate may be given the value it has', () => {
    expect(() => resolveFeatureGates({ DynamicResourceAllocation: true })).not.toThrow();
  });
});

describe('gates of a whole stage', () => {
  test('AllAlpha turns on all alpha gates except those that are named', () => {
    const gates = resolveFeatureGates({ AllAlpha: true, PodLogsQuerySplitStreams: false, ClusterTrustBundle: true });
    expect(gates).toMatchObject({ GenericWorkload: true, WorkloadWithJob: true, PodLogsQuerySplitStreams: false });
    expect(gates.PodCertificateRequest).toBe(false);
  });

  test('AllBeta is its own gate, and no other stage follows it', () => {
    const states = new Map(gateStates({ AllBeta: true }).map((gate) => [gate.name, gate.isEnabled]));
    expect(states.get('AllBeta')).toBe(true);
    expect(states.get('AllAlpha')).toBe(false);
    expect(states.get('PodCertificateRequest')).toBe(true);
    expect(states.get('GenericWorkload')).toBe(false);
  });
});

test('gates that switch nothing here are told of, and those that go in a later release', () => {
  const none = 'has no effect here: it switches nothing';
  const goes = 'it goes in a later release';
  const stable = { DynamicResourceAllocation: true };
  const gates = { ContainerStopSignals: true, EnvFiles: true, ClusterTrustBundle: true, AllAlpha: true, ...stable };
  expect(gateWarnings({ ...gates, KMSv1: true })).toEqual([
    `feature gate ContainerStopSignals ${none}`,
    `feature gate DynamicResourceAllocation is that of a stable feature: ${goes}`,
    `feature gate KMSv1 is deprecated: ${goes}`,
    `feature gate KMSv1 ${none}`,
  ]);
});

test('alpha is off; beta is as released, or on in the dialect of the specification, unless it is turned off', () => {
  const states = (dialect: typeof kubernetes, given = {}) =>
    gateStates(gatesIn(dialect, given)).filter(
      ({ stage, isEnabled }) => stage !== '' && stage !== 'DEPRECATED' && isEnabled,
    );
  const stages = (dialect: typeof kubernetes) => new Set(states(dialect).map(({ stage }) => stage));
  expect([stages(kubernetes), stages(cluster())]).toEqual([new Set(['BETA']), new Set(['BETA'])]);
  const all = [...knownGates().values()].filter(({ stage }) => stage === 'BETA').length;
  expect(states(kubernetes).length).toBeLessThan(all);
  expect(states(cluster())).toHaveLength(all);
  expect(
    resolveFeatureGates(gatesIn(cluster(), { ClusterTrustBundle: false, ClusterTrustBundleProjection: false })),
  ).toMatchObject({
    ClusterTrustBundle: false,
    PodCertificateRequest: true,
  });
});
