// What webhooks and policies in files may not say, although stored ones may.

import type { Dialect } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';

/** Names that end so belong to objects in files. */
export const reservedSuffix = ({ apiDomain }: Pick<Dialect, 'apiDomain'>): string => `.static.${apiDomain}`;

interface ClientConfig {
  readonly url?: string;
  readonly service?: object;
}

type Configured = ApiObject & {
  readonly webhooks?: readonly { readonly name?: string; readonly clientConfig?: ClientConfig }[];
  readonly spec?: { readonly paramKind?: object; readonly paramRef?: object; readonly policyName?: string };
};

const unsupported = 'is not supported for static manifests';

/** Undefined for nothing. */
export function manifestProblem(object: ApiObject, kind: string, suffix: string): string | undefined {
  const { webhooks, spec = {}, metadata } = object as Configured;
  const name = JSON.stringify(metadata.name);
  if (webhooks !== undefined) return webhookProblem(webhooks, name);
  if (spec.paramKind !== undefined) return `${kind} ${name}: spec.paramKind ${unsupported}`;
  return kind.endsWith('Binding') ? bindingProblem(spec, name, suffix) : undefined;
}

function webhookProblem(webhooks: NonNullable<Configured['webhooks']>, name: string): string | undefined {
  for (const { name: webhook, clientConfig = {} } of webhooks) {
    const where = `webhook ${JSON.stringify(webhook)} in ${name}`;
    if (clientConfig.service !== undefined)
      return `${where}: clientConfig.service ${unsupported}; use clientConfig.url instead`;
    if (!clientConfig.url) return `${where}: clientConfig.url is required for static manifests`;
  }
  return undefined;
}

function bindingProblem(spec: NonNullable<Configured['spec']>, name: string, suffix: string): string | undefined {
  const { policyName = '', paramRef } = spec;
  if (policyName === '') return `binding ${name} must reference a policy (spec.policyName)`;
  if (!policyName.endsWith(suffix))
    return `binding ${name}: spec.policyName ${JSON.stringify(policyName)} must end with ${JSON.stringify(suffix)}`;
  return paramRef === undefined ? undefined : `binding ${name}: spec.paramRef ${unsupported}`;
}

/** Throws where a binding names a policy that is in none of the files. */
export function checkReferences(policies: readonly ApiObject[], bindings: readonly ApiObject[]): void {
  const known = new Set(policies.map(({ metadata }) => metadata.name));
  for (const { metadata, spec } of bindings as readonly Configured[]) {
    if (known.has(spec?.policyName)) continue;
    const names = `binding ${JSON.stringify(metadata.name)} references policy ${JSON.stringify(spec?.policyName)}`;
    throw new Error(`${names} which does not exist in the manifest directory`);
  }
}
