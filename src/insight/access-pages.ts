// /debug/keelson/access: why a user may do something or not, who may do it, and all rules of a user.

import type { RoleReport } from '../authz/rbac/role-report.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { json, type Routes, requireRead } from '../discovery/routes.ts';
import {
  type AccessAttributes,
  type AccessControl,
  type AccessNotes,
  pathAccess,
  resourceAccess,
} from '../meta/access.ts';
import { type Dialect, groupName } from '../meta/dialect.ts';
import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import { forbiddenRequest } from '../meta/forbidden-request.ts';
import { requireAllowed } from '../meta/require-access.ts';
import { badRequest } from '../meta/status.ts';
import {
  authenticated,
  isMaster,
  mastersGroup,
  parseServiceAccount,
  serviceAccountGroups,
  type UserInfo,
} from '../meta/user.ts';
import type { Resources } from '../registry/resources.ts';
import { findByName } from './find-by-name.ts';

const root = '/debug/keelson/access';

interface AccessPageParts {
  readonly access: AccessControl;
  /** Undefined where roles decide nothing. */
  readonly roles: RoleReport | undefined;
  readonly resources: Resources;
  /** Authorizers in force whose rights cannot be listed. */
  readonly unlisted: () => readonly string[];
  readonly dialect: Dialect;
}

/**
 * Questions about oneself need the right to the review of oneself, all others that to SubjectAccessReviews. Roles and bindings
 * are shown to callers who may list these kinds.
 */
export function addAccessPages(routes: Routes, parts: AccessPageParts): void {
  const pages = new AccessPages(parts);
  const review = (resource: string) => (exchange: Exchange) => pages.review(exchange, resource);
  routes.addAbout(`${root}/why`, review('selfsubjectaccessreviews'), (exchange) => pages.why(exchange));
  routes.addAbout(`${root}/rules`, review('selfsubjectrulesreviews'), (exchange) => pages.rules(exchange));
  routes.addAbout(`${root}/who`, review('subjectaccessreviews'), (exchange) => pages.who(exchange));
}

const roleKinds = ['clusterroles', 'roles', 'clusterrolebindings', 'rolebindings'];

class AccessPages {
  readonly #parts: AccessPageParts;

  constructor(parts: AccessPageParts) {
    this.#parts = parts;
  }

