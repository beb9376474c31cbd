// What the author of a pod, or of a template of pods, is told besides what is wrong.

import { isDeepStrictEqual } from 'node:util';
import type { Dialect } from '../../../meta/dialect.ts';
import { checkLabelName } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { Infer } from '../../../schema/types.ts';
import { addressListWarnings, addressWarnings } from '../../address-warnings.ts';
import type { podAffinity, podAntiAffinity } from './affinity.ts';
import { annotatedProfile, profileAnnotation } from './apparmor-annotations.ts';
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

function* warningsOf(pod: Described): Generator<string> {
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
  for (const [index, { ip = '' }] of (spec.hostAliases ?? []).entries())
    yield* addressWarnings(ip, `${at}.hostAliases[${index}].ip`);
}

const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
const matchesNothing = 'a null labelSelector results in matching no pod';

function* placementWarnings({ spec, dialect }: Described, at: string): Generator<string> {
  const { nodeSelector, affinity, topologySpreadConstraints = [] } = spec;
  const nodes = affinity?.nodeAffinity;
  const place = `${at}.affinity.nodeAffinity`;
  yield* labelWarnings(nodeSelector, dialect, (key) => `${at}.nodeSelector[${key}]`);
  for (const [index, term] of (nodes?.[required]?.nodeSelectorTerms ?? []).entries())
    yield* nodeTermWarnings(term, dialect, `${place}.${required}.nodeSelectorTerms[${index}]`);
  for (const [index, { preference = {} }] of (nodes?.[preferred] ?? []).entries())
    yield* nodeTermWarnings(preference, dialect, `${place}.${preferred}[${index}].preference`, { valuesToo: true });
  for (const [index, { topologyKey = '', labelSelector }] of topologySpreadConstraints.entries()) {
    const one = `${at}.topologySpreadConstraints[${index}]`;
    yield* topologyKeyWarnings(topologyKey, dialect, `${one}.topologyKey`);
    if (labelSelector === undefined) yield `${one}.labelSelector: ${matchesNothing}`;
  }
}

function* affinityWarnings({ affinity }: PodSpec, at: string): Generator<string> {
  for (const name of ['podAffinity', 'podAntiAffinity'] as const)
    if (affinity?.[name]) yield* podTermWarnings(affinity[name], `${at}.${name}`);
}

type PodAffinity = Infer<typeof podAffinity> | Infer<typeof podAntiAffinity>;

function podTermWarnings(affinity: PodAffinity, at: string): readonly string[] {
  const places = [
    ...(affinity[required] ?? []).map((term, index) => ({ term, place: `${required}[${index}]` })),
    ...(affinity[preferred] ?? []).map(({ podAffinityTerm: term }, index) => ({
      term,
      place: `${preferred}[${index}].podAffinityTerm`,
    })),
  ];
  return places
    .filter(({ term }) => term?.labelSelector === undefined)
    .map(({ place }) => `${at}.${place}.labelSelector: ${matchesNothing}`);
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
function* referenceWarnings({ hostAliases = [], imagePullSecrets = [] }: PodSpec, at: string): Generator<string> {
  const ips = hostAliases.map(({ ip = '' }) => ip);
  for (const index of repeated(ips)) yield `${at}.hostAliases[${index}].ip: duplicate ip ${JSON.stringify(ips[index])}`;
  const names = imagePullSecrets.map(({ name = '' }) => name);
  const place = (index: number) => `${at}.imagePullSecrets[${index}].name`;
  for (const index of repeated(names)) yield `${place(index)}: duplicate name ${JSON.stringify(names[index])}`;
  for (const [index, name] of names.entries()) if (name === '') yield `${place(index)}: invalid empty name ""`;
}

/** Where in a list something stands that was there before. */
function repeated(values: readonly string[]): readonly number[] {
  const seen = new Set<string>();
  return values.flatMap((value, index) => {
    const again = seen.has(value);
    seen.add(value);
    return again ? [index] : [];
  });
}

/** Security profiles that are still given as annotations, with what each container says by itself. */
function* profileWarnings(pod: Described, containers: readonly PlacedContainer[]): Generator<string> {
  const { spec, annotations, prefix, dialect } = pod;
  const { labelDomain } = dialect;
  const at = (key: string) => `${prefix}metadata.annotations[${key}]`;
  const annotated = Object.keys(annotations).length > 0;
  const seccomp = (key: string, given: unknown) =>
    annotated && given === undefined && Object.hasOwn(annotations, key)
      ? [`${at(key)}: non-functional in v1.27+; use the "seccompProfile" field instead`]
      : [];
  yield* seccomp(`seccomp.security.alpha.${labelDomain}/pod`, spec.securityContext?.seccompProfile);
  for (const placed of containers) {
    const { name = '', securityContext } = placed.container;
    yield* seccomp(`container.seccomp.security.alpha.${labelDomain}/${name}`, securityContext?.seccompProfile);
    const key = profileAnnotation(dialect, name);
    if (annotated && Object.hasOwn(annotations, key) && !isSaidElsewhere(pod, placed.container, annotations[key]))
      yield `${at(key)}: deprecated since v1.30; use the "appArmorProfile" field instead`;
    yield* containerWarnings(placed);
  }
}

/** Whether a profile was given as a field too. Fields of pods, unlike those of templates, take over what annotations say. */
function isSaidElsewhere({ spec, prefix }: Described, { securityContext }: PlacedContainer['container'], text = '') {
  const whole = spec.securityContext?.appArmorProfile;
  const given = securityContext?.appArmorProfile;
  if (prefix !== '') return (whole ?? given) !== undefined;
  const profile = annotatedProfile(text);
  if (given !== undefined) return !isDeepStrictEqual(given, profile);
  return profile !== undefined && isDeepStrictEqual(profile, whole);
}
