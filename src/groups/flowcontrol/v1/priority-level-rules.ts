// PriorityLevelConfiguration: defaults and what must hold.

import { isSameJson } from '../../../base/json/json.ts';
import type { Dialect } from '../../../meta/dialect.ts';
import { forbiddenField, invalidValue, notSupported, required } from '../../../meta/field-errors.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { Strategy, StrategyContext } from '../../../schema/strategy.ts';
import { inReferenceForm } from '../../../wording/types/reference-form.ts';
import { requiredOneOf, type ValidationErrors } from '../../rules.ts';
import { mandatorySpec } from './bootstrap.ts';
import type { PriorityLevelConfiguration } from './priority-level-configuration-type.ts';

type Spec = NonNullable<PriorityLevelConfiguration['spec']>;
type Limited = NonNullable<Spec['limited']>;
type Exempt = NonNullable<Spec['exempt']>;
type Queuing = NonNullable<NonNullable<Limited['limitResponse']>['queuing']>;

const specOf = (object: PriorityLevelConfiguration): Spec => object.spec ?? {};

function defaults(object: PriorityLevelConfiguration): ApiObject {
  const given = specOf(object);
  const exempt = given.exempt ?? (given.type === 'Exempt' ? {} : undefined);
  const spec: Spec = {
    ...given,
    ...(given.limited ? { limited: defaultLimited(given.limited) } : {}),
    ...(exempt ? { exempt: { nominalConcurrencyShares: 0, lendablePercent: 0, ...exempt } } : {}),
  };
  return { ...object, spec };
}

const defaultShares = 30;

function defaultLimited(given: Limited): Limited {
  const { limitResponse = {} } = given;
  const { queuing } = limitResponse;
  return {
    ...given,
    nominalConcurrencyShares: given.nominalConcurrencyShares ?? defaultShares,
    lendablePercent: given.lendablePercent ?? 0,
    limitResponse: { ...limitResponse, ...(queuing ? { queuing: defaultQueuing(queuing) } : {}) },
  };
}

const defaultQueuing = ({ queues, handSize, queueLengthLimit }: Queuing): Queuing => ({
  queues: queues || 64,
  handSize: handSize || 8,
  queueLengthLimit: queueLengthLimit || 50,
});

function validate(object: PriorityLevelConfiguration, { dialect }: StrategyContext): ValidationErrors {
  const { name = '' } = object.metadata;
  const spec = specOf(object);
  const fits = (name === 'exempt') === (spec.type === 'Exempt');
  const typeRule = "must be 'Exempt' if and only if `name` is 'exempt'";
  return [
    ...validateAnnotations(object.metadata.annotations, dialect),
    ...(fits ? [] : [invalidValue('spec.type', spec.type ?? '', typeRule)]),
    ...validateType(spec),
    ...validateMandatory(spec, name),
  ];
}

/** An older version of the kind says by an annotation that no shares are meant, where this one has a field that may be zero. */
function validateAnnotations(annotations: Readonly<Record<string, string>> = {}, dialect: Dialect): ValidationErrors {
  const key = `flowcontrol.${dialect.apiDomain}/v1beta3-preserve-zero-concurrency-shares`;
  if (!Object.hasOwn(annotations, key)) return [];
  return [forbiddenField('metadata.annotations', `annotation '${key}' is forbidden`)];
}

function validateType({ type = '', limited, exempt }: Spec): ValidationErrors {
  switch (type) {
    case 'Exempt':
      return [
        ...(limited ? [forbiddenField('spec.limited', 'must be nil if the type is not Limited')] : []),
        ...(exempt ? validateShares(exempt, 'spec.exempt') : []),
      ];
    case 'Limited':
      return [
        ...(exempt ? [forbiddenField('spec.exempt', 'must be nil if the type is Limited')] : []),
        ...(limited
          ? validateLimited(limited, 'spec.limited')
          : [required('spec.limited', 'must not be empty when type is Limited')]),
      ];
    default:
      return requiredOneOf('spec.type', type, ['Exempt', 'Limited']);
  }
}