  /** The right that a page needs: `ofSelf` where the caller asks about itself. */
  review({ user, query }: Exchange, ofSelf: string): AccessAttributes {
    const resource = asksAboutSelf(query) ? ofSelf : 'subjectaccessreviews';
    const group = groupName(this.#parts.dialect, 'authorization');
    return resourceAccess({ user, verb: 'create', group, version: 'v1', resource });
  }

  async why(exchange: Exchange): Promise<ApiResponse> {
    requireRead(exchange);
    const { access, roles } = this.#parts;
    const question = this.#questionIn(exchange, subjectOf(exchange));
    const notes = new DecidedBy(isMaster(question.user) ? mastersGroup : '');
    const { kind, reason = '', error } = await access.decide({ ...question, notes });
    const isAllowed = kind === 'allow';
    const showsRoles = roles !== undefined && (await this.#mayReadRoles(exchange.user));
    return json({
      ...shownQuestion(question),
      user: question.user,
      allowed: isAllowed,
      decision: kind,
      authorizer: notes.authorizer,
      reason,
      ...(error === undefined ? {} : { error }),
      showsRoles,
      ...(showsRoles && isAllowed ? { grant: roles.grant(question) } : {}),
      ...(showsRoles && !isAllowed ? { missing: await roles.missing(question) } : {}),
    });
  }

  async who(exchange: Exchange): Promise<ApiResponse> {
    requireRead(exchange);
    const question = this.#questionIn(exchange, { name: '', groups: [] });
    for (const resource of roleKinds) await this.#requireRoles(exchange.user, resource);
    const { roles, unlisted } = this.#parts;
    const { items, isCut } = (await roles?.holders(question)) ?? { items: [], isCut: false };
    return json({ ...shownQuestion(question), holders: items, isCut, always: [mastersGroup], unlisted: unlisted() });
  }

  async rules(exchange: Exchange): Promise<ApiResponse> {
    requireRead(exchange);
    const { access, roles } = this.#parts;
    const user = subjectOf(exchange);
    const namespace = textIn(exchange, 'namespace');
    const { rules, incomplete, errors } = await access.rulesFor(user, namespace);
    if (roles === undefined || !(await this.#mayReadRoles(exchange.user)))
      return json({ user, namespace, rules: rules.map((rule) => ({ rule })), isCut: false, incomplete, errors });
    const { items, isCut } = roles.rules(user, namespace);
    const isAll = isMaster(user);
    return json({
      user,
      namespace,
      rules: items,
      isCut,
      incomplete,
      errors,
      ...(isAll ? { always: mastersGroup } : {}),
    });
  }

  #questionIn(exchange: Exchange, user: UserInfo): AccessAttributes {
    const text = (name: string) => textIn(exchange, name);
    const [verb, typed] = [text('verb'), text('resource')];
    const path = textIn(exchange, 'path', limits.path);
    if (verb === '') throw badRequest('query parameter verb: a verb is expected');
    if ((typed === '') === (path === '')) throw badRequest('either resource or path is expected in the query');
    if (path !== '') return pathAccess(user, verb, path);
    const [subresource, namespace, name] = [text('subresource'), text('namespace'), text('name')];
    const isExact = exchange.query.has('apiGroup');
    const { group, resource } = isExact
      ? { group: text('apiGroup'), resource: typed }
      : findByName(this.#parts.resources, typed);
    return resourceAccess({ user, verb, group, version: '*', resource, subresource, namespace, name });
  }

  #listRight(user: UserInfo, resource: string): AccessAttributes {
    const group = groupName(this.#parts.dialect, 'rbac.authorization');
    return resourceAccess({ user, verb: 'list', group, version: 'v1', resource });
  }

  #requireRoles(user: UserInfo, resource: string): MaybePromise<undefined> {
    const right = this.#listRight(user, resource);
    return requireAllowed(this.#parts.access, right, ({ reason }) => forbiddenRequest(right, reason));
  }

  async #mayReadRoles(user: UserInfo): Promise<boolean> {
    for (const resource of roleKinds) {
      const { kind } = await this.#parts.access.decide(this.#listRight(user, resource));
      if (kind !== 'allow') return false;
    }
    return true;
  }
}

class DecidedBy implements AccessNotes {
  authorizer: string;

  constructor(authorizer: string) {
    this.authorizer = authorizer;
  }

  decidedBy(authorizer: string): void {
    this.authorizer = authorizer;
  }

  allowedBy(): void {}
}

type Parameters = Exchange['query'];

const asksAboutSelf = (query: Parameters): boolean => !query.has('user') && !query.has('group');

const limits = { name: 512, path: 2000, groups: 50 } as const;

function textIn({ query }: Exchange, name: string, most: number = limits.name): string {
  const text = query.get(name) ?? '';
  if (text.length > most) throw badRequest(`query parameter ${name}: at most ${most} characters are expected`);
  return text;
}

/** The user of a question, with the groups that signing in would add. */
function subjectOf(exchange: Exchange): UserInfo {
  const { query, user } = exchange;
  if (asksAboutSelf(query)) return user;
  const name = textIn(exchange, 'user');
  const groups = query.getAll('group');
  if (name === '' && groups.length === 0) throw badRequest('query parameter user or group: a name is expected');
  if (groups.length > limits.groups || groups.some((group) => group.length > limits.name))
    throw badRequest(`query parameter group: at most ${limits.groups} names are expected`);
  const account = parseServiceAccount(name);
  const own = account === undefined ? [] : serviceAccountGroups(account.namespace);
  return authenticated({ name, groups: [...new Set([...groups, ...own])] });
}

const shownQuestion = ({
  isResource,
  verb,
  group,
  resource,
  subresource,
  namespace,
  name,
  path,
}: AccessAttributes) => ({
  question: isResource ? { verb, group, resource, subresource, namespace, name } : { verb, path },
});
