// What expressions about admission see of a request. Loads the language.

import type { JsonObject } from '../../base/json/json.ts';
import { andThen } from '../../base/maybe-promise.ts';
import { adapterOf } from '../../cel/adapt.ts';
import { Activation } from '../../cel/frame.ts';
import {
  AuthorizerValue,
  type RightsChecker,
  type RightsDecision,
  type RightsQuery,
} from '../../cel/library/authorizer.ts';
import { dyn } from '../../cel/types.ts';
import type { Value } from '../../cel/values.ts';
import {
  type AccessAttributes,
  type AccessControl,
  type Decision,
  pathAccess,
  resourceAccess,
} from '../../meta/access.ts';
import { parseFieldSelector } from '../../meta/field-selector.ts';
import type { GroupVersionKind } from '../../meta/group-version.ts';
import { parseLabelSelector } from '../../meta/label-selector.ts';
import type { ApiObject } from '../../meta/object.ts';
import { ApiError } from '../../meta/status.ts';
import { authenticatedGroup, serviceAccountGroups, serviceAccountName, type UserInfo } from '../../meta/user.ts';
import type { ResourceDefinition } from '../../schema/resource.ts';
import { type AdmissionRequest, objectsOf } from '../plugin.ts';

/** A request as the rule that matched it names it: in the version of that rule. */
export interface MatchedRequest {
  readonly request: AdmissionRequest;
  readonly resource: Pick<ResourceDefinition, 'group' | 'version' | 'plural'>;
  readonly kind: GroupVersionKind;
  readonly object: ApiObject | undefined;
  readonly oldObject: ApiObject | undefined;
}

const adaptAny = adapterOf(dyn);

/** Which of the variables an expression may read. */
type Reach = 'condition' | 'plain' | 'rights';

/** What the expressions of all policies see of one request; each part is made when an expression first reads it. */
class RequestView {
  readonly matched: MatchedRequest;
  readonly authorizer: AuthorizerValue;
  readonly #namespace: ApiObject | undefined;
  #object: Value | undefined;
  #oldObject: Value | undefined;
  #request: JsonObject | undefined;
  #requestAsNamed: JsonObject | undefined;
  #namespaceObject: JsonObject | undefined;
  #resourceCheck: unknown;

  constructor(matched: MatchedRequest, authorizer: AuthorizerValue, namespace: ApiObject | undefined) {
    this.matched = matched;
    this.authorizer = authorizer;
    this.#namespace = namespace;
  }

  /** As a value, so that it is made once for all expressions. */
  get object(): Value {
    this.#object ??= adaptAny(this.matched.object ?? null);
    return this.#object;
  }

  get oldObject(): Value {
    this.#oldObject ??= adaptAny(this.matched.oldObject ?? null);
    return this.#oldObject;
  }

  get request(): JsonObject {
    this.#request ??= requestVariable(this.matched);
    return this.#request;
  }

  /** With the resource as the client named it. */
  get requestAsNamed(): JsonObject {
    const { matched } = this;
    if (matched.resource === matched.request.definition) return this.request;
    this.#requestAsNamed ??= requestVariable({ ...matched, resource: matched.request.definition });
    return this.#requestAsNamed;
  }

  get namespaceObject(): JsonObject | null {
    if (this.#namespace === undefined) return null;
    this.#namespaceObject ??= namespaceVariable(this.#namespace);
    return this.#namespaceObject;
  }

  get resourceCheck(): unknown {
    const { definition, subresource, namespace, name } = this.matched.request;
    const about = { group: definition.group, resource: definition.plural, subresource, namespace, name };
    this.#resourceCheck ??= this.authorizer.forResource(about);
    return this.#resourceCheck;
  }
}

export class RequestInputs extends Activation {
  readonly #view: RequestView;
  readonly #reach: Reach;
  readonly #params: unknown;
  #forConditions: RequestInputs | undefined;
  #withoutRights: RequestInputs | undefined;

  private constructor(view: RequestView, reach: Reach, params: unknown) {
    super();
    this.#view = view;
    this.#reach = reach;
    this.#params = params;
  }

  /** Of conditions, which do not see the namespace, and name the resource as the client did. */
  static ofConditions(matched: MatchedRequest, authorizer: AuthorizerValue, params: unknown): RequestInputs {
    return new RequestInputs(new RequestView(matched, authorizer, undefined), 'condition', params);
  }

  /** Of everything else. */
  static of(matched: MatchedRequest, authorizer: AuthorizerValue, namespace: ApiObject | undefined): RequestInputs {
    return new RequestInputs(new RequestView(matched, authorizer, namespace), 'rights', null);
  }

