// StatefulSet: defaults and what must hold.

import { forbiddenField, invalidValue, required } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { checkLabelName } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { type Warnings, warnEach } from '../../../meta/warn-each.ts';
import type { PartSubresource } from '../../../schema/part-subresource.ts';
import { meansSame } from '../../../schema/same-meaning.ts';
import type { Strategy, StrategyContext } from '../../../schema/strategy.ts';
import type { Infer } from '../../../schema/types.ts';
import { inReferenceForm } from '../../../wording/types/reference-form.ts';
import { ownerWarnings } from '../../core/v1/owner-warnings.ts';
import { claimWarnings } from '../../core/v1/pod/fractional-amounts.ts';
import { defaultPodTemplate } from '../../core/v1/pod/pod-defaults.ts';
import { defaultClaimParts } from '../../core/v1/volume/persistent-volume-claim.ts';
import { validateClaimSpec } from '../../core/v1/volume/persistent-volume-claim-rules.ts';
import { checked, noneNegative, notDecremented, notNegative, oneOf, type ValidationErrors } from '../../rules.ts';
import { statusOnly } from '../../subresources.ts';
import { statefulSetSpec } from './stateful-set-spec.ts';
import type { StatefulSet } from './stateful-set-type.ts';
import { validateOwnedTemplate } from './template-rules.ts';

type Spec = Infer<typeof statefulSetSpec>;
type Claim = NonNullable<Spec['volumeClaimTemplates']>[number];
type UpdateStrategy = NonNullable<Spec['updateStrategy']>;

const specOf = ({ spec = {} }: StatefulSet) => spec;
const statusOf = ({ status = {} }: StatefulSet) => status;

function defaults(object: StatefulSet): ApiObject {
  const { template = {}, volumeClaimTemplates: claims, ...given } = specOf(object);
  const retention = given.persistentVolumeClaimRetentionPolicy ?? {};
  const spec: Spec = {
    replicas: 1,
    revisionHistoryLimit: 10,
    ...given,
    template: defaultPodTemplate(template),
    ...(claims ? { volumeClaimTemplates: claims.map(defaultClaim) } : {}),
    podManagementPolicy: given.podManagementPolicy || 'OrderedReady',
    updateStrategy: defaultUpdateStrategy(given.updateStrategy),
    persistentVolumeClaimRetentionPolicy: {
      whenDeleted: retention.whenDeleted || 'Retain',
      whenScaled: retention.whenScaled || 'Retain',
    },
  };
  return { ...object, spec };
}

function defaultUpdateStrategy(given: UpdateStrategy = {}): UpdateStrategy {
  if (!given.type) return { type: 'RollingUpdate', rollingUpdate: { partition: 0, ...given.rollingUpdate } };
  if (given.type !== 'RollingUpdate' || !given.rollingUpdate) return given;
  return { type: given.type, rollingUpdate: { partition: 0, ...given.rollingUpdate } };
}

/** compat: a claim template says what kind it is, and that it is pending */
function defaultClaim(claim: Claim): Claim {
  const typed = {
    ...claim,
    kind: 'PersistentVolumeClaim',
    apiVersion: 'v1',
    ...defaultClaimParts(claim),
  };
  return typed;
}

/** What a client cannot change later is held against new objects only: those of old may say otherwise. */
function validateSpec(object: StatefulSet, context: StrategyContext, isNew: boolean): ValidationErrors {
  const spec = specOf(object);
  return [
    ...validatePodManagement(spec.podManagementPolicy),
    ...validateUpdateStrategy(spec.updateStrategy ?? {}),
    ...validateRetention(spec.persistentVolumeClaimRetentionPolicy),
    ...(isNew ? validateClaims(spec) : []),
    ...noneNegative('spec', spec, ['replicas', 'minReadySeconds']),
    ...notNegative('spec.ordinals.start', spec.ordinals?.start),
    ...(isNew && spec.serviceName ? checked('spec.serviceName', spec.serviceName, checkLabelName) : []),
    ...validateOwnedTemplate(
      { ...spec, template: asValidated(spec) },
      {
        kind: 'StatefulSet',
        emptySelector: 'empty selector is invalid for statefulset',
        malformedSelector: '',
        looksTwice: true,
      },
      context,
    ),
  ];
}

/**
 * The template as its rules see it. Names of hosts are given by a controller; containers mount the volumes that claims become,
 * which stand in for volumes of the same name.
 */
function asValidated({ template = {}, volumeClaimTemplates: claims = [] }: Spec): NonNullable<Spec['template']> {
  const { hostname: _, subdomain: __, ...spec } = template.spec ?? {};
  if (claims.length === 0) return { ...template, spec };
  const names = claims.map(({ metadata }) => metadata?.name ?? '');
  const taken: ReadonlySet<string | undefined> = new Set(names);
  const claimed = [...new Set(names)].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const others = (spec.volumes ?? []).filter(({ name }) => !taken.has(name));
  return { ...template, spec: { ...spec, volumes: [...claimed, ...others] } };
}