function validateShares(shares: Exempt | Limited, at: string): ValidationErrors {
  const { nominalConcurrencyShares: nominal, lendablePercent: lendable } = shares;
  return [
    ...((nominal ?? 0) < 0
      ? [invalidValue(`${at}.nominalConcurrencyShares`, nominal, 'must be a non-negative integer')]
      : []),
    ...((lendable ?? 0) < 0 || (lendable ?? 0) > 100
      ? [invalidValue(`${at}.lendablePercent`, lendable, 'must be between 0 and 100, inclusive')]
      : []),
  ];
}

function validateLimited(limited: Limited, at: string): ValidationErrors {
  const { borrowingLimitPercent: borrowing, limitResponse = {} } = limited;
  return [
    ...validateShares(limited, at),
    ...((borrowing ?? 0) < 0
      ? [invalidValue(`${at}.borrowingLimitPercent`, borrowing, 'if specified, must be a non-negative integer')]
      : []),
    ...validateResponse(limitResponse, `${at}.limitResponse`),
  ];
}

function validateResponse({ type = '', queuing }: NonNullable<Limited['limitResponse']>, at: string): ValidationErrors {
  switch (type) {
    case 'Reject':
      return queuing
        ? [forbiddenField(`${at}.queuing`, 'must be nil if limited.limitResponse.type is not Limited')]
        : [];
    case 'Queue':
      return queuing
        ? validateQueuing(queuing, `${at}.queuing`)
        : [required(`${at}.queuing`, 'must not be empty if limited.limitResponse.type is Limited')];
    case '':
      return [required(`${at}.type`)];
    default:
      return [notSupported(`${at}.type`, type, ['Queue', 'Reject'])];
  }
}

const maxQueues = 10_000_000;
const maxHashBits = 60;

function validateQueuing({ queues = 0, handSize = 0, queueLengthLimit = 0 }: Queuing, at: string): ValidationErrors {
  return [
    ...(queueLengthLimit <= 0 ? [invalidValue(`${at}.queueLengthLimit`, queueLengthLimit, 'must be positive')] : []),
    ...(queues <= 0 ? [invalidValue(`${at}.queues`, queues, 'must be positive')] : []),
    ...(queues > maxQueues ? [invalidValue(`${at}.queues`, queues, `must not be greater than ${maxQueues}`)] : []),
    ...handProblems(queues, handSize).map((detail) => invalidValue(`${at}.handSize`, handSize, detail)),
  ];
}

/** A hand is dealt from the bits of one hash: they must be enough to tell all hands apart. */
function handProblems(queues: number, handSize: number): readonly string[] {
  if (handSize <= 0) return ['must be positive'];
  if (handSize > queues) return [`should not be greater than queues (${queues})`];
  if (Math.ceil(Math.log2(queues) * handSize) <= maxHashBits) return [];
  const sizes = `deckSize ${queues} and handSize ${handSize}`;
  return [`required entropy bits of ${sizes} should not be greater than ${maxHashBits}`];
}

/** Of the exempt level, only how much it lends may be chosen. */
function validateMandatory(spec: Spec, name: string): ValidationErrors {
  const fixed = mandatorySpec('prioritylevelconfigurations', name) as Spec | undefined;
  if (fixed === undefined) return [];
  const wanted = name === 'exempt' && spec.exempt ? { ...fixed, exempt: spec.exempt } : fixed;
  if (isSameJson(spec, wanted)) return [];
  const except = name === 'exempt' ? " except the 'spec.exempt' field" : '';
  return [
    invalidValue(
      'spec',
      inReferenceForm('PriorityLevelConfigurationSpec', spec),
      `spec of '${name}'${except} must equal the fixed value`,
    ),
  ];
}

export const priorityLevelRules: Strategy<PriorityLevelConfiguration> = {
  updateChecks: { metaChange: 0 },
  defaults,
  validate,
};
