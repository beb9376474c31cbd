// Deployment: defaults and what must hold.

import { forbiddenField, invalidValue, notSupported, required } from '../../../meta/field-errors.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { PartSubresource } from '../../../schema/part-subresource.ts';
import type { Strategy, StrategyContext } from '../../../schema/strategy.ts';
import type { Infer } from '../../../schema/types.ts';
import { inReferenceForm } from '../../../wording/types/reference-form.ts';
import { notMoreThanAll, sizeOf, validateAmount } from '../../amount.ts';
import { ownerWarnings } from '../../core/v1/owner-warnings.ts';
import { defaultPodTemplate } from '../../core/v1/pod/pod-defaults.ts';
import { immutable, noneNegative, notDecremented, notNegative, type ValidationErrors } from '../../rules.ts';
import { statusOnly } from '../../subresources.ts';
import type { Deployment, deploymentSpec } from './deployment-type.ts';
import { integerProblem } from './integer-annotation.ts';
import { validateOwnedTemplate } from './template-rules.ts';

type Spec = Infer<typeof deploymentSpec>;
type RolloutStrategy = NonNullable<Spec['strategy']>;

const specOf = ({ spec = {} }: Deployment) => spec;
const statusOf = ({ status = {} }: Deployment) => status;

function defaults(object: Deployment): ApiObject {
  const { template = {}, strategy, ...given } = specOf(object);
  const spec: Spec = {
    replicas: 1,
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
    ...given,
    template: defaultPodTemplate(template),
    strategy: defaultStrategy(strategy),
  };
  return { ...object, spec };
}

function defaultStrategy(given: RolloutStrategy = {}): RolloutStrategy {
  const type = given.type || 'RollingUpdate';
  if (type !== 'RollingUpdate') return { ...given, type };
  return { type, rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%', ...given.rollingUpdate } };
}

function validate(object: Deployment, context: StrategyContext): ValidationErrors {
  const spec = specOf(object);
  return [
    ...noneNegative('spec', spec, ['replicas', 'minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds']),
    ...validateOwnedTemplate(
      spec,
      {
        kind: 'ReplicaSet',
        emptySelector: 'empty selector is invalid for deployment',
      },
      context,
    ),
    ...validateStrategy(spec.strategy ?? {}),
    ...validateRollback(object.metadata.annotations),
    ...validateDeadline(spec),
  ];
}

export const rollbackAnnotation = 'deprecated.deployment.rollback.to';

/** compat: an object whose annotation for a rollback is no number cannot be read */
export function rollbackProblem({ metadata }: ApiObject): string | undefined {
  // an object may come without metadata
  const text = (metadata as ApiObject['metadata'] | undefined)?.annotations?.[rollbackAnnotation];
  const problem = text ? integerProblem(text) : undefined;
  return problem && `failed to parse annotation[${rollbackAnnotation}]=${text} as int64: ${problem}`;
}

/** compat: what to roll back to is an annotation, and the field of an older version in validation errors */
function validateRollback(annotations: Readonly<Record<string, string>> = {}): ValidationErrors {
  const revision = Number(annotations[rollbackAnnotation] ?? 0);
  return notNegative('spec.rollback.version', revision);
}

function validateDeadline({ progressDeadlineSeconds: deadline, minReadySeconds = 0 }: Spec): ValidationErrors {
  if (deadline === undefined || deadline > minReadySeconds) return [];
  return [invalidValue('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds')];
}

function validateStrategy(strategy: RolloutStrategy): ValidationErrors {
  const { type = '', rollingUpdate } = strategy;
  const at = 'spec.strategy.rollingUpdate';
  switch (type) {
    case 'Recreate':
      return rollingUpdate ? [forbiddenField(at, "may not be specified when strategy `type` is 'Recreate'")] : [];
    case 'RollingUpdate':
      return rollingUpdate ? validateRollingUpdate(rollingUpdate, at) : [required(at)];
    default:
      // compat: a strategy of no known type is reported as a whole
      return [
        notSupported('spec.strategy', inReferenceForm('DeploymentStrategy', strategy), ['Recreate', 'RollingUpdate']),
      ];
  }
}

type RollingUpdate = NonNullable<RolloutStrategy['rollingUpdate']>;

function validateRollingUpdate({ maxUnavailable = 0, maxSurge = 0 }: RollingUpdate, at: string): ValidationErrors {
  const stuck = sizeOf(maxUnavailable) === 0 && sizeOf(maxSurge) === 0;
  return [
    ...validateAmount(`${at}.maxUnavailable`, maxUnavailable),
    ...validateAmount(`${at}.maxSurge`, maxSurge),
    ...(stuck ? [invalidValue(`${at}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0')] : []),
    ...notMoreThanAll(`${at}.maxUnavailable`, maxUnavailable),
  ];
}

export const deploymentRules: Strategy<Deployment> = {
  updateChecks: { meta: 0 },
  defaults,
  validate,
  validateUpdate: (next, old) => immutable('spec.selector', specOf(next).selector, specOf(old).selector),
  warnings: ownerWarnings({ template: (object) => specOf(object).template, namesHosts: true }),
};

const counters = [
  'observedGeneration',
  'replicas',
  'updatedReplicas',
  'readyReplicas',
  'availableReplicas',
  'unavailableReplicas',
  'terminatingReplicas',
  'collisionCount',
];

function validateStatus(next: Deployment, old: Deployment): ValidationErrors {
  const status = statusOf(next);
  const { replicas = 0, readyReplicas: ready = 0, availableReplicas: available = 0 } = status;
  const ofAll = (['updatedReplicas', 'readyReplicas', 'availableReplicas'] as const).filter(
    (name) => (status[name] ?? 0) > replicas,
  );
  return [
    ...noneNegative('status', status, counters),
    ...ofAll.map((name) => invalidValue(`status.${name}`, status[name] ?? 0, 'cannot be greater than status.replicas')),
    ...(available > ready
      ? [invalidValue('status.availableReplicas', available, 'cannot be greater than readyReplicas')]
      : []),
    ...notDecremented('status.collisionCount', status.collisionCount, statusOf(old).collisionCount),
  ];
}

/** Labels stay as they are: who reports progress has no say in them. */
export const deploymentStatusPart: PartSubresource<Deployment> = {
  ...statusOnly,
  resetFields: ['spec', 'metadata.labels'],
  merge(next, old, context) {
    const { labels: _, ...metadata } = next.metadata;
    const { labels } = old.metadata;
    return statusOnly.merge({ ...next, metadata: labels ? { ...metadata, labels } : metadata }, old, context);
  },
  validateUpdate: validateStatus,
};
