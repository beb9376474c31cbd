// Defaults and rules of webhooks, for both kinds of configuration.

import { duplicate, invalidValue, notSupported, required } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { checkLetterFirstLabel, checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { Strategy } from '../../../schema/strategy.ts';
import type { Infer } from '../../../schema/types.ts';
import { validateLabelSelector } from '../../meta/v1/label-selector.ts';
import { oneOf, repeatsIn, type ValidationErrors } from '../../rules.ts';
import {
  reviewVersions,
  validateReviewVersions,
  validateWebhookClient,
  withServicePort,
} from '../../webhook-client-rules.ts';
import type { mutatingWebhook } from './mutating-webhook-configuration-type.ts';
import { validateConditions, validateOperationRule, withScope } from './operation-rules.ts';

/** The one that changes objects has every field of the other. */
type Webhook = Infer<typeof mutatingWebhook>;
export type Configuration = ApiObject & { readonly webhooks?: readonly Webhook[] };

/** Rules that came later: objects that were stored before them may stay as they are. */
interface Strictness {
  readonly noSideEffects: boolean;
  readonly knownReview: boolean;
  readonly uniqueNames: boolean;
}

const strict: Strictness = { noSideEffects: true, knownReview: true, uniqueNames: true };
const lenient: Strictness = { noSideEffects: false, knownReview: false, uniqueNames: false };

const harmless = ['None', 'NoneOnDryRun'];
const anyEffects = [...harmless, 'Some', 'Unknown'];
const longestTimeout = 30;

const usual = {
  failurePolicy: 'Fail',
  matchPolicy: 'Equivalent',
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
};

/** The same one where nothing is missing, as in what was stored before: spreads cost more than all else that is done with a webhook. */
function defaulted(webhook: Webhook, more: object): Webhook {
  const { rules, clientConfig } = webhook;
  if (isComplete(webhook, more)) return webhook;
  return {
    ...usual,
    ...more,
    ...webhook,
    ...(clientConfig ? { clientConfig: withServicePort(clientConfig) } : {}),
    ...(rules ? { rules: rules.map(withScope) } : {}),
  };
}

const isComplete = (webhook: Webhook, more: object): boolean =>
  [usual, more].every((defaults) => Object.keys(defaults).every((name) => Object.hasOwn(webhook, name))) &&
  (webhook.rules ?? []).every((rule) => withScope(rule) === rule) &&
  (webhook.clientConfig === undefined || withServicePort(webhook.clientConfig) === webhook.clientConfig);

const webhooksOf = (object: Configuration) => object.webhooks ?? [];

function validateAll(object: Configuration, strictness: Strictness): ValidationErrors {
  const webhooks = webhooksOf(object);
  const names = webhooks.map(({ name = '' }) => name);
  const isKnown = repeatsIn(names);
  return findEach(webhooks, (webhook, index) => {
    const [at, name] = [`webhooks[${index}]`, names[index] ?? ''];
    const isRepeated = strictness.uniqueNames && name !== '' && isKnown(index);
    return [...validateWebhook(webhook, at, strictness), ...(isRepeated ? [duplicate(`${at}.name`, name)] : [])];
  });
}

function validateWebhook(webhook: Webhook, at: string, strictness: Strictness): ValidationErrors {
  const { failurePolicy, matchPolicy, reinvocationPolicy, timeoutSeconds: timeout } = webhook;
  return [
    ...validateName(webhook.name ?? '', `${at}.name`),
    ...findEach(webhook.rules ?? [], (rule, index) => validateOperationRule(rule, `${at}.rules[${index}]`)),
    ...(failurePolicy === undefined ? [] : oneOf(`${at}.failurePolicy`, failurePolicy, ['Fail', 'Ignore'])),
    ...(matchPolicy === undefined ? [] : oneOf(`${at}.matchPolicy`, matchPolicy, ['Equivalent', 'Exact'])),
    ...validateSideEffects(webhook.sideEffects, `${at}.sideEffects`, strictness),
    ...(timeout !== undefined && (timeout < 1 || timeout > longestTimeout)
      ? [invalidValue(`${at}.timeoutSeconds`, timeout, 'the timeout value must be between 1 and 30 seconds')]
      : []),
    ...validateLabelSelector(webhook.namespaceSelector, `${at}.namespaceSelector`),
    ...validateLabelSelector(webhook.objectSelector, `${at}.objectSelector`),
    ...(reinvocationPolicy === undefined
      ? []
      : oneOf(`${at}.reinvocationPolicy`, reinvocationPolicy, ['IfNeeded', 'Never'])),
    ...validateWebhookClient(webhook.clientConfig ?? {}, `${at}.clientConfig`),
    ...validateConditions(webhook.matchConditions, `${at}.matchConditions`),
    ...validateReviewVersions(webhook.admissionReviewVersions ?? [], `${at}.admissionReviewVersions`, {
      check: checkLetterFirstLabel,
      known: strictness.knownReview,
      detail: `must specify one of ${reviewVersions.join(', ')}`,
    }),
  ];
}

function validateName(name: string, at: string): ValidationErrors {
  if (name === '') return [required(at)];
  const problems = checkSubdomain(name);
  if (problems.length > 0) return [invalidValue(at, name, problems.join(','))];
  if (name.split('.').length >= 3) return [];
  return [invalidValue(at, name, 'should be a domain with at least three segments separated by dots')];
}

function validateSideEffects(
  effects: string | null | undefined,
  at: string,
  { noSideEffects }: Strictness,
): ValidationErrors {
  const allowed = noSideEffects ? harmless : anyEffects;
  if (effects === undefined || effects === null) return [required(at, `must specify one of ${allowed.join(', ')}`)];
  return allowed.includes(effects) ? [] : [notSupported(at, effects, allowed)];
}

/** What the stored object already keeps to, its successor has to keep to. */
function strictnessOf(old: Configuration): Strictness {
  const webhooks = webhooksOf(old);
  return {
    noSideEffects: webhooks.every(({ sideEffects }) => harmless.includes(sideEffects ?? '')),
    knownReview: webhooks.every(({ admissionReviewVersions: versions }) => {
      const given = versions ?? [];
      return given.length === 0 || given.some((version) => reviewVersions.includes(version));
    }),
    uniqueNames: new Set(webhooks.map(({ name }) => name)).size === webhooks.length,
  };
}

function rulesOf(creation: Strictness, more: object): Strategy<Configuration> {
  return {
    defaults(object) {
      const { webhooks } = object;
      return webhooks ? { ...object, webhooks: webhooks.map((webhook) => defaulted(webhook, more)) } : object;
    },
    validateWrite: (next, old) => validateAll(next, old === undefined ? creation : strictnessOf(old)),
    validateExpressions: async (next, old, context, run) =>
      (await import('./expression-rules.ts')).validateWebhookExpressions(next, old, context, run),
  };
}

export const webhookRules = rulesOf(strict, {});
export const mutatingWebhookRules = rulesOf(strict, { reinvocationPolicy: 'Never' });

/** Before v1, side effects could be anything and names could repeat. */
export const olderWebhookRules: Pick<Strategy<Configuration>, 'validateWrite'> = {
  validateWrite: (next, old) => validateAll(next, old === undefined ? lenient : strictnessOf(old)),
};
