// ReplicaSet: defaults and what must hold.

import { invalidValue } from '../../../meta/field-errors.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { PartSubresource } from '../../../schema/part-subresource.ts';
import type { Strategy, StrategyContext } from '../../../schema/strategy.ts';
import { ownerWarnings } from '../../core/v1/owner-warnings.ts';
import { defaultPodTemplate } from '../../core/v1/pod/pod-defaults.ts';
import { immutable, noneNegative, type ValidationErrors } from '../../rules.ts';
import { statusOnly } from '../../subresources.ts';
import type { ReplicaSet } from './replica-set-type.ts';
import { validateOwnedTemplate } from './template-rules.ts';

const specOf = ({ spec = {} }: ReplicaSet) => spec;

function defaults(object: ReplicaSet): ApiObject {
  const { template = {}, ...given } = specOf(object);
  return { ...object, spec: { replicas: 1, ...given, template: defaultPodTemplate(template) } };
}

function validate(object: ReplicaSet, context: StrategyContext): ValidationErrors {
  const spec = specOf(object);
  return [
    ...noneNegative('spec', spec, ['replicas', 'minReadySeconds']),
    ...validateOwnedTemplate(
      spec,
      {
        kind: 'ReplicaSet',
        emptySelector: 'empty selector is invalid for deployment',
      },
      context,
    ),
  ];
}

export const replicaSetRules: Strategy<ReplicaSet> = {
  updateChecks: { meta: 0 },
  defaults,
  validate,
  validateUpdate: (next, old) => immutable('spec.selector', specOf(next).selector, specOf(old).selector),
  warnings: ownerWarnings({ template: (object) => specOf(object).template, namesHosts: true }),
};

const counters = [
  'replicas',
  'fullyLabeledReplicas',
  'readyReplicas',
  'availableReplicas',
  'terminatingReplicas',
  'observedGeneration',
];

function validateStatus(next: ReplicaSet): ValidationErrors {
  const { status = {} } = next;
  const { replicas = 0, readyReplicas: ready = 0, availableReplicas: available = 0 } = status;
  const ofAll = (['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'] as const).filter(
    (name) => (status[name] ?? 0) > replicas,
  );
  return [
    ...noneNegative('status', status, counters),
    ...ofAll.map((name) => invalidValue(`status.${name}`, status[name] ?? 0, 'cannot be greater than status.replicas')),
    ...(available > ready
      ? [invalidValue('status.availableReplicas', available, 'cannot be greater than readyReplicas')]
      : []),
  ];
}

export const replicaSetStatusPart: PartSubresource<ReplicaSet> = { ...statusOnly, validateUpdate: validateStatus };
