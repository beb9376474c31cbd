// ReplicationController: keeps a given number of equal pods running; Deployments are the modern choice.

import { getOwn } from '../../../base/json/json.ts';
import { forbiddenField, invalidValue, notSupported, required } from '../../../meta/field-errors.ts';
import { checkWholeSubdomain } from '../../../meta/names.ts';
import { type ApiObject, withMeta } from '../../../meta/object.ts';
import type { Column } from '../../../schema/column.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { shownField } from '../../../schema/given-empty.ts';
import type { PartSubresource } from '../../../schema/part-subresource.ts';
import type { StrategyContext } from '../../../schema/strategy.ts';
import { field, type Infer, int32, int64, listOf, mapOf, string, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn, formatLabels } from '../../columns.ts';
import { conditionFields } from '../../condition-fields.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { noneNegative, notNegative, type ValidationErrors } from '../../rules.ts';
import { mergeStatus, scaleByLabels, statusOnly } from '../../subresources.ts';
import { ownerWarnings } from './owner-warnings.ts';
import { defaultPodTemplate } from './pod/pod-defaults.ts';
import { validatePodTemplate } from './pod/pod-rules.ts';
import { type PodTemplateSpec, podTemplateSpec } from './pod/pod-spec.ts';
import { containerColumns } from './pod/template-columns.ts';

const home = 'core/v1';

const replicationControllerSpec = struct(
  home,
  'ReplicationControllerSpec',
  'The wanted pods of a replication controller.',
  () => ({
    replicas: field(1, int32, {
      pointer: true,
      default: 1,
      about: 'Wanted number of pods; 1 by default, 0 is allowed.',
    }),
    minReadySeconds: field(4, int32, {
      about: 'Seconds a new pod must be ready before it counts as available; 0 by default.',
    }),
    selector: field(2, mapOf(string), {
      mapType: 'atomic',
      about: 'Labels of the pods to manage; those of the template if left out.',
    }),
    template: field(3, podTemplateSpec, {
      pointer: true,
      about: 'Template from which missing pods are created; its restartPolicy must be Always.',
    }),
  }),
);

const replicationControllerCondition = struct(
  home,
  'ReplicationControllerCondition',
  'One named check on the state of a replication controller.',
  () =>
    conditionFields('Name of the condition, such as ReplicaFailure.', { type: 'ReplicationControllerConditionType' }),
);

const replicationControllerStatus = struct(
  home,
  'ReplicationControllerStatus',
  'What is currently known about a replication controller.',
  () => ({
    replicas: field(1, int32, { always: true, required: true, about: 'Number of pods counted last.' }),
    fullyLabeledReplicas: field(2, int32, { about: 'Number of pods that carry all labels of the template.' }),
    readyReplicas: field(4, int32, { about: 'Number of pods that are ready.' }),
    availableReplicas: field(5, int32, { about: 'Number of pods that have been ready for at least minReadySeconds.' }),
    observedGeneration: field(3, int64, { about: 'Generation of the spec that this status was computed from.' }),
    conditions: field(6, listOf(replicationControllerCondition), {
      listType: 'map',
      mapKeys: ['type'],
      patchStrategy: 'merge',
      patchMergeKey: 'type',
      about: 'Named checks, such as ReplicaFailure.',
    }),
  }),
);

const replicationControllerType = struct(
  home,
  'ReplicationController',
  'Keeps a given number of equal pods running; Deployments are the modern choice.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, replicationControllerSpec, {
      always: true,
      about: 'How many pods are wanted and from which template.',
    }),
    status: field(3, replicationControllerStatus, {
      always: true,
      about: 'How many pods exist and are ready; written by the system.',
    }),
  }),
);

type ReplicationController = ApiObject & Infer<typeof replicationControllerType>;

const isEmpty = (given: object | undefined): boolean => given === undefined || Object.keys(given).length === 0;

function labelledAsPods(object: ReplicationController): ReplicationController {
  const labels = object.spec?.template?.metadata?.labels ?? {};
  return isEmpty(labels) || !isEmpty(object.metadata.labels) ? object : withMeta(object, { labels });
}

/** A controller that says nothing of labels and selector takes those of its pods. */
function defaults(object: ReplicationController): ApiObject {
  const { spec = {} } = object;
  const template = spec.template && defaultPodTemplate(spec.template);
  const labels = template?.metadata?.labels ?? {};
  const adopts = !isEmpty(labels);
  return {
    ...labelledAsPods(object),
    spec: {
      ...spec,
      ...(adopts && isEmpty(spec.selector) ? { selector: labels } : {}),
      ...(template ? { template } : {}),
    },
  };
}

