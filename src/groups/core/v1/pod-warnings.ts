// What the author of a pod, or of a template of pods, is told besides what is wrong.

import type { Dialect } from '../../../meta/dialect.ts';
import { checkLabelName } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { type Warnings, warnEach } from '../../../meta/warn-each.ts';
import type { Infer } from '../../../schema/types.ts';
import { addressListWarnings, addressWarnings } from '../../address-warnings.ts';
import type { podAffinity, podAntiAffinity } from './affinity.ts';
import { annotatedProfileWarnings } from './apparmor-annotations.ts';
import {
  byteAmounts,
  containerWarnings,
  type PlacedContainer,
  placedContainers,
  portWarnings,
} from './container-warnings.ts';
import { fractionalWarnings } from './fractional-amounts.ts';
import { labelWarnings, nodeTermWarnings, topologyKeyWarnings } from './node-label-warnings.ts';
import type { PodSpec, PodTemplateSpec } from './pod-spec.ts';
import { volumeWarnings } from './volume-warnings.ts';

type Annotations = Readonly<Record<string, string>>;

/** What is looked at: a pod, or a template. */
interface Described {
  readonly spec: PodSpec;
  readonly annotations: Annotations;
  readonly dialect: Dialect;
  /** Where it stands, with a dot at the end; empty for a pod itself. */
  readonly prefix: string;
}

export function podWarnings({ metadata, spec }: ApiObject & { readonly spec?: PodSpec }, dialect: Dialect) {
  return warningsOf({ spec: spec ?? {}, annotations: metadata.annotations ?? {}, dialect, prefix: '' });
}

export function templateWarnings(template: PodTemplateSpec | undefined, dialect: Dialect, at: string) {
  const annotations = template?.metadata?.annotations ?? {};
  return warningsOf({ spec: template?.spec ?? {}, annotations, dialect, prefix: `${at}.` });
}

/** Names of these objects become names of hosts. */
export function hostNameWarnings({ metadata: { name = '' } }: ApiObject, usedIn: string): readonly string[] {
  const problems = checkLabelName(name);
  if (problems.length === 0) return [];
  const why = `this is used in ${usedIn}, which can result in surprising behavior; a DNS label is recommended`;
  return [`metadata.name: ${why}: [${problems.join(' ')}]`];
}

/** The same for kinds that make pods from a template. */
export const usedInPods = 'Pod names and hostnames';

function* warningsOf(pod: Described): Warnings {
  const { spec, prefix } = pod;
  const at = `${prefix}spec`;
  const containers = placedContainers(spec, at);
  yield* placementWarnings(pod, at);
  yield* annotationWarnings(pod);
  if (spec.volumes) yield* volumeWarnings(spec.volumes, `${at}.volumes`);
  yield* referenceWarnings(spec, at);
  yield* fractionalWarnings(spec.overhead, byteAmounts, `${at}.overhead`);
  yield* profileWarnings(pod, containers);
  yield* portWarnings(containers);
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0)
    yield `${at}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`;
  yield* affinityWarnings(spec, `${at}.affinity`);
  yield* addressListWarnings(spec.dnsConfig?.nameservers, `${at}.dnsConfig.nameservers`);
  yield* warnEach(spec.hostAliases ?? [], ({ ip = '' }, index) =>
    addressWarnings(ip, `${at}.hostAliases[${index}].ip`),
  );
}

const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
const matchesNothing = 'a null labelSelector results in matching no pod';

function* placementWarnings({ spec, dialect }: Described, at: string): Warnings {
  const { nodeSelector, affinity, topologySpreadConstraints = [] } = spec;
  const nodes = affinity?.nodeAffinity;
  const place = `${at}.affinity.nodeAffinity`;
  yield* labelWarnings(nodeSelector, dialect, (key) => `${at}.nodeSelector[${key}]`);
  yield* warnEach(nodes?.[required]?.nodeSelectorTerms ?? [], (term, index) =>
    nodeTermWarnings(term, dialect, `${place}.${required}.nodeSelectorTerms[${index}]`),
  );
  yield* warnEach(nodes?.[preferred] ?? [], ({ preference = {} }, index) =>
    nodeTermWarnings(preference, dialect, `${place}.${preferred}[${index}].preference`, { valuesToo: true }),
  );
  yield* warnEach(topologySpreadConstraints, function* ({ topologyKey = '', labelSelector }, index) {
    const one = `${at}.topologySpreadConstraints[${index}]`;
    yield* topologyKeyWarnings(topologyKey, dialect, `${one}.topologyKey`);
    if (labelSelector === undefined) yield `${one}.labelSelector: ${matchesNothing}`;
  });
}

