// Behaviour that is switched by a name, as kube-apiserver's --feature-gates does it.

import type { Dialect } from '../meta/dialect.ts';
import { gateNeeds, type KnownGate, knownGates } from './known-gates.ts';
import { OptionError } from './option-error.ts';

/** Gates of fields that are kept unless the gate is off: each field names its gate. */
const fieldGates = {
  ContainerRestartRules: true,
  DRAConsumableCapacity: true,
  DRADeviceBindingConditions: true,
  DRADeviceTaints: true,
  DRAExtendedResource: true,
  DRAPartitionableDevices: true,
  DRAPrioritizedList: true,
  DRAResourceClaimDeviceStatus: true,
  DeploymentReplicaSetTerminatingReplicas: true,
  EnvFiles: true,
  HPAConfigurableTolerance: true,
  HostnameOverride: true,
  InPlacePodLevelResourcesVerticalScaling: true,
  MatchLabelKeysInPodTopologySpread: true,
  PodLevelResources: true,
  ResourceHealthStatus: true,
  ResourceHealthStatusMessage: true,
};

/** Every gate that changes something here, and its default. */
const defaults = {
  ...fieldGates,
  /** Lists in pages: without it `limit` and `continue` mean nothing. The specification has it, the release no longer. */
  APIListChunking: true,
  /** Servers that share a store know of each other by Leases. */
  APIServerIdentity: true,
  /** NodeRestriction lets nodes ask for certificates of other nodes. */
  AllowInsecureKubeletCertificateSigningRequests: false,
  /** The API of ClusterTrustBundles, where the runtime config turns it on, and the CA of the server as one of them. */
  ClusterTrustBundle: false,
  /** The page of the flags, `/flagz`. */
  ComponentFlagz: true,
  /** The page of the state, `/statusz`. */
  ComponentStatusz: true,
  /** The status of device claims: binding, and reports of drivers, need rights of their own. */
  DRAResourceClaimGranularStatusAuthorization: true,
  /** Groups of pods have claims of devices that their pods share. */
  DRAWorkloadResourceClaims: false,
  /** Groups of pods that are scheduled together, where the runtime config turns them on: plugins hold them to their workloads. */
  GenericWorkload: false,
  /** Webhooks and policies may stand in files; names that end accordingly are for them alone. */
  ManifestBasedAdmissionControlConfig: false,
  /** Mutating admission policies act. */
  MutatingAdmissionPolicy: true,
  /** Changes of pods are held to what their nodes say they can do. */
  NodeDeclaredFeatures: true,
  /** The API of PodCertificateRequests, where the runtime config turns it on; old ones are deleted. */
  PodCertificateRequest: false,
  /** Logs of one stream of a container: without it `stream` may not be requested. */
  PodLogsQuerySplitStreams: false,
  /** Pods get the zone and region of their node. */
  PodTopologyLabelsAdmission: true,
  /** NodeRestriction lets nodes have tokens for those alone that the volumes of a pod name. */
  ServiceAccountNodeAudienceRestriction: true,
  /** The API of StorageVersionMigrations, where the runtime config turns it on. */
  StorageVersionMigrator: false,
  /** Groups of pods say which nodes they may be spread over. */
  TopologyAwareWorkloadScheduling: false,
  /** Groups of pods have a priority of their own, and may be disrupted as a whole. */
  WorkloadAwarePreemption: false,
  /** Jobs whose pods are a gang keep how many of them run at once. */
  WorkloadWithJob: false,
};

export type FeatureGates = Readonly<typeof defaults>;

type GivenGates = Readonly<Record<string, boolean>>;

export interface GateState extends KnownGate {
  readonly isEnabled: boolean;
}

/** Gates that stand for all of a stage that are not given by name. */
const stageGates: Readonly<Record<string, KnownGate['stage']>> = { AllAlpha: 'ALPHA', AllBeta: 'BETA' };

export function resolveFeatureGates(given: GivenGates = {}): FeatureGates {
  if (Object.keys(given).length === 0) return defaults;
  for (const [name, value] of Object.entries(given)) check(name, value);
  const states = new Map(gateStates(given).map(({ name, isEnabled }) => [name, isEnabled]));
  checkNeeds(states);
  const named = Object.keys(defaults) as (keyof FeatureGates)[];
  const resolved = named.map((name) => [name, states.get(name) ?? given[name] ?? defaults[name]]);
  return Object.fromEntries(resolved) as FeatureGates;
}

/** Every gate of the release as it is with those that were given. */
export function gateStates(given: GivenGates): readonly GateState[] {
  const byStage = new Map<string, boolean>();
  for (const [name, stage] of Object.entries(stageGates)) {
    const value = givenValue(given, name);
    if (value !== undefined) byStage.set(stage, value);
  }
  return [...knownGates().values()].map((gate) => {
    const ofStage = gate.isLocked || Object.hasOwn(stageGates, gate.name) ? undefined : byStage.get(gate.stage);
    return { ...gate, isEnabled: givenValue(given, gate.name) ?? ofStage ?? gate.isOn };
  });
}

/** What to tell of gates that were given: those that go in a later release, and those that switch nothing here. */
export function gateWarnings(given: GivenGates): readonly string[] {
  return Object.keys(given).flatMap((name) => {
    const gate = knownGates().get(name);
    const about = gate && lastStages[gate.stage];
    const going = about === undefined ? [] : [`feature gate ${name} is ${about}: it goes in a later release`];
    const isIdle = !Object.hasOwn(defaults, name) && !Object.hasOwn(stageGates, name) && gate?.isOn !== given[name];
    return isIdle ? [...going, `feature gate ${name} has no effect here: it switches nothing`] : going;
  });
}

/** Stages after which a gate is removed. */
const lastStages: Readonly<Partial<Record<KnownGate['stage'], string>>> = {
  '': 'that of a stable feature',
  DEPRECATED: 'deprecated',
};

/** The given gates, after the defaults of the dialect for whole stages. */
export const gatesIn = ({ rules }: Dialect, given: GivenGates = {}): GivenGates =>
  rules.betaGates === 'on' ? { AllBeta: true, ...given } : given;

const givenValue = (given: GivenGates, name: string) => (Object.hasOwn(given, name) ? given[name] : undefined);

function check(name: string, value: boolean): void {
  const gate = knownGates().get(name);
  if (gate === undefined && !Object.hasOwn(defaults, name))
    throw new OptionError(`featureGates: unrecognized feature gate: ${name}`);
  if (gate?.isLocked && gate.isOn !== value)
    throw new OptionError(
      `featureGates: cannot set feature gate ${name} to ${value}, feature is locked to ${gate.isOn}`,
    );
}

function checkNeeds(states: ReadonlyMap<string, boolean>): void {
  for (const [name, needs] of Object.entries(gateNeeds)) {
    if (!states.get(name)) continue;
    const off = needs.split(' ').filter((need) => !states.get(need));
    if (off.length > 0)
      throw new OptionError(
        `featureGates: ${name} is enabled, but depends on features that are disabled: [${off.join(' ')}]`,
      );
  }
}