  /** The same as conditions see it. */
  forConditions(): RequestInputs {
    this.#forConditions ??= new RequestInputs(this.#view, 'condition', this.#params);
    return this.#forConditions;
  }

  /** The same for expressions that cannot ask for rights. */
  withoutRights(): RequestInputs {
    this.#withoutRights ??= new RequestInputs(this.#view, 'plain', this.#params);
    return this.#withoutRights;
  }

  withParams(params: unknown): RequestInputs {
    return new RequestInputs(this.#view, this.#reach, params);
  }

  read(name: string): unknown {
    const view = this.#view;
    switch (name) {
      case 'object':
        return view.object;
      case 'oldObject':
        return view.oldObject;
      case 'request':
        return this.#reach === 'condition' ? view.requestAsNamed : view.request;
      case 'namespaceObject':
        return this.#reach === 'condition' ? null : view.namespaceObject;
      case 'params':
        return this.#params;
      case 'authorizer':
        return this.#reach === 'plain' ? undefined : view.authorizer;
      case 'authorizer.requestResource':
        return this.#reach === 'plain' ? undefined : view.resourceCheck;
      default:
        return undefined;
    }
  }
}

const isNamespace = objectsOf('', 'namespaces');

const present = (fields: Readonly<Record<string, string>>): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));

/** compat: what is empty is absent, as in the reviews that webhooks get */
function requestVariable({ request, resource, kind }: MatchedRequest): JsonObject {
  const { definition, subresource, user } = request;
  return {
    kind: plainKind(kind),
    resource: plainResource(resource),
    requestKind: plainKind(request.kind),
    requestResource: plainResource(definition),
    ...present({
      subResource: subresource,
      requestSubResource: subresource,
      name: request.name,
      // compat: a namespace is in itself
      namespace: isNamespace(definition, '') ? request.name : request.namespace,
    }),
    operation: request.operation,
    userInfo: userVariable(user),
    dryRun: request.dryRun,
    options: request.options ?? null,
  };
}

const plainKind = ({ group, version, kind }: GroupVersionKind): JsonObject => ({ group, version, kind });
const plainResource = ({ group, version, plural }: MatchedRequest['resource']): JsonObject => ({
  group,
  version,
  resource: plural,
});

function userVariable({ name, uid = '', groups, extra = {} }: UserInfo): JsonObject {
  return {
    ...present({ username: name, uid }),
    ...(groups.length > 0 ? { groups: [...groups] } : {}),
    ...(Object.keys(extra).length > 0 ? { extra: extra as JsonObject } : {}),
  };
}

/** Without what no policy should depend on. */
function namespaceVariable(namespace: ApiObject): JsonObject {
  const { managedFields: _, ownerReferences: __, ...metadata } = namespace.metadata;
  const { spec = {}, status = {} } = namespace as { spec?: JsonObject; status?: JsonObject };
  return { metadata: metadata as JsonObject, spec, status };
}

/** The rights of the user whose request it is; each question is asked once a request. */
export function authorizerOf(user: UserInfo, access: Pick<AccessControl, 'decide'>): AuthorizerValue {
  const check: RightsChecker['check'] = (query) => andThen(access.decide(attributesOf(user, query)), answerOf);
  return AuthorizerValue.of({ check });
}

const answerOf = ({ kind, reason = '', error }: Decision): RightsDecision => ({
  allowed: kind === 'allow',
  reason,
  ...(error === undefined ? {} : { error }),
});

/** compat: a selector that cannot be read is left out, and the question is about everything */
function attributesOf(user: UserInfo, query: RightsQuery): AccessAttributes {
  const { verb, path, group, resource, subresource, namespace, name } = query;
  const asking = query.serviceAccount ? accountUser(query.serviceAccount) : user;
  if (path !== undefined) return pathAccess(asking, verb, path);
  const fieldSelector = parsed(parseFieldSelector, query.fieldSelector);
  const labelSelector = parsed(parseLabelSelector, query.labelSelector);
  return resourceAccess({
    ...{ user: asking, verb, group, version: '*', resource, subresource, namespace, name },
    ...(fieldSelector ? { fieldSelector } : {}),
    ...(labelSelector ? { labelSelector } : {}),
  });
}

function parsed<T>(parse: (text: string) => T, text: string | undefined): T | undefined {
  if (!text) return undefined;
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

const accountUser = ({ namespace, name }: { readonly namespace: string; readonly name: string }): UserInfo => ({
  name: serviceAccountName(namespace, name),
  groups: [...serviceAccountGroups(namespace), authenticatedGroup],
});