function validate(object: ReplicationController, context: StrategyContext): ValidationErrors {
  const { spec = {} } = object;
  const { selector = {}, template } = spec;
  return [
    ...notNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...(Object.keys(selector).length === 0 ? [required('spec.selector')] : []),
    ...notNegative('spec.replicas', spec.replicas),
    ...(template === undefined ? [required('spec.template')] : validateTemplate(template, selector, context)),
  ];
}

function validateTemplate(
  template: PodTemplateSpec,
  selector: Readonly<Record<string, string>>,
  context: StrategyContext,
): ValidationErrors {
  const at = 'spec.template';
  const labels = template.metadata?.labels ?? {};
  const { restartPolicy, activeDeadlineSeconds } = template.spec ?? {};
  const matches = Object.entries(selector).every(([key, value]) => getOwn(labels, key) === value);
  return [
    ...(matches
      ? []
      : [
          invalidValue(
            `${at}.metadata.labels`,
            shownField(template.metadata, 'labels'),
            '`selector` does not match template `labels`',
          ),
        ]),
    ...validatePodTemplate(template, at, context),
    ...(restartPolicy === 'Always' ? [] : [notSupported(`${at}.spec.restartPolicy`, restartPolicy, ['Always'])]),
    ...(activeDeadlineSeconds === undefined
      ? []
      : [
          forbiddenField(
            `${at}.spec.activeDeadlineSeconds`,
            'activeDeadlineSeconds in ReplicationController is not Supported',
          ),
        ]),
  ];
}

const counts = ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'];

/** No count is negative, and none of a part larger than the whole. */
function validateStatus(next: ReplicationController): ValidationErrors {
  const { status = {} } = next;
  const { replicas = 0, fullyLabeledReplicas = 0, readyReplicas = 0, availableReplicas = 0 } = status;
  const part = (name: string, value: number, limit: number, whole: string) =>
    value > limit ? [invalidValue(`status.${name}`, value, `cannot be greater than ${whole}`)] : [];
  return [
    ...noneNegative('status', status, counts),
    ...part('fullyLabeledReplicas', fullyLabeledReplicas, replicas, 'status.replicas'),
    ...part('readyReplicas', readyReplicas, replicas, 'status.replicas'),
    ...part('availableReplicas', availableReplicas, replicas, 'status.replicas'),
    ...part('availableReplicas', availableReplicas, readyReplicas, 'readyReplicas'),
  ];
}

const count = (
  name: string,
  about: string,
  read: (rc: ReplicationController) => number | undefined,
): Column<ReplicationController> => ({
  name,
  type: 'integer',
  about,
  priority: 0,
  cell: (object) => read(object) ?? 0,
});

const selectorColumn: Column<ReplicationController> = {
  name: 'Selector',
  type: 'string',
  about: 'Labels by which pods are found.',
  priority: 1,
  cell: (object) => formatLabels(object.spec?.selector),
};

const statusPart: PartSubresource<ReplicationController> = {
  ...statusOnly,
  // a write of the status need not say what the labels follow from
  merge: (next, old) => labelledAsPods(mergeStatus(next, old)),
  validateUpdate: validateStatus,
};

export const replicationController = defineKind(replicationControllerType, {
  kind: 'ReplicationController',
  plural: 'replicationcontrollers',
  namespaced: true,
  shortNames: ['rc'],
  categories: ['all'],
  verbs: allVerbs,
  storagePrefix: 'controllers',
  checkName: checkWholeSubdomain,
  deletion: { dependents: 'orphaned' },
  generationIgnores: ['status'],
  selectableFields: {
    'status.replicas': (object) => String(object.status?.replicas ?? 0),
  },
  columns: [
    nameColumn,
    count('Desired', 'Pods that are wanted.', ({ spec }) => spec?.replicas),
    count('Current', 'Pods that there are.', ({ status }) => status?.replicas),
    count('Ready', 'Pods that are ready.', ({ status }) => status?.readyReplicas),
    ageColumn,
    ...containerColumns((object: ReplicationController) => object.spec?.template?.spec ?? {}, 1),
    selectorColumn,
  ],
  subresources: [scaleByLabels, statusPart],
  strategy: {
    updateChecks: { meta: 0 },
    defaults,
    validate,
    warnings: ownerWarnings({
      template: (object) => object.spec?.template,
      namesHosts: true,
      // compat: a change of a replication controller is warned of by its template before the change
      warnsOfOld: true,
    }),
  },
});
