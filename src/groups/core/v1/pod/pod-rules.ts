// What is wrong with a pod or a pod template, in the words and at the fields that clients know.

import { duplicate, forbiddenField, invalidValue, notFoundValue, required } from '../../../../meta/field-errors.ts';
import { findEach } from '../../../../meta/find-each.ts';
import { checkLabelName, checkQualifiedName, checkSubdomain } from '../../../../meta/names.ts';
import type { FieldError } from '../../../../meta/status.ts';
import type { StrategyContext } from '../../../../schema/strategy.ts';
import { inReferenceForm } from '../../../../wording/types/reference-form.ts';
import { checked, requiredChecked, requiredOneOf, type ValidationErrors } from '../../../rules.ts';
import { validateAnnotations, validateLabels } from '../template-meta-rules.ts';
import { type CheckedVolumes, checkVolumes } from '../volume/volume-rules.ts';
import type { Container, EphemeralContainer } from './container-defaults.ts';
import {
  hostPortConflicts,
  type PodSurroundings,
  rulesWithoutPolicy,
  validateContainer,
  validateFileVolumes,
  validateRestartRules,
} from './container-rules.ts';
import { validateAffinity, validateTolerations, validateTopologySpread } from './placement-rules.ts';
import { validateAnnotationsOf } from './pod-annotation-rules.ts';
import { validateDns, validateNames } from './pod-naming-rules.ts';
import { validateProfilesAgree } from './pod-profile-agreement.ts';
import type { PodSpec, PodTemplateSpec } from './pod-spec.ts';
import { validateProbesAndHooks } from './probe-rules.ts';
import { validatePodResources, validateResources } from './resource-rules.ts';
import { validateForOs, validateHostProcess, validatePodSecurity } from './security-rules.ts';

const maxInt32 = 2 ** 31 - 1;

/** What a cluster as a whole lets pods do, and the words it has for things. */
export type PodRules = Pick<StrategyContext, 'dialect' | 'refusesPrivileged'>;

