// What is wrong with a pod or a pod template, in the words and at the fields that clients know.

import { isIP } from 'node:net';
import {
  duplicate,
  forbiddenField,
  invalidValue,
  notFoundValue,
  required,
  tooLong,
} from '../../../meta/field-errors.ts';
import { checkLabelName, checkLabelValue, checkQualifiedName, checkSubdomain } from '../../../meta/names.ts';
import { validateIp } from '../../../meta/network-names.ts';
import type { ObjectMeta } from '../../../meta/object.ts';
import type { FieldError } from '../../../meta/status.ts';
import type { StrategyContext } from '../../../schema/resource.ts';
import { checked, type Findings, oneOf, requiredChecked, requiredOneOf } from '../../rules.ts';
import type { Container, EphemeralContainer } from './container-defaults.ts';
import {
  hostPortConflicts,
  type PodSurroundings,
  validateContainer,
  validateRestartRules,
} from './container-validation.ts';
import { validateAffinity, validateTolerations, validateTopologySpread } from './placement-validation.ts';
import type { PodSpec, PodTemplateSpec } from './pod-spec.ts';
import { validateProbesAndHooks } from './probe-validation.ts';
import { validatePodResources, validateResources } from './resource-validation.ts';
import { validateForOs, validatePodSecurity } from './security-validation.ts';
import { validateVolumes } from './volume-validation.ts';

const maxInt32 = 2 ** 31 - 1;
const maxAnnotationBytes = 256 * 1024;

/** What a cluster as a whole lets pods do. */
export type PodRules = Pick<StrategyContext, 'refusesPrivileged'>;