function* affinityWarnings({ affinity }: PodSpec, at: string): Warnings {
  for (const name of ['podAffinity', 'podAntiAffinity'] as const)
    if (affinity?.[name]) yield* podTermWarnings(affinity[name], `${at}.${name}`);
}

type PodAffinity = Infer<typeof podAffinity> | Infer<typeof podAntiAffinity>;

function* podTermWarnings(affinity: PodAffinity, at: string): Warnings {
  const said = (term: { readonly labelSelector?: unknown } | undefined, place: string) =>
    term?.labelSelector === undefined ? [`${at}.${place}.labelSelector: ${matchesNothing}`] : [];
  yield* warnEach(affinity[required] ?? [], (term, index) => said(term, `${required}[${index}]`));
  yield* warnEach(affinity[preferred] ?? [], ({ podAffinityTerm }, index) =>
    said(podAffinityTerm, `${preferred}[${index}].podAffinityTerm`),
  );
}

function* annotationWarnings({ annotations, dialect: { labelDomain }, prefix }: Described): Generator<string> {
  const deprecated = [
    [`scheduler.alpha.${labelDomain}/critical-pod`, '16', 'priorityClassName'],
    [`security.alpha.${labelDomain}/sysctls`, '11', 'sysctls'],
    [`security.alpha.${labelDomain}/unsafe-sysctls`, '11', 'sysctls'],
  ] as const;
  for (const [key, since, field] of deprecated)
    if (Object.hasOwn(annotations, key))
      yield `${prefix}metadata.annotations[${key}]: non-functional in v1.${since}+; use the "${field}" field instead`;
}

/** Hosts and secrets that are named twice, or not at all. */
function* referenceWarnings({ hostAliases = [], imagePullSecrets = [] }: PodSpec, at: string): Warnings {
  const [seenIps, seenNames] = [new Set<string>(), new Set<string>()];
  yield* warnEach(hostAliases, ({ ip = '' }, index) =>
    isAgain(seenIps, ip) ? [`${at}.hostAliases[${index}].ip: duplicate ip ${JSON.stringify(ip)}`] : [],
  );
  const place = (index: number) => `${at}.imagePullSecrets[${index}].name`;
  yield* warnEach(imagePullSecrets, ({ name = '' }, index) =>
    isAgain(seenNames, name) ? [`${place(index)}: duplicate name ${JSON.stringify(name)}`] : [],
  );
  yield* warnEach(imagePullSecrets, ({ name = '' }, index) =>
    name === '' ? [`${place(index)}: invalid empty name ""`] : [],
  );
}

/** Whether a value was there before; remembers it. */
function isAgain(seen: Set<string>, value: string): boolean {
  const again = seen.has(value);
  seen.add(value);
  return again;
}

/** Security profiles that are still given as annotations, with what each container says by itself. */
function* profileWarnings(pod: Described, containers: readonly PlacedContainer[]): Warnings {
  const { spec, annotations, prefix, dialect } = pod;
  const { labelDomain } = dialect;
  const whole = spec.securityContext?.appArmorProfile;
  const at = (key: string) => `${prefix}metadata.annotations[${key}]`;
  const annotated = Object.keys(annotations).length > 0;
  const seccomp = (key: string, given: unknown) =>
    annotated && given === undefined && Object.hasOwn(annotations, key)
      ? [`${at(key)}: non-functional in v1.27+; use the "seccompProfile" field instead`]
      : [];
  yield* seccomp(`seccomp.security.alpha.${labelDomain}/pod`, spec.securityContext?.seccompProfile);
  yield* warnEach(containers, function* (placed) {
    const { name = '', securityContext } = placed.container;
    yield* seccomp(`container.seccomp.security.alpha.${labelDomain}/${name}`, securityContext?.seccompProfile);
    // a pod's own are told before its fields take them over
    if (prefix !== '') yield* annotatedProfileWarnings(placed.container, whole, annotations, dialect, prefix);
    yield* containerWarnings(placed);
  });
}
