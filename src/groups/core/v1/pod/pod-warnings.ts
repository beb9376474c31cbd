// What the author of a pod, or of a template of pods, is told besides what is wrong.

import type { Dialect } from '../../../../meta/dialect.ts';
import { checkLabelName } from '../../../../meta/names.ts';
import type { ApiObject } from '../../../../meta/object.ts';
import { type Warnings, warnEach } from '../../../../meta/warn-each.ts';
import type { Infer } from '../../../../schema/types.ts';
import { addressListWarnings, addressWarnings } from '../../../address-warnings.ts';
import { volumeWarnings } from '../volume/volume-warnings.ts';
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

function warningsOf(pod: Described): Warnings {
  const { spec, prefix } = pod;
  const at = `${prefix}spec`;
  const containers = placedContainers(spec, at);
  const negative = 'must be >= 0; negative values are invalid and will be treated as 1';
  return [
    ...placementWarnings(pod, at),
    ...annotationWarnings(pod),
    ...(spec.volumes ? volumeWarnings(spec.volumes, `${at}.volumes`) : []),
    ...referenceWarnings(spec, at),
    ...fractionalWarnings(spec.overhead, byteAmounts, `${at}.overhead`),
    ...profileWarnings(pod, containers),
    ...portWarnings(containers),
    ...((spec.terminationGracePeriodSeconds ?? 0) < 0 ? [`${at}.terminationGracePeriodSeconds: ${negative}`] : []),
    ...(spec.affinity ? affinityWarnings(spec.affinity, `${at}.affinity`) : []),
    ...addressListWarnings(spec.dnsConfig?.nameservers, `${at}.dnsConfig.nameservers`),
    ...warnEach(spec.hostAliases ?? [], ({ ip = '' }, index) => addressWarnings(ip, `${at}.hostAliases[${index}].ip`)),
  ];
}

const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
const matchesNothing = 'a null labelSelector results in matching no pod';

function placementWarnings({ spec, dialect }: Described, at: string): Warnings {
  const { nodeSelector, affinity, topologySpreadConstraints = [] } = spec;
  const nodes = affinity?.nodeAffinity;
  const place = `${at}.affinity.nodeAffinity`;
  return [
    ...labelWarnings(nodeSelector, dialect, (key) => `${at}.nodeSelector[${key}]`),
    ...warnEach(nodes?.[required]?.nodeSelectorTerms ?? [], (term, index) =>
      nodeTermWarnings(term, dialect, `${place}.${required}.nodeSelectorTerms[${index}]`),
    ),
    ...warnEach(nodes?.[preferred] ?? [], ({ preference = {} }, index) =>
      nodeTermWarnings(preference, dialect, `${place}.${preferred}[${index}].preference`, { valuesToo: true }),
    ),
    ...warnEach(topologySpreadConstraints, ({ topologyKey = '', labelSelector }, index) => {
      const one = `${at}.topologySpreadConstraints[${index}]`;
      const advice = topologyKeyWarnings(topologyKey, dialect, `${one}.topologyKey`);
      return labelSelector === undefined ? [...advice, `${one}.labelSelector: ${matchesNothing}`] : advice;
    }),
  ];
}

function affinityWarnings(affinity: NonNullable<PodSpec['affinity']>, at: string): Warnings {
  return warnEach(['podAffinity', 'podAntiAffinity'] as const, (name) =>
    affinity[name] ? podTermWarnings(affinity[name], `${at}.${name}`) : [],
  );
}

type PodAffinity = Infer<typeof podAffinity> | Infer<typeof podAntiAffinity>;

function podTermWarnings(affinity: PodAffinity, at: string): Warnings {
  const said = (term: { readonly labelSelector?: unknown } | undefined, place: string) =>
    term?.labelSelector === undefined ? [`${at}.${place}.labelSelector: ${matchesNothing}`] : [];
  return [
    ...warnEach(affinity[required] ?? [], (term, index) => said(term, `${required}[${index}]`)),
    ...warnEach(affinity[preferred] ?? [], ({ podAffinityTerm }, index) =>
      said(podAffinityTerm, `${preferred}[${index}].podAffinityTerm`),
    ),
  ];
}

const deprecatedAnnotations = [
  { before: 'scheduler.alpha', name: 'critical-pod', since: '16', field: 'priorityClassName' },
  { before: 'security.alpha', name: 'sysctls', since: '11', field: 'sysctls' },
  { before: 'security.alpha', name: 'unsafe-sysctls', since: '11', field: 'sysctls' },
] as const;

function annotationWarnings({ annotations, dialect: { labelDomain }, prefix }: Described): Warnings {
  return warnEach(deprecatedAnnotations, ({ before, name, since, field }) => {
    const key = `${before}.${labelDomain}/${name}`;
    if (!Object.hasOwn(annotations, key)) return [];
    const advice = `non-functional in v1.${since}+; use the "${field}" field instead`;
    return [`${prefix}metadata.annotations[${key}]: ${advice}`];
  });
}

/** Hosts and secrets that are named twice, or not at all. */
function referenceWarnings({ hostAliases = [], imagePullSecrets = [] }: PodSpec, at: string): Warnings {
  if (hostAliases.length === 0 && imagePullSecrets.length === 0) return [];
  const [seenIps, seenNames] = [new Set<string>(), new Set<string>()];
  const place = (index: number) => `${at}.imagePullSecrets[${index}].name`;
  return [
    ...warnEach(hostAliases, ({ ip = '' }, index) =>
      isAgain(seenIps, ip) ? [`${at}.hostAliases[${index}].ip: duplicate ip ${JSON.stringify(ip)}`] : [],
    ),
    ...warnEach(imagePullSecrets, ({ name = '' }, index) =>
      isAgain(seenNames, name) ? [`${place(index)}: duplicate name ${JSON.stringify(name)}`] : [],
    ),
    ...warnEach(imagePullSecrets, ({ name = '' }, index) =>
      name === '' ? [`${place(index)}: invalid empty name ""`] : [],
    ),
  ];
}

/** Whether a value was there before; remembers it. */
function isAgain(seen: Set<string>, value: string): boolean {
  const again = seen.has(value);
  seen.add(value);
  return again;
}

/** Security profiles that are still given as annotations, with what each container says by itself. */
function profileWarnings(pod: Described, containers: readonly PlacedContainer[]): Warnings {
  const { spec, annotations, prefix, dialect } = pod;
  const { labelDomain } = dialect;
  const whole = spec.securityContext?.appArmorProfile;
  const at = (key: string) => `${prefix}metadata.annotations[${key}]`;
  const annotated = Object.keys(annotations).length > 0;
  const seccomp = (key: string, given: unknown) =>
    annotated && given === undefined && Object.hasOwn(annotations, key)
      ? [`${at(key)}: non-functional in v1.27+; use the "seccompProfile" field instead`]
      : [];
  // profiles of a pod itself are reported before its fields take them over
  const appArmor = ({ container }: PlacedContainer) =>
    prefix === '' ? [] : annotatedProfileWarnings(container, whole, annotations, dialect, prefix);
  return [
    ...seccomp(`seccomp.security.alpha.${labelDomain}/pod`, spec.securityContext?.seccompProfile),
    ...warnEach(containers, (placed) => {
      const { name = '', securityContext } = placed.container;
      return [
        ...seccomp(`container.seccomp.security.alpha.${labelDomain}/${name}`, securityContext?.seccompProfile),
        ...appArmor(placed),
        ...containerWarnings(placed),
      ];
    }),
  ];
}