/** Findings about a template at a field such as `spec.template`. */
export function validatePodTemplate(
  template: PodTemplateSpec | undefined,
  at: string,
  rules: PodRules = {},
): readonly FieldError[] {
  const { metadata, spec = {} } = template ?? {};
  return [
    // compat: labels and annotations of a template are reported as if they stood beside its metadata
    ...validateLabels(metadata?.labels ?? {}, `${at}.labels`),
    ...validateAnnotations((metadata ?? {}) as ObjectMeta, `${at}.annotations`),
    ...validatePodSpec(spec, `${at}.spec`, rules),
    ...((spec.ephemeralContainers ?? []).length > 0
      ? [forbiddenField(`${at}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template')]
      : []),
  ];
}

export function validateLabels(labels: Readonly<Record<string, string>>, at: string): Findings {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...checked(at, key, checkQualifiedName),
    ...checked(at, value, checkLabelValue),
  ]);
}

function validateAnnotations({ annotations = {} }: ObjectMeta, at: string): Findings {
  const entries = Object.entries(annotations);
  const total = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  return [
    ...entries.flatMap(([key]) => checkQualifiedName(key.toLowerCase()).map((e) => invalidValue(at, key, e))),
    ...(total > maxAnnotationBytes ? [tooLong(at, maxAnnotationBytes)] : []),
  ];
}

export function validatePodSpec(spec: PodSpec, at: string, rules: PodRules = {}): Findings {
  const pod = surroundingsOf(spec);
  return [
    ...validateVolumes(spec.volumes ?? [], `${at}.volumes`),
    ...validateClaims(spec, `${at}.resourceClaims`),
    ...validateContainers(spec, at, pod),
    ...validateInitContainers(spec, at, pod),
    ...validateEphemeralContainers(spec, at, pod),
    ...validatePodResources(spec.resources, `${at}.resources`),
    ...requiredOneOf(`${at}.restartPolicy`, spec.restartPolicy, ['Always', 'Never', 'OnFailure']),
    ...validateDns(spec, at),
    ...validatePlacement(spec, at),
    ...validateHostNetwork(spec, at),
    ...validatePodSecurity(spec, at),
    ...validateForOs(spec, at),
    ...validateNames(spec, at),
    ...validateGates(spec, at),
    ...validateLimits(spec, at),
    ...(rules.refusesPrivileged ? privilegedContainers(spec, at) : []),
  ];
}

function privilegedContainers(spec: PodSpec, at: string): Findings {
  return (['initContainers', 'containers', 'ephemeralContainers'] as const).flatMap((list) =>
    (spec[list] ?? []).flatMap(({ securityContext }, i) =>
      securityContext?.privileged
        ? [forbiddenField(`${at}.${list}[${i}].securityContext.privileged`, 'disallowed by cluster policy')]
        : [],
    ),
  );
}

function surroundingsOf(spec: PodSpec): PodSurroundings {
  return {
    volumes: new Map((spec.volumes ?? []).map((volume) => [volume.name ?? '', volume])),
    claims: new Set((spec.resourceClaims ?? []).map(({ name = '' }) => name)),
    hostUsers: spec.hostUsers,
    gracePeriodSeconds: spec.terminationGracePeriodSeconds ?? 0,
  };
}

function validateContainers(spec: PodSpec, at: string, pod: PodSurroundings): Findings {
  const here = `${at}.containers`;
  // the key is always written: null where nothing was given
  const containers = spec.containers ?? [];
  if (containers.length === 0) return [required(here)];
  return [
    ...containers.flatMap((one, i) => [
      ...validateContainer(one, `${here}[${i}]`, pod),
      ...validateProbesAndHooks(one, `${here}[${i}]`, pod.gracePeriodSeconds),
      ...validateRestartRules(one, `${here}[${i}]`),
    ]),
    ...repeatedNames(containers, here, new Set()),
    ...hostPortConflicts(containers, here),
  ];
}

function repeatedNames(containers: readonly Container[], at: string, taken: Set<string>): Findings {
  return containers.flatMap(({ name = '' }, i) => {
    if (taken.has(name)) return [duplicate(`${at}[${i}].name`, name)];
    if (name !== '') taken.add(name);
    return [];
  });
}

const namesOf = (containers: readonly Container[] | undefined) => (containers ?? []).map(({ name = '' }) => name);

function validateInitContainers(spec: PodSpec, at: string, pod: PodSurroundings): Findings {
  const here = `${at}.initContainers`;
  const list = spec.initContainers ?? [];
  return [
    ...list.flatMap((one, i) => [
      ...validateContainer(one, `${here}[${i}]`, pod),
      ...validateInitRules(one, `${here}[${i}]`, pod),
      ...hostPortConflicts([one], here),
    ]),
    ...repeatedNames(list, here, new Set(namesOf(spec.containers))),
  ];
}

const beside = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const;

/** What runs to its end has no use for probes; a sidecar is treated like a regular container. */
function validateInitRules(one: Container, at: string, pod: PodSurroundings): Findings {
  const restart = validateRestartRules(one, at);
  if (one.restartPolicy === 'Always') return [...restart, ...validateProbesAndHooks(one, at, pod.gracePeriodSeconds)];
  const given = beside.filter((name) => one[name] !== undefined);
  const why = 'may not be set for init containers without restartPolicy=Always';
  return [
    ...restart,
    ...given.map((name) => forbiddenField(`${at}.${name}`, why)),
    ...((one.resizePolicy ?? []).length > 0
      ? [invalidValue(`${at}.resizePolicy`, one.resizePolicy, 'must not be set for init containers')]
      : []),
  ];
}

function validateEphemeralContainers(spec: PodSpec, at: string, pod: PodSurroundings): Findings {
  const here = `${at}.ephemeralContainers`;
  const list = spec.ephemeralContainers ?? [];
  const others = [...namesOf(spec.containers), ...namesOf(spec.initContainers)];
  return [
    ...list.flatMap((one, i) => [
      ...validateContainer(one, `${here}[${i}]`, pod),
      ...validateEphemeralRules(one, `${here}[${i}]`, new Set(others)),
    ]),
    ...repeatedNames(list, here, new Set(others)),
  ];
}

const notForEphemeral = [
  'ports',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
] as const;

function validateEphemeralRules(one: EphemeralContainer, at: string, others: ReadonlySet<string>): Findings {
  const why = 'cannot be set for an Ephemeral Container';
  const isEmpty = (value: unknown) =>
    value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
  const target = one.targetContainerName ?? '';
  return [
    ...(target !== '' && !others.has(target) ? [notFoundValue(`${at}.targetContainerName`, target)] : []),
    ...notForEphemeral.filter((name) => !isEmpty(one[name])).map((name) => forbiddenField(`${at}.${name}`, why)),
    ...(one.volumeMounts ?? []).flatMap((mount, i) =>
      (['subPath', 'subPathExpr'] as const)
        .filter((name) => mount[name])
        .map((name) => forbiddenField(`${at}.volumeMounts[${i}].${name}`, why)),
    ),
  ];
}

function validateClaims({ resourceClaims = [] }: PodSpec, at: string): Findings {
  const seen = new Set<string>();
  return resourceClaims.flatMap(({ name = '', resourceClaimName: own, resourceClaimTemplateName: template }, i) => {
    const here = `${at}[${i}]`;
    const repeated = seen.has(name);
    seen.add(name);
    const count = [own, template].filter((one) => one !== undefined).length;
    return [
      ...requiredChecked(`${here}.name`, name, checkLabelName),
      ...(repeated ? [duplicate(`${here}.name`, name)] : []),
      ...(count === 0
        ? [invalidValue(here, '', 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`')]
        : []),
      ...(count > 1
        ? [invalidValue(here, '', 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified')]
        : []),
      ...(own === undefined ? [] : checked(`${here}.resourceClaimName`, own, checkSubdomain)),
      ...(template === undefined ? [] : checked(`${here}.resourceClaimTemplateName`, template, checkSubdomain)),
    ];
  });
}

const maxNameservers = 3;
const maxSearches = 32;
const maxSearchLength = 2048;

function validateDns({ dnsPolicy = '', dnsConfig }: PodSpec, at: string): Findings {
  const here = `${at}.dnsConfig`;
  const policies = ['ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None'];
  const errors: FieldError[] = [...requiredOneOf(`${at}.dnsPolicy`, dnsPolicy, policies)];
  const { nameservers = [], searches = [], options = [] } = dnsConfig ?? {};
  if (dnsPolicy === 'None' && dnsConfig === undefined)
    errors.push(required(here, 'must provide `dnsConfig` when `dnsPolicy` is None'));
  else if (dnsPolicy === 'None' && nameservers.length === 0)
    errors.push(required(`${here}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None'));
  if (nameservers.length > maxNameservers)
    errors.push(
      invalidValue(`${here}.nameservers`, nameservers, `must not have more than ${maxNameservers} nameservers`),
    );
  errors.push(...nameservers.flatMap((ip, i) => validateIp(ip, `${here}.nameservers[${i}]`)));
  errors.push(...validateSearches(searches, `${here}.searches`));
  options.forEach(({ name }, i) => {
    if (!name) errors.push(required(`${here}.options[${i}]`, 'must not be empty'));
  });
  return errors;
}

function validateSearches(searches: readonly string[], at: string): Findings {
  const errors: FieldError[] = [];
  if (searches.length > maxSearches)
    errors.push(invalidValue(at, searches, `must not have more than ${maxSearches} search paths`));
  if (searches.join(' ').length > maxSearchLength) {
    const detail = `must not have more than ${maxSearchLength} characters (including spaces) in the search list`;
    errors.push(invalidValue(at, searches, detail));
  }
  searches.forEach((domain, i) => {
    const bare = domain.replace(/\.$/, '').replaceAll('_', '0');
    if (domain !== '.') errors.push(...checkSubdomain(bare).map((e) => invalidValue(`${at}[${i}]`, domain, e)));
  });
  return errors;
}

function validatePlacement(spec: PodSpec, at: string): Findings {
  return [
    ...validateLabels(spec.nodeSelector ?? {}, `${at}.nodeSelector`),
    ...validateAffinity(spec.affinity, `${at}.affinity`),
    ...validateTolerations(spec.tolerations ?? [], `${at}.tolerations`),
    ...validateTopologySpread(spec.topologySpreadConstraints ?? [], `${at}.topologySpreadConstraints`),
  ];
}

/** In the network of the node, a port of the pod is a port of the node. */
function validateHostNetwork({ hostNetwork, hostUsers, containers }: PodSpec, at: string): Findings {
  if (!hostNetwork) return [];
  const errors = hostUsers === false ? [forbiddenField(`${at}.hostNetwork`, 'when `hostUsers` is false')] : [];
  return [
    ...errors,
    ...(containers ?? []).flatMap(({ ports = [] }, i) =>
      ports.flatMap(({ hostPort, containerPort }, j) =>
        hostPort === undefined || hostPort === 0 || hostPort === containerPort
          ? []
          : [
              invalidValue(
                `${at}.containers[${i}].ports[${j}].containerPort`,
                containerPort,
                'must match `hostPort` when `hostNetwork` is true',
              ),
            ],
      ),
    ),
  ];
}

function validateNames(spec: PodSpec, at: string): Findings {
  const subdomains = ['serviceAccountName', 'nodeName', 'priorityClassName', 'runtimeClassName'] as const;
  return [
    ...subdomains.flatMap((name) => (spec[name] ? checked(`${at}.${name}`, spec[name], checkSubdomain) : [])),
    ...(['hostname', 'subdomain'] as const).flatMap((name) =>
      spec[name] ? checked(`${at}.${name}`, spec[name], checkLabelName) : [],
    ),
    ...validateHostnameOverride(spec, `${at}.hostnameOverride`),
    ...(spec.hostAliases ?? []).flatMap(({ ip = '', hostnames = [] }, i) => [
      ...(isIP(ip) === 0 ? validateIp(ip, `${at}.hostAliases[${i}].ip`) : []),
      ...hostnames.flatMap((name) => checked(`${at}.hostAliases[${i}].hostnames`, name, checkSubdomain)),
    ]),
  ];
}

const maxHostnameLength = 64;

function validateHostnameOverride(
  { hostnameOverride: name, setHostnameAsFQDN, hostNetwork }: PodSpec,
  at: string,
): Findings {
  if (name === undefined) return [];
  return [
    ...checked(at, name, checkSubdomain),
    ...(name.length > maxHostnameLength ? [tooLong(at, maxHostnameLength)] : []),
    ...(hostNetwork ? [forbiddenField(at, 'may not be set when `hostNetwork` is true')] : []),
    ...(setHostnameAsFQDN ? [forbiddenField(at, 'may not be set when `setHostnameAsFQDN` is true')] : []),
  ];
}

function validateGates({ readinessGates = [], schedulingGates = [], nodeName }: PodSpec, at: string): Findings {
  const seen = new Set<string>();
  return [
    ...readinessGates.flatMap(({ conditionType = '' }, i) =>
      checked(`${at}.readinessGates[${i}].conditionType`, conditionType, checkQualifiedName),
    ),
    ...schedulingGates.flatMap(({ name = '' }, i) => {
      const here = `${at}.schedulingGates[${i}]`;
      if (seen.has(name)) return [duplicate(here, name)];
      seen.add(name);
      return checked(here, name, checkQualifiedName);
    }),
    ...(nodeName && schedulingGates.length > 0
      ? [forbiddenField(`${at}.nodeName`, 'cannot be set until all schedulingGates have been cleared')]
      : []),
  ];
}

function validateLimits(spec: PodSpec, at: string): Findings {
  const { activeDeadlineSeconds: deadline, preemptionPolicy, overhead } = spec;
  return [
    ...(deadline !== undefined && (deadline < 1 || deadline > maxInt32)
      ? [invalidValue(`${at}.activeDeadlineSeconds`, deadline, `must be between 1 and ${maxInt32}, inclusive`)]
      : []),
    ...(preemptionPolicy === undefined
      ? []
      : oneOf(`${at}.preemptionPolicy`, preemptionPolicy, ['Never', 'PreemptLowerPriority'])),
    ...(overhead === undefined ? [] : validateResources({ limits: overhead }, `${at}.overhead`, new Set())),
  ];
}

/** What holds for pods and not yet for templates. */
export function validateWholePod(spec: PodSpec): Findings {
  return (['containers', 'initContainers'] as const).flatMap((list) =>
    (spec[list] ?? []).flatMap(({ image = '' }, i) =>
      image === image.trim()
        ? []
        : [invalidValue(`spec.${list}[${i}].image`, image, 'must not have leading or trailing whitespace')],
    ),
  );
}
