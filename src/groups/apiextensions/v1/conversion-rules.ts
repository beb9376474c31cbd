// How objects of a custom resource become objects of another version: by themselves, or by a webhook.

import { forbiddenField, invalidValue, required } from '../../../meta/field-errors.ts';
import { checkLetterFirstLabel } from '../../../meta/names.ts';
import type { Infer } from '../../../schema/types.ts';
import { requiredOneOf, type ValidationErrors } from '../../rules.ts';
import { bundleProblem, validateReviewVersions, validateWebhookClient } from '../../webhook-client-rules.ts';
import type { customResourceConversion } from './custom-resource-definition-type.ts';

type Conversion = Infer<typeof customResourceConversion>;

const at = 'spec.conversion';

/** `preserves`: objects keep unknown fields, and no webhook can be asked about those. */
export function validateConversionStrategy({ strategy, webhook }: Conversion, preserves: boolean): ValidationErrors {
  return [
    ...(preserves && strategy !== 'None'
      ? [invalidValue(`${at}.strategy`, strategy, 'must be None if spec.preserveUnknownFields is true')]
      : []),
    ...requiredOneOf(`${at}.strategy`, strategy, ['None', 'Webhook']),
    ...(strategy === 'Webhook' ? validateCalled(webhook ?? {}) : validateUncalled(webhook)),
  ];
}

type Webhook = NonNullable<Conversion['webhook']>;

function validateCalled({ clientConfig, conversionReviewVersions }: Webhook): ValidationErrors {
  const place = `${at}.webhookClientConfig`;
  return [
    ...(clientConfig
      ? validateWebhookClient(clientConfig, place)
      : [required(place, 'required when strategy is set to Webhook')]),
    ...validateReviewVersions(conversionReviewVersions ?? [], `${at}.conversionReviewVersions`, {
      check: checkLetterFirstLabel,
      known: true,
    }),
  ];
}

function validateUncalled(webhook: Webhook | undefined): ValidationErrors {
  const detail = 'should not be set when strategy is not set to Webhook';
  return [
    ...(webhook?.clientConfig ? [forbiddenField(`${at}.webhookClientConfig`, detail)] : []),
    ...(webhook?.conversionReviewVersions?.length ? [forbiddenField(`${at}.conversionReviewVersions`, detail)] : []),
  ];
}

const bundleOf = (conversion: Conversion | undefined) => conversion?.webhook?.clientConfig?.caBundle ?? '';

/** While a resource is served, certificates that were good may not be replaced by ones that are not. */
export function validateTrust(next: Conversion | undefined, old: Conversion | undefined): ValidationErrors {
  const [bundle, was] = [bundleOf(next), bundleOf(old)];
  if (bundle === '' || (was !== '' && bundleProblem(was) !== undefined)) return [];
  const problem = bundleProblem(bundle);
  return problem === undefined ? [] : [invalidValue(`${at}.webhookClientConfig.caBundle`, bundle, problem)];
}