const validateClaims = ({ volumeClaimTemplates = [] }: Spec): ValidationErrors =>
  findEach(volumeClaimTemplates, ({ spec = {} }, index) =>
    validateClaimSpec(spec, `spec.volumeClaimTemplates[${index}].spec`),
  );

function validatePodManagement(policy = ''): ValidationErrors {
  const at = 'spec.podManagementPolicy';
  if (policy === '') return [required(at)];
  const known = policy === 'OrderedReady' || policy === 'Parallel';
  return known ? [] : [invalidValue(at, policy, "must be 'OrderedReady' or 'Parallel'")];
}

function validateUpdateStrategy(strategy: UpdateStrategy): ValidationErrors {
  const { type = '', rollingUpdate } = strategy;
  const at = 'spec.updateStrategy';
  switch (type) {
    case '':
      return [required(at)];
    case 'OnDelete':
      return rollingUpdate
        ? [
            invalidValue(
              `${at}.rollingUpdate`,
              inReferenceForm('RollingUpdateStatefulSetStrategy', rollingUpdate),
              "only allowed for updateStrategy 'RollingUpdate'",
            ),
          ]
        : [];
    case 'RollingUpdate':
      return notNegative(`${at}.rollingUpdate.partition`, rollingUpdate?.partition);
    default:
      return [
        invalidValue(
          at,
          inReferenceForm('StatefulSetUpdateStrategy', strategy),
          "must be 'RollingUpdate' or 'OnDelete'",
        ),
      ];
  }
}

function validateRetention(policy: Spec['persistentVolumeClaimRetentionPolicy']): ValidationErrors {
  if (!policy) return [];
  const at = 'spec.persistentVolumeClaimRetentionPolicy';
  const choices = ['Retain', 'Delete'];
  return [
    ...oneOf(`${at}.whenDeleted`, policy.whenDeleted, choices),
    ...oneOf(`${at}.whenScaled`, policy.whenScaled, choices),
  ];
}

const changeable = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
] as const;

const fixedMessage =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

function validateUpdate(next: StatefulSet, old: StatefulSet, context: StrategyContext): ValidationErrors {
  const isFixed = meansSame(statefulSetSpec, fixedPart(next), fixedPart(old));
  return [...validateSpec(next, context, false), ...(isFixed ? [] : [forbiddenField('spec', fixedMessage)])];
}

function fixedPart(object: StatefulSet): object {
  const spec: Record<string, unknown> = { ...specOf(object) };
  for (const name of changeable) delete spec[name];
  return spec;
}

const templateNotes = ownerWarnings({ template: (object: StatefulSet) => specOf(object).template });
const keepsAll = 'a negative value retains all historical revisions; a value >= 0 is recommended';

function warnings(next: StatefulSet, old: StatefulSet | undefined, context: StrategyContext): Warnings {
  const { volumeClaimTemplates = [], revisionHistoryLimit = 0 } = specOf(next);
  // compat: warnings about claim templates leave out the spec, or name it with a capital letter
  const below = old === undefined ? '' : '.Spec';
  return [
    ...templateNotes(next, old, context),
    ...warnEach(volumeClaimTemplates, ({ spec = {} }, index) =>
      claimWarnings(spec, `spec.volumeClaimTemplates[${index}]${below}`),
    ),
    ...(revisionHistoryLimit < 0 ? [`spec.revisionHistoryLimit: ${keepsAll}`] : []),
  ];
}

export const statefulSetRules: Strategy<StatefulSet> = {
  updateChecks: { meta: 0 },
  defaults,
  validateCreate: (object, context) => validateSpec(object, context, true),
  validateUpdate,
  warnings,
};

const counters = [
  'replicas',
  'readyReplicas',
  'currentReplicas',
  'updatedReplicas',
  'availableReplicas',
  'observedGeneration',
  'collisionCount',
];

function validateStatus(next: StatefulSet, old: StatefulSet): ValidationErrors {
  const status = statusOf(next);
  const { replicas = 0, readyReplicas: ready = 0, availableReplicas: available = 0 } = status;
  const ofAll = (['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'] as const).filter(
    (name) => (status[name] ?? 0) > replicas,
  );
  return [
    ...noneNegative('status', status, counters),
    ...ofAll.map((name) => invalidValue(`status.${name}`, status[name] ?? 0, 'cannot be greater than status.replicas')),
    ...(available > ready
      ? [invalidValue('status.availableReplicas', available, 'cannot be greater than status.readyReplicas')]
      : []),
    ...notDecremented('status.collisionCount', status.collisionCount, statusOf(old).collisionCount),
  ];
}

export const statefulSetStatusPart: PartSubresource<StatefulSet> = { ...statusOnly, validateUpdate: validateStatus };
