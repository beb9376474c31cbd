// What expressions about admission may use: the request, the objects it is about, and rights. Loads the language: import it
// when there is an expression.

import { Environment } from '../../../cel/environment.ts';
import { authorizerType, resourceCheckType } from '../../../cel/library/authorizer.ts';
import { changeTypeNamed, jsonPatch } from '../../../cel/library/json-patch.ts';
import { standardLibraries } from '../../../cel/library/standard.ts';
import { vendorName } from '../../../cel/library/vendor.ts';
import {
  bool,
  type CelType,
  dyn,
  int,
  list,
  map,
  type ObjectField,
  type ObjectType,
  objectOf,
  record,
  string,
  timestamp,
} from '../../../cel/types.ts';

export interface AdmissionScope {
  /** `params` is there: the policy has parameters. */
  readonly params: boolean;
  /** Rights can be asked for. */
  readonly authorizer: boolean;
  /** What a policy computes under its own names, as `variables`. */
  readonly variables?: PolicyVariables;
  /** Changes can be written: `Object{…}` and `JSONPatch{…}`. */
  readonly changes?: true;
  /** Where the types of objects and parameters are known. */
  readonly types?: { readonly object: CelType; readonly params: CelType };
  /** The minor release whose functions there are; all of them without one. */
  readonly newest?: number | undefined;
}

const named = (name: string, fields: Readonly<Record<string, CelType>>) => record(vendorName(name), fields);

const kindType = named('GroupVersionKind', { group: string, version: string, kind: string });
const resourceType = named('GroupVersionResource', { group: string, version: string, resource: string });
const userType = named('UserInfo', {
  username: string,
  uid: string,
  groups: list(string),
  extra: map(string, list(string)),
});

/** A review without its uid and objects, which are variables of their own. */
const requestType = named('AdmissionRequest', {
  kind: kindType,
  resource: resourceType,
  subResource: string,
  requestKind: kindType,
  requestResource: resourceType,
  requestSubResource: string,
  name: string,
  namespace: string,
  operation: string,
  userInfo: userType,
  dryRun: bool,
  options: dyn,
});

const texts = map(string, string);

const namespaceMetaType = named('NamespaceMetadata', {
  name: string,
  generateName: string,
  namespace: string,
  labels: texts,
  annotations: texts,
  // compat: expressions know the uid of a namespace as UID
  UID: string,
  creationTimestamp: timestamp,
  deletionGracePeriodSeconds: int,
  deletionTimestamp: timestamp,
  generation: int,
  resourceVersion: string,
  finalizers: list(string),
});

const namespaceConditionType = named('NamespaceCondition', {
  status: string,
  type: string,
  lastTransitionTime: timestamp,
  message: string,
  reason: string,
});

/** The namespace of the request, without what no policy should depend on. */
const namespaceType = named('Namespace', {
  metadata: namespaceMetaType,
  spec: named('NamespaceSpec', { finalizers: list(string) }),
  status: named('NamespaceStatus', { conditions: list(namespaceConditionType), phase: string }),
});

const changingLibraries = [...standardLibraries, jsonPatch];

const unknownTypes = { object: dyn, params: dyn };

export function admissionEnvironment(scope: AdmissionScope): Environment {
  const { params, authorizer, variables, changes, types = unknownTypes, newest } = scope;
  return new Environment({
    variables: {
      object: types.object,
      oldObject: types.object,
      namespaceObject: namespaceType,
      request: requestType,
      ...(params ? { params: types.params } : {}),
      ...(authorizer ? { authorizer: authorizerType } : {}),
      // compat: where types are known, the authorizer of the request itself is not
      ...(authorizer && types === unknownTypes ? { 'authorizer.requestResource': resourceCheckType } : {}),
      ...(variables ? { variables: variables.type } : {}),
    },
    newest,
    ...(changes ? { objectNamed: changeTypeNamed, libraries: changingLibraries } : {}),
  });
}

/** The type of `variables`, known as far as their expressions were read: each may use those before it. */
export class PolicyVariables {
  readonly #fields = new Map<string, ObjectField>();
  readonly type: ObjectType = objectOf({
    name: vendorName('variables'),
    field: (name) => this.#fields.get(name),
  });

  /** The type of an expression that could not be read is not known. */
  add(name: string, type: CelType = dyn): void {
    this.#fields.set(name, { type: remembered(type) });
  }
}

/** What a name keeps of the type of its expression: objects and opaque values become dynamic. */
function remembered(type: CelType): CelType {
  switch (type.is) {
    case 'list':
      return list(remembered(type.of));
    case 'map':
      return map(remembered(type.key), remembered(type.of));
    case 'object':
    case 'opaque':
    case 'type':
    case 'param':
      return dyn;
    default:
      return type;
  }
}