/** Validation errors about a template at a field such as `spec.template`. */
export function validatePodTemplate(
  template: PodTemplateSpec | undefined,
  at: string,
  rules: PodRules,
): readonly FieldError[] {
  const { metadata, spec = {} } = template ?? {};
  return [
    ...validateTemplateMeta(template, at, rules),
    ...validatePodSpec(spec, `${at}.spec`, rules),
    ...validateProfilesAgree(spec, metadata?.annotations, `${at}.spec`, rules.dialect),
    ...((spec.ephemeralContainers ?? []).length > 0
      ? [forbiddenField(`${at}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template')]
      : []),
  ];
}

/** compat: labels and annotations of a template are reported as if they stood next to its metadata */
export function validateTemplateMeta(
  { metadata, spec = {} }: PodTemplateSpec = {},
  at: string,
  rules: PodRules,
): readonly FieldError[] {
  return [
    ...validateLabels(metadata?.labels, `${at}.labels`),
    ...validateAnnotations(metadata?.annotations, `${at}.annotations`),
    ...validateAnnotationsOf(spec, metadata?.annotations, `${at}.annotations`, rules.dialect),
  ];
}

/** `podName` is empty for templates: they become pods under their own names. */
export function validatePodSpec(spec: PodSpec, at: string, rules: PodRules, podName = ''): ValidationErrors {
  const volumes = checkVolumes(spec.volumes ?? [], `${at}.volumes`, podName, rules.dialect);
  const pod = surroundingsOf(spec, volumes.sound, rules);
  return [
    ...volumes.validationErrors,
    ...validateClaims(spec, `${at}.resourceClaims`),
    ...validateContainers(spec, at, pod),
    ...validateInitContainers(spec, at, pod),
    ...validateEphemeralContainers(spec, at, pod),
    ...validatePodResources(spec, `${at}.resources`, pod.claims, rules.dialect),
    ...requiredOneOf(`${at}.restartPolicy`, spec.restartPolicy, ['Always', 'OnFailure', 'Never']),
    ...validateDns(spec, at),
    ...validatePlacement(spec, at),
    ...validateHostNetwork(spec, at),
    ...validatePodSecurity(spec, at),
    ...validateHostProcess(spec, at, rules.refusesPrivileged ?? false),
    ...validateForOs(spec, at),
    ...validateNames(spec, at),
    ...validateGates(spec, at),
    ...validateLimits(spec, at, rules),
    ...validateSchedulingGroup(spec, `${at}.schedulingGroup`),
    ...validateFileVolumes(spec, at),
    ...(rules.refusesPrivileged ? privilegedContainers(spec, at) : []),
  ];
}

function privilegedContainers(spec: PodSpec, at: string): ValidationErrors {
  return (['initContainers', 'containers', 'ephemeralContainers'] as const).flatMap((list) =>
    findEach(spec[list] ?? [], ({ securityContext }, i) =>
      securityContext?.privileged
        ? [forbiddenField(`${at}.${list}[${i}].securityContext.privileged`, 'disallowed by cluster policy')]
        : [],
    ),
  );
}

function surroundingsOf(spec: PodSpec, volumes: CheckedVolumes['sound'], { dialect }: PodRules): PodSurroundings {
  return {
    volumes,
    claims: new Set((spec.resourceClaims ?? []).map(({ name = '' }) => name)),
    hostUsers: spec.hostUsers,
    gracePeriodSeconds: spec.terminationGracePeriodSeconds ?? 0,
    restartPolicy: spec.restartPolicy,
    dialect,
  };
}

function validateContainers(spec: PodSpec, at: string, pod: PodSurroundings): ValidationErrors {
  const here = `${at}.containers`;
  // the key is always written: null where nothing was given
  const containers = spec.containers ?? [];
  if (containers.length === 0) return [required(here)];
  const taken = new Set<string>();
  return [
    ...findEach(containers, (one, i) => [
      ...validateContainer(one, `${here}[${i}]`, pod),
      ...repeatedName(one, `${here}[${i}]`, taken),
      ...validateProbesAndHooks(one, `${here}[${i}]`, pod.gracePeriodSeconds),
      ...validateRestartRules(one, `${here}[${i}]`),
    ]),
    ...hostPortConflicts(containers, here),
  ];
}

/** compat: containers that have no name repeat each other, init containers do not */
function repeatedName({ name = '' }: Container, at: string, taken: Set<string>): ValidationErrors {
  if (taken.has(name)) return [duplicate(`${at}.name`, name)];
  taken.add(name);
  return [];
}

const namesOf = (containers: readonly Container[] | undefined) => (containers ?? []).map(({ name = '' }) => name);

function validateInitContainers(spec: PodSpec, at: string, pod: PodSurroundings): ValidationErrors {
  const here = `${at}.initContainers`;
  const list = spec.initContainers ?? [];
  if (list.length === 0) return [];
  const taken = new Set(namesOf(spec.containers));
  return findEach(list, (one, i) => {
    const at = `${here}[${i}]`;
    return [
      ...validateContainer(one, at, pod),
      ...validateInitRestart(one, at),
      ...(one.name || taken.has('') ? repeatedName(one, at, taken) : []),
      ...hostPortConflicts([one], here),
      ...validateInitRules(one, at, pod),
    ];
  });
}

/** Rules of a container that says nothing about restarts are not looked at. */
function validateInitRestart(one: Container, at: string): ValidationErrors {
  if (one.restartPolicy !== undefined) return validateRestartRules(one, at);
  const rules = one.restartPolicyRules ?? [];
  return rules.length > 0 ? [required(`${at}.restartPolicy`, rulesWithoutPolicy)] : [];
}

const notForInit = "must not be set to 'RestartContainer' for non-sidecar initContainers";
const restrictedFields = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const;

/** What runs to its end has no use for probes; a sidecar is treated like a regular container. */
function validateInitRules(one: Container, at: string, pod: PodSurroundings): ValidationErrors {
  if (one.restartPolicy === 'Always') return validateProbesAndHooks(one, at, pod.gracePeriodSeconds);
  const given = restrictedFields.filter((name) => one[name] !== undefined);
  const why = 'may not be set for init containers without restartPolicy=Always';
  return [
    ...given.map((name) => forbiddenField(`${at}.${name}`, why)),
    ...findEach(one.resizePolicy ?? [], ({ restartPolicy }, i) =>
      restartPolicy === 'RestartContainer'
        ? [invalidValue(`${at}.resizePolicy[${i}].restartPolicy`, restartPolicy, notForInit)]
        : [],
    ),
  ];
}

function validateEphemeralContainers(spec: PodSpec, at: string, pod: PodSurroundings): ValidationErrors {
  const here = `${at}.ephemeralContainers`;
  const list = spec.ephemeralContainers ?? [];
  if (list.length === 0) return [];
  const others = new Set([...namesOf(spec.containers), ...namesOf(spec.initContainers)]);
  const taken = new Set(others);
  return findEach(list, (one, i) => {
    const at = `${here}[${i}]`;
    return [
      ...validateContainer(one, at, pod),
      ...paddedImage(one, `${at}.image`),
      ...repeatedName(one, at, taken),
      ...validateEphemeralRules(one, at, others),
    ];
  });
}

const notForEphemeral = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
] as const;

function validateEphemeralRules(one: EphemeralContainer, at: string, others: ReadonlySet<string>): ValidationErrors {
  const why = 'cannot be set for an Ephemeral Container';
  const isGiven = (name: (typeof notForEphemeral)[number]) =>
    one[name] !== undefined && (name !== 'resources' || Object.keys(one[name] ?? {}).length > 0);
  const target = one.targetContainerName ?? '';
  return [
    ...(target !== '' && !others.has(target) ? [notFoundValue(`${at}.targetContainerName`, target)] : []),
    ...notForEphemeral.filter(isGiven).map((name) => forbiddenField(`${at}.${name}`, why)),
    ...findEach(one.volumeMounts ?? [], (mount, i) =>
      (['subPath', 'subPathExpr'] as const)
        .filter((name) => mount[name])
        .map((name) => forbiddenField(`${at}.volumeMounts[${i}].${name}`, why)),
    ),
  ];
}

function validateClaims({ resourceClaims = [] }: PodSpec, at: string): ValidationErrors {
  const seen = new Set<string>();
  return findEach(resourceClaims, (claim, i) => {
    const { name = '', resourceClaimName: own, resourceClaimTemplateName: template } = claim;
    const here = `${at}[${i}]`;
    const shown = inReferenceForm('PodResourceClaim', claim);
    const repeated = seen.has(name);
    seen.add(name);
    const count = [own, template].filter((one) => one !== undefined).length;
    return [
      ...(repeated && name !== ''
        ? [duplicate(`${here}.name`, name)]
        : requiredChecked(`${here}.name`, name, checkLabelName)),
      ...(count === 0
        ? [invalidValue(here, shown, 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`')]
        : []),
      ...(count > 1
        ? [
            invalidValue(
              here,
              shown,
              'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified',
            ),
          ]
        : []),
      ...(own === undefined ? [] : checked(`${here}.resourceClaimName`, own, checkSubdomain)),
      ...(template === undefined ? [] : checked(`${here}.resourceClaimTemplateName`, template, checkSubdomain)),
    ];
  });
}

