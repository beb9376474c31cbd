// Job: defaults, the selector that is generated, and what must hold.

import { inOrderOfKeys } from '../../../base/json/json.ts';
import { type Dialect, labelKey } from '../../../meta/dialect.ts';
import { invalidValue, required } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { checkLabelName } from '../../../meta/names.ts';
import { type ApiObject, type Labels, withMeta } from '../../../meta/object.ts';
import type { Strategy, StrategyContext } from '../../../schema/strategy.ts';
import { agreement, type PodTemplate, unlessMalformed } from '../../apps/v1/template-rules.ts';
import { isNewOrChanged } from '../../core/v1/owner-warnings.ts';
import { type PodSpec, podSpec, podTemplateSpec } from '../../core/v1/pod/pod-spec.ts';
import { hostNameWarnings, usedInPods } from '../../core/v1/pod/pod-warnings.ts';
import { selects, validateLabelSelector } from '../../meta/v1/label-selector.ts';
import { immutable, immutableByMeaning, immutableStruct, type ValidationErrors } from '../../rules.ts';
import { defaultJobTemplate, isIndexed, type JobSpec, jobSpecWarnings, validateJobSpec } from './job-spec-rules.ts';
import type { Job } from './job-type.ts';

const specOf = (object: Job) => object.spec ?? {};
const maxInt32 = 2147483647;
const fallbackBackoff = 6;

function defaults(object: Job): ApiObject {
  const given = defaultJobTemplate(specOf(object));
  const alone = given.completions === undefined && given.parallelism === undefined;
  const spec: JobSpec = {
    parallelism: 1,
    ...(alone ? { completions: 1 } : {}),
    backoffLimit: given.backoffLimitPerIndex === undefined ? fallbackBackoff : maxInt32,
    manualSelector: false,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: given.podFailurePolicy ? 'Failed' : 'TerminatingOrFailed',
    ...given,
  };
  return labelledAsPods({ ...object, spec });
}

/** A job without labels of its own has those of its pods. */
export function labelledAsPods(object: Job): Job {
  const labels = specOf(object).template?.metadata?.labels ?? {};
  const own = object.metadata.labels ?? {};
  return Object.keys(own).length > 0 || Object.keys(labels).length === 0 ? object : withMeta(object, { labels });
}

const batchLabel = (dialect: Dialect, name: string) => `batch.${labelKey(dialect, name)}`;

/** Labels that tell the pods of this job from all others; those without a domain are for older clients. */
function ownLabels({ metadata }: ApiObject, dialect: Dialect): Readonly<Record<string, string>> {
  const { uid = '', name = '' } = metadata;
  return {
    'controller-uid': uid,
    'job-name': name,
    [batchLabel(dialect, 'controller-uid')]: uid,
    [batchLabel(dialect, 'job-name')]: name,
  };
}

/** Of a label that both have, the second one counts. */
function joined(first: Labels, second: Labels = {}): Labels {
  const labels = new Map<string, string>();
  for (const one of [first, second]) for (const key of Object.keys(one)) labels.set(key, one[key] as string);
  return inOrderOfKeys(labels);
}

/** What a client says about these labels stays: validation then refuses what does not fit. */
function generateSelector(object: Job, dialect: Dialect): Job {
  const spec = specOf(object);
  if (spec.manualSelector) return object;
  const labels = ownLabels(object, dialect);
  const key = batchLabel(dialect, 'controller-uid');
  const template: PodTemplate = {
    ...spec.template,
    metadata: { ...spec.template?.metadata, labels: joined(labels, spec.template?.metadata?.labels) },
  };
  const matchLabels = joined({ [key]: labels[key] as string }, spec.selector?.matchLabels);
  const own = spec.template?.metadata?.labels;
  // compat: labels that a job has from its pods are the same labels: what its pods get, it gets too
  const metadata = own !== undefined && own === object.metadata.labels ? { labels: template.metadata?.labels } : {};
  return { ...withMeta(object, metadata), spec: { ...spec, template, selector: { ...spec.selector, matchLabels } } };
}

function validate(object: Job, context: StrategyContext): ValidationErrors {
  const spec = specOf(object);
  return [
    ...(spec.manualSelector || !spec.selector ? [] : validateGenerated(object, context.dialect)),
    ...validateSpec(spec, context),
    ...validateHostnames(object),
  ];
}

function validateSpec(spec: JobSpec, context: StrategyContext): ValidationErrors {
  return [
    ...validateJobSpec(spec, 'spec', context),
    ...(spec.selector ? validateLabelSelector(spec.selector, 'spec.selector') : [required('spec.selector')]),
    ...unlessMalformed(spec.selector, () => agreement(spec.selector, spec.template ?? {}, 'spec.template'), []),
  ];
}

function validateGenerated(object: Job, dialect: Dialect): ValidationErrors {
  const { template, selector = {} } = specOf(object);
  const labels = template?.metadata?.labels ?? {};
  const expected = ownLabels(object, dialect);
  const wrong = findEach(Object.entries(expected), ([key, value]) => {
    const at = `spec.template.metadata.labels[${key}]`;
    if (!Object.hasOwn(labels, key)) return [required(at, `must be '${value}'`)];
    return labels[key] === value ? [] : [invalidValue(at, labels, `must be '${value}'`)];
  });
  const foreign = () =>
    selects(selector, expected) ? [] : [invalidValue('spec.selector', selector, '`selector` not auto-generated')];
  return [...wrong, ...unlessMalformed(selector, foreign, [])];
}

