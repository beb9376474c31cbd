// The parameters of a policy: objects that a binding names or selects.

import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { BindingSpec, CommonPolicySpec } from '../../groups/admissionregistration/v1/policy-rules.ts';
import { selecting } from '../../groups/meta/v1/label-selector.ts';
import { parseApiVersion } from '../../meta/group-version.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { ResourceDefinition } from '../../schema/resource.ts';
import type { AdmissionEngines } from '../engines.ts';
import { ConfigError } from './config-error.ts';

type ParamRef = NonNullable<BindingSpec['paramRef']>;
type ParamKind = NonNullable<CommonPolicySpec['paramKind']>;
/** Null is for policies that have none, or bindings that give none. */
type Params = readonly (ApiObject | null)[];

const noParams: Params = [null];

/** The resource of a kind of parameters; throws a `ConfigError` where it is not served. */
export function paramResource(
  { apiVersion = '', kind = '' }: ParamKind,
  resourceOf: AdmissionEngines['resourceOf'],
): ResourceDefinition {
  const parsed = parseApiVersion(apiVersion);
  const found = parsed && resourceOf(parsed.group, parsed.version, kind);
  if (found !== undefined) return found;
  const shown = `${apiVersion.includes('/') ? '' : '/'}${apiVersion}, Kind=${kind}`;
  throw new ConfigError(`failed to find resource referenced by paramKind: '${shown}'`);
}

/** Empty where none were found and the binding lets that pass. */
export function collectParams(
  engines: Pick<AdmissionEngines, 'objects'>,
  resource: ResourceDefinition | undefined,
  ref: ParamRef | undefined,
  requestNamespace: string,
): MaybePromise<Params> {
  if (resource === undefined || ref === undefined) return noParams;
  const namespace = namespaceOf(resource, ref, requestNamespace);
  return andThen(find(engines, resource, ref, namespace), (found) => {
    if (found.length === 0 && ref.parameterNotFoundAction === 'Deny')
      throw new ConfigError('no params found for policy binding with `Deny` parameterNotFoundAction');
    return found;
  });
}

function namespaceOf({ namespaced }: ResourceDefinition, ref: ParamRef, requestNamespace: string): string {
  const { namespace = '' } = ref;
  if (!namespaced) {
    if (namespace === '') return '';
    throw new ConfigError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  }
  if (namespace !== '' || requestNamespace !== '') return namespace || requestNamespace;
  throw new ConfigError('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
}

function find(
  { objects }: Pick<AdmissionEngines, 'objects'>,
  { group, version, plural }: ResourceDefinition,
  { name = '', selector }: ParamRef,
  namespace: string,
): MaybePromise<readonly ApiObject[]> {
  const resource = { group, version, resource: plural };
  if (name !== '') return andThen(objects.get(resource, { namespace, name }), (found) => (found ? [found] : []));
  if (selector === undefined) throw new ConfigError('one of name or selector must be provided');
  const isSelected = selecting(selector);
  return andThen(objects.list(resource, namespace), (all) => all.filter(({ metadata }) => isSelected(metadata.labels)));
}