function validatePlacement(spec: PodSpec, at: string): ValidationErrors {
  return [
    ...validateLabels(spec.nodeSelector ?? {}, `${at}.nodeSelector`),
    ...validateAffinity(spec.affinity, `${at}.affinity`),
    ...validateTolerations(spec.tolerations ?? [], `${at}.tolerations`),
    ...validateTopologySpread(spec.topologySpreadConstraints ?? [], `${at}.topologySpreadConstraints`),
  ];
}

const notWithOwnUsers = 'when `hostUsers` is false';

/** In the network of the node, a port of the pod is a port of the node. */
function validateHostNetwork(spec: PodSpec, at: string): ValidationErrors {
  const { hostNetwork, hostPID, hostIPC, hostUsers, containers } = spec;
  // compat: two of the namespaces of the node are named with a capital letter in validation errors
  const shared = { hostNetwork, HostPID: hostPID, HostIPC: hostIPC };
  const mixed = hostUsers === false ? Object.entries(shared).filter(([, yes]) => yes) : [];
  return [
    ...findEach(hostNetwork ? (containers ?? []) : [], ({ ports = [] }, i) =>
      findEach(ports, ({ hostPort = 0, containerPort }, j) =>
        hostPort === 0 || hostPort === containerPort
          ? []
          : [
              invalidValue(
                `${at}.containers[${i}].ports[${j}].hostPort`,
                hostPort,
                'must match `containerPort` when `hostNetwork` is true',
              ),
            ],
      ),
    ),
    ...mixed.map(([name]) => forbiddenField(`${at}.${name}`, notWithOwnUsers)),
    ...(hostUsers === false ? validateNoDevices(spec, at) : []),
  ];
}