/** Pods of an indexed job are named after it and their index. */
function validateHostnames(object: Job): ValidationErrors {
  const { completions = 0 } = specOf(object);
  if (!isIndexed(specOf(object)) || completions <= 0) return [];
  const { name = '' } = object.metadata;
  const longest = `${name}-${completions - 1}`;
  if (checkLabelName(longest).length === 0) return [];
  return [invalidValue('metadata.name', name, `will not able to create pod with invalid DNS label: ${longest}`)];
}

/** Fields that stay, those that are structs with the name of their type. */
const fixed: readonly (readonly [keyof JobSpec, string?])[] = [
  ['completionMode'],
  ['podFailurePolicy', 'PodFailurePolicy'],
  ['backoffLimitPerIndex'],
  ['managedBy'],
  ['successPolicy', 'SuccessPolicy'],
];

/** Rules for changes begin with those for what a job is to do, which `validate` has looked at before. */
function validateUpdate(next: Job, old: Job, context: StrategyContext): ValidationErrors {
  const spec = specOf(next);
  const was = specOf(old);
  return [
    ...validateSpec(spec, context),
    ...validateCompletions(spec, was),
    ...immutable('spec.selector', spec.selector ?? null, was.selector),
    ...validateTemplateUpdate(next, old),
    ...fixed.flatMap(([name, type]) =>
      type === undefined
        ? immutable(`spec.${name}`, spec[name] ?? null, was[name])
        : immutableStruct(`spec.${name}`, type, spec[name], was[name]),
    ),
  ];
}

/** Indexed jobs grow and shrink: as many pods at a time as there are indexes. */
function validateCompletions(spec: JobSpec, was: JobSpec): ValidationErrors {
  if (!isIndexed(spec)) return immutable('spec.completions', spec.completions, was.completions);
  const { completions, parallelism } = spec;
  if (completions === undefined || completions === was.completions || completions === parallelism) return [];
  return [invalidValue('spec.completions', completions, 'can only be modified in tandem with spec.parallelism')];
}

/** While a job that is suspended has no pods, where they may run and what their containers get is open. */
function validateTemplateUpdate(next: Job, old: Job): ValidationErrors {
  const { template = {} } = specOf(next);
  const { template: was = {} } = specOf(old);
  if (!isAtRest(old)) return immutableByMeaning('spec.template', podTemplateSpec, template, was);
  const { spec = {} } = withPlacementOf(template, was);
  return immutableByMeaning('spec.template.spec', podSpec, template.spec, withResourcesOf(template.spec ?? {}, spec));
}

/** Suspended, and either never started or known to have stopped. */
function isAtRest({ spec = {}, status = {} }: Job): boolean {
  const stopped = (status.conditions ?? []).some((one) => one.type === 'Suspended' && one.status === 'True');
  return spec.suspend === true && (status.startTime === undefined || stopped) && !status.active;
}

function withResourcesOf(next: PodSpec, old: PodSpec): PodSpec {
  const { initContainers } = old;
  return {
    ...old,
    containers: resized(next.containers, old.containers),
    ...(initContainers ? { initContainers: resized(next.initContainers, initContainers) } : {}),
  };
}

/** The old containers with the resources of the new ones, as far as they are the same ones. */
function resized(next: PodSpec['containers'] = [], old: PodSpec['containers'] = []) {
  if (next.length !== old.length) return old;
  return old.map((one, i) => {
    const { name, resources } = next[i] as typeof one;
    const { resources: _, ...kept } = one;
    if (name !== one.name) return one;
    return resources === undefined ? kept : { ...kept, resources };
  });
}

const placement = ['nodeSelector', 'tolerations', 'schedulingGates'] as const;

function withPlacementOf(template: PodTemplate, was: PodTemplate): PodTemplate {
  const spec: Record<string, unknown> = { ...was.spec };
  for (const name of placement) copyField(spec, name, template.spec?.[name]);
  copyField(spec, 'affinity', affinityOf(template, was));
  const metadata: Record<string, unknown> = { ...was.metadata };
  for (const name of ['labels', 'annotations'] as const) copyField(metadata, name, template.metadata?.[name]);
  return { ...was, metadata, spec };
}

function copyField(target: Record<string, unknown>, name: string, value: unknown): void {
  if (value === undefined) delete target[name];
  else target[name] = value;
}

/** Affinity to nodes may change, and go; affinity to pods may not. */
function affinityOf({ spec }: PodTemplate, was: PodTemplate): unknown {
  const { nodeAffinity: _, ...others } = was.spec?.affinity ?? {};
  const next = spec?.affinity;
  if (next === undefined) return Object.keys(others).length === 0 ? undefined : others;
  return next.nodeAffinity === undefined ? others : { nodeAffinity: next.nodeAffinity, ...others };
}

export const jobRules: Strategy<Job> = {
  updateChecks: { newFirst: true },
  defaults,
  prepareForCreate: (object, { dialect }) => labelledAsPods(generateSelector(object, dialect)),
  validate,
  validateUpdate,
  warnings: (next, old, { dialect }) => [
    ...(old === undefined ? hostNameWarnings(next, usedInPods) : []),
    ...(isNewOrChanged(next, old) ? jobSpecWarnings(specOf(next), dialect, 'spec') : []),
  ],
};
