// DaemonSet: defaults and what must hold.

import { invalidValue, notSupported, required } from '../../../meta/field-errors.ts';
import { type ApiObject, withMeta } from '../../../meta/object.ts';
import type { PartSubresource } from '../../../schema/part-subresource.ts';
import { meansSame } from '../../../schema/same-meaning.ts';
import type { Strategy, StrategyContext } from '../../../schema/strategy.ts';
import type { Infer } from '../../../schema/types.ts';
import { inReferenceForm } from '../../../wording/types/reference-form.ts';
import { notMoreThanAll, sizeOf, validateAmount } from '../../amount.ts';
import { ownerWarnings } from '../../core/v1/owner-warnings.ts';
import { defaultPodTemplate } from '../../core/v1/pod/pod-defaults.ts';
import { validatePodTemplate } from '../../core/v1/pod/pod-rules.ts';
import { podTemplateSpec } from '../../core/v1/pod/pod-spec.ts';
import { immutable, noneNegative, notDecremented, type ValidationErrors } from '../../rules.ts';
import { mergeStatus, statusOnly } from '../../subresources.ts';
import type { DaemonSet, daemonSetSpec } from './daemon-set-type.ts';
import { integerProblem } from './integer-annotation.ts';
import { agreement, runsForever, unlessMalformed, validateGivenSelector } from './template-rules.ts';

type Spec = Infer<typeof daemonSetSpec>;
type UpdateStrategy = NonNullable<Spec['updateStrategy']>;

const specOf = ({ spec = {} }: DaemonSet) => spec;
const statusOf = ({ status = {} }: DaemonSet) => status;

function defaults(object: DaemonSet): ApiObject {
  const { template = {}, updateStrategy, ...given } = specOf(object);
  const spec: Spec = {
    revisionHistoryLimit: 10,
    ...given,
    template: defaultPodTemplate(template),
    updateStrategy: defaultUpdateStrategy(updateStrategy),
  };
  const isNumbered = object.metadata.annotations?.[templateGeneration] !== undefined;
  const filled = { ...object, spec };
  // the first manager owns the number, whether it knows of it or not
  return isNumbered ? filled : withTemplateGeneration(filled, 0);
}

function defaultUpdateStrategy(given: UpdateStrategy = {}): UpdateStrategy {
  const type = given.type || 'RollingUpdate';
  if (type !== 'RollingUpdate') {
    const { rollingUpdate } = given;
    return rollingUpdate
      ? { type, rollingUpdate: { ...rollingUpdate, maxSurge: rollingUpdate.maxSurge ?? 0 } }
      : { type };
  }
  return { type, rollingUpdate: { maxUnavailable: 1, maxSurge: 0, ...given.rollingUpdate } };
}

export const templateGeneration = 'deprecated.daemonset.template.generation';

/** compat: an object whose annotation for the number of its template is no number cannot be read */
export function generationProblem({ metadata }: ApiObject): string | undefined {
  // an object may come without metadata
  const text = (metadata as ApiObject['metadata'] | undefined)?.annotations?.[templateGeneration];
  return text === undefined ? undefined : integerProblem(text);
}

/** compat: the number of the template is kept in an annotation, whatever the client says about it */
function withTemplateGeneration(object: DaemonSet, generation: number): ApiObject {
  const entries = Object.entries({ ...object.metadata.annotations, [templateGeneration]: String(generation) });
  return withMeta(object, { annotations: Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))) });
}

function templateGenerationOf({ metadata }: ApiObject): number {
  const text = metadata.annotations?.[templateGeneration] ?? '';
  return /^[0-9]{1,15}$/.test(text) ? Math.max(Number(text), 1) : 1;
}

function prepareForUpdate(next: DaemonSet, old: DaemonSet): ApiObject {
  const changed = !meansSame(podTemplateSpec, specOf(next).template, specOf(old).template);
  return withTemplateGeneration(next, templateGenerationOf(old) + (changed ? 1 : 0));
}

const words = { kind: 'DaemonSet', emptySelector: 'empty selector is invalid for daemonset' };

const missingSelector = ({ dialect }: StrategyContext): ValidationErrors =>
  dialect.rules.incompleteObject === 400 ? [required('spec.selector')] : [];

function validate(object: DaemonSet, context: StrategyContext): ValidationErrors {
  const spec = specOf(object);
  const { selector, template = {} } = spec;
  return [
    // compat: a selector that is missing is found by what it does not select
    ...(selector ? validateGivenSelector(selector, words) : missingSelector(context)),
    ...unlessMalformed(selector, () => agreement(selector ?? undefined, template, 'spec.template'), []),
    ...validatePodTemplate(template, 'spec.template', context),
    ...runsForever(template, words),
    ...noneNegative('spec', spec, ['minReadySeconds', 'revisionHistoryLimit']),
    ...validateUpdateStrategy(spec.updateStrategy ?? {}),
  ];
}

function validateUpdateStrategy(strategy: UpdateStrategy): ValidationErrors {
  const { type = '', rollingUpdate } = strategy;
  const at = 'spec.updateStrategy';
  if (type === 'OnDelete') return [];
  if (type !== 'RollingUpdate')
    return [notSupported(at, inReferenceForm('DaemonSetUpdateStrategy', strategy), ['RollingUpdate', 'OnDelete'])];
  if (!rollingUpdate) return [required(`${at}.rollingUpdate`)];
  return validateRollingUpdate(rollingUpdate, `${at}.rollingUpdate`);
}

type RollingUpdate = NonNullable<UpdateStrategy['rollingUpdate']>;

function validateRollingUpdate({ maxUnavailable = 0, maxSurge = 0 }: RollingUpdate, at: string): ValidationErrors {
  const down = sizeOf(maxUnavailable) !== 0;
  const up = sizeOf(maxSurge) !== 0;
  return [
    ...validateAmount(`${at}.maxUnavailable`, maxUnavailable),
    ...notMoreThanAll(`${at}.maxUnavailable`, maxUnavailable),
    ...validateAmount(`${at}.maxSurge`, maxSurge),
    ...notMoreThanAll(`${at}.maxSurge`, maxSurge),
    ...(down || up ? [] : [required(`${at}.maxUnavailable`, 'cannot be 0 when maxSurge is 0')]),
    ...(down && up ? [invalidValue(`${at}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero')] : []),
  ];
}

export const daemonSetRules: Strategy<DaemonSet> = {
  updateChecks: { meta: 0, changesFirst: true },
  defaults,
  prepareForCreate: (object) => withTemplateGeneration(object, templateGenerationOf(object)),
  prepareForUpdate,
  validateCreate: validate,
  validateUpdate: (next, old, context) => [
    ...immutable('spec.selector', specOf(next).selector, specOf(old).selector),
    ...validate(next, context),
  ],
  warnings: ownerWarnings({ template: (object) => specOf(object).template }),
};

const counters = [
  'currentNumberScheduled',
  'numberMisscheduled',
  'desiredNumberScheduled',
  'numberReady',
  'observedGeneration',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
  'collisionCount',
];

export const daemonSetStatusPart: PartSubresource<DaemonSet> = {
  ...statusOnly,
  merge: (next, old) => withTemplateGeneration(mergeStatus(next, old), templateGenerationOf(old)),
  validateUpdate: (next, old) => [
    ...noneNegative('status', statusOf(next), counters),
    ...notDecremented('status.collisionCount', statusOf(next).collisionCount, statusOf(old).collisionCount),
  ],
};