/** Devices of the node belong to its users, not to those of the pod. */
function validateNoDevices(spec: PodSpec, at: string): ValidationErrors {
  return (['initContainers', 'containers', 'ephemeralContainers'] as const).flatMap((list) =>
    findEach(spec[list] ?? [], ({ volumeDevices = [] }, i) =>
      volumeDevices.length === 0 ? [] : [forbiddenField(`${at}.${list}[${i}].volumeDevices`, notWithOwnUsers)],
    ),
  );
}

function validateGates({ readinessGates = [], schedulingGates = [] }: PodSpec, at: string): ValidationErrors {
  const seen = new Set<string>();
  return [
    ...findEach(readinessGates, ({ conditionType = '' }, i) =>
      checked(`${at}.readinessGates[${i}].conditionType`, conditionType, checkQualifiedName),
    ),
    ...findEach(schedulingGates, ({ name = '' }, i) => {
      const here = `${at}.schedulingGates[${i}]`;
      const repeated = seen.has(name) ? [duplicate(here, name)] : [];
      seen.add(name);
      return [...checked(here, name, checkQualifiedName), ...repeated];
    }),
  ];
}

function validateLimits(spec: PodSpec, at: string, { dialect }: PodRules): ValidationErrors {
  const { activeDeadlineSeconds: deadline, preemptionPolicy, overhead } = spec;
  return [
    ...(deadline !== undefined && (deadline < 1 || deadline > maxInt32)
      ? [invalidValue(`${at}.activeDeadlineSeconds`, deadline, `must be between 1 and ${maxInt32}, inclusive`)]
      : []),
    ...(preemptionPolicy === undefined
      ? []
      : requiredOneOf(`${at}.preemptionPolicy`, preemptionPolicy, ['PreemptLowerPriority', 'Never'])),
    ...(overhead === undefined ? [] : validateResources({ limits: overhead }, `${at}.overhead`, new Set(), dialect)),
  ];
}

function validateSchedulingGroup({ schedulingGroup }: PodSpec, at: string): ValidationErrors {
  if (!schedulingGroup) return [];
  const here = `${at}.podGroupName`;
  const { podGroupName } = schedulingGroup;
  if (podGroupName === undefined) return [invalidValue(here, null, 'must specify one of: `podGroupName`')];
  return checked(here, podGroupName, checkSubdomain);
}

const paddedImage = ({ image = '' }: Container, at: string): ValidationErrors =>
  image === image.trim() ? [] : [invalidValue(at, image, 'must not have leading or trailing whitespace')];

/** What holds for pods and not yet for templates. */
export function validateWholePod(spec: PodSpec): ValidationErrors {
  return [
    ...(spec.serviceAccountName ? [] : tokensOfNobody(spec)),
    ...(['containers', 'initContainers'] as const).flatMap((list) =>
      findEach(spec[list] ?? [], (one, i) => paddedImage(one, `spec.${list}[${i}].image`)),
    ),
  ];
}

const tokensOfNobody = ({ volumes = [] }: PodSpec): ValidationErrors =>
  findEach(volumes, ({ projected }, i) =>
    findEach(projected?.sources ?? [], ({ serviceAccountToken: token }, j) => {
      const at = `spec.volumes[${i}].projected.sources[${j}].serviceAccountToken`;
      return token ? [forbiddenField(at, 'must not be specified when serviceAccountName is not set')] : [];
    }),
  );
