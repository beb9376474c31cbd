// Pod: a group of one or more containers that run together on one node and share network and volumes.

import type { Dialect } from '../../../../meta/dialect.ts';
import { forbiddenField } from '../../../../meta/field-errors.ts';
import { checkSubdomain } from '../../../../meta/names.ts';
import type { ApiObject } from '../../../../meta/object.ts';
import { formatTime } from '../../../../meta/time.ts';
import type { Warnings } from '../../../../meta/warn-each.ts';
import { defineKind } from '../../../../schema/define-kind.ts';
import type { Strategy, StrategyContext } from '../../../../schema/strategy.ts';
import { allVerbs } from '../../../../schema/verbs.ts';
import type { ValidationErrors } from '../../../rules.ts';
import { newProfileWarnings, withAnnotatedProfiles } from './apparmor-annotations.ts';
import { validateAnnotationsOf, validateAnnotationUpdate } from './pod-annotation-rules.ts';
import { podColumns, podRowConditions } from './pod-columns.ts';
import { defaultWholePod } from './pod-defaults.ts';
import { podGracePeriod } from './pod-deletion.ts';
import { withLabelKeys } from './pod-label-keys.ts';
import { validateProfilesAgree } from './pod-profile-agreement.ts';
import { qosClassOf } from './pod-resources.ts';
import { validatePodSpec, validateWholePod } from './pod-rules.ts';
import type { PodSpec } from './pod-spec.ts';
import { defaultAddresses, roundedStatus } from './pod-status.ts';
import { podSubresources } from './pod-subresources.ts';
import { type Pod, podType } from './pod-type.ts';
import { validatePodUpdate } from './pod-update-rules.ts';
import { hostNameWarnings, podWarnings } from './pod-warnings.ts';

/** Clears what a client may not set, and says what is known of a pod that no node runs yet. */
function prepareForCreate(object: Pod, { clock, dialect }: StrategyContext): ApiObject {
  const { labels = {}, annotations = {} } = object.metadata;
  const spec = withAnnotatedProfiles(withLabelKeys(withGrace(object.spec ?? {}), labels), annotations, dialect);
  const gated = (spec.schedulingGates ?? []).length > 0;
  const begun = { phase: 'Pending', qosClass: qosClassOf(spec) };
  const status = gated ? { ...begun, conditions: [gatedCondition(formatTime(clock.now()))] } : begun;
  return { ...object, spec, status };
}

/** compat: less than no time to end is one second */
function withGrace(spec: PodSpec): PodSpec {
  const { terminationGracePeriodSeconds: seconds = 0 } = spec;
  return seconds < 0 ? { ...spec, terminationGracePeriodSeconds: 1 } : spec;
}

const gatedCondition = (now: string) => ({
  type: 'PodScheduled',
  status: 'False',
  lastProbeTime: null,
  lastTransitionTime: now,
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
});

const specOf = (object: Pod): PodSpec => object.spec ?? {};

const newPodWarnings = (object: Pod, dialect: Dialect): Warnings => [
  ...hostNameWarnings(object, "the Pod's hostname"),
  ...podWarnings(object, dialect),
];

function validateNewPod({ ephemeralContainers = [], schedulingGates = [], nodeName }: PodSpec): ValidationErrors {
  const gated = 'cannot be set until all schedulingGates have been cleared';
  return [
    ...(ephemeralContainers.length > 0 ? [forbiddenField('spec.ephemeralContainers', 'cannot be set on create')] : []),
    ...(nodeName && schedulingGates.length > 0 ? [forbiddenField('spec.nodeName', gated)] : []),
  ];
}

const strategy: Strategy<Pod> = {
  defaults: (object) => defaultAddresses(roundedStatus({ ...object, spec: defaultWholePod(specOf(object)) })),
  prepareForCreate,
  prepareForUpdate: (object) => ({ ...object, spec: withGrace(specOf(object)) }),
  validate: (object, context) => [
    ...validateAnnotationsOf(specOf(object), object.metadata.annotations, 'metadata.annotations', context.dialect),
    ...validatePodSpec(specOf(object), 'spec', context, object.metadata.name),
    ...validateWholePod(specOf(object)),
  ],
  validateCreate: (object, { dialect }) => [
    ...validateNewPod(specOf(object)),
    ...validateProfilesAgree(specOf(object), object.metadata.annotations, 'spec', dialect),
  ],
  validateUpdate: (next, old, { dialect }) => [
    ...validateAnnotationUpdate(next, old, dialect),
    ...validatePodUpdate(specOf(next), specOf(old)),
  ],
  earlyWarnings: (object, { dialect }) =>
    newProfileWarnings(specOf(object), object.metadata.annotations ?? {}, dialect),
  // changes of pods come often and from programs, which read no warnings
  warnings: (next, old, { dialect }) => (old === undefined ? newPodWarnings(next, dialect) : []),
  gracePeriod: podGracePeriod,
};

const text =
  (read: (pod: Pod) => string | undefined) =>
  (object: Pod): string =>
    read(object) ?? '';

export const pod = defineKind(podType, {
  kind: 'Pod',
  plural: 'pods',
  namespaced: true,
  shortNames: ['po'],
  categories: ['all'],
  verbs: allVerbs,
  checkName: checkSubdomain,
  quirks: { returnsDeleted: true },
  // a scheduler's choice is no change of what was asked for
  generationIgnores: ['status', 'spec.nodeName'],
  selectableFields: {
    'spec.host': text(({ spec }) => spec?.nodeName),
    'spec.hostNetwork': (object) => String(specOf(object).hostNetwork ?? false),
    'spec.nodeName': text(({ spec }) => spec?.nodeName),
    'spec.restartPolicy': text(({ spec }) => spec?.restartPolicy),
    'spec.schedulerName': text(({ spec }) => spec?.schedulerName),
    'spec.serviceAccountName': text(({ spec }) => spec?.serviceAccountName),
    'status.nominatedNodeName': text(({ status }) => status?.nominatedNodeName),
    'status.phase': text(({ status }) => status?.phase),
    'status.podIP': text(({ status }) => status?.podIPs?.[0]?.ip),
    'status.podIPs': () => '',
  },
  indexedFields: ['spec.nodeName'],
  columns: podColumns,
  rows: { conditions: podRowConditions },
  subresources: podSubresources,
  strategy,
});
