// Whether a FlowSchema is about a request: who asks, and for what.

import type { FlowSchema } from '../groups/flowcontrol/v1/flow-schema-type.ts';
import type { RequestInfo } from '../meta/request-info.ts';
import { serviceAccountName, type UserInfo } from '../meta/user.ts';

/** The part of a FlowSchema that applies. */
export type SchemaObject = Pick<FlowSchema, 'metadata' | 'spec'>;

type Spec = NonNullable<FlowSchema['spec']>;
type Rule = NonNullable<Spec['rules']>[number];
type Subject = NonNullable<Rule['subjects']>[number];
type ResourceRule = NonNullable<Rule['resourceRules']>[number];
type NonResourceRule = NonNullable<Rule['nonResourceRules']>[number];

const everything = '*';

export function matchesSchema({ spec }: SchemaObject, user: UserInfo, info: RequestInfo): boolean {
  return (spec?.rules ?? []).some((rule) => matchesRule(rule, user, info));
}

function matchesRule(rule: Rule, user: UserInfo, info: RequestInfo): boolean {
  if (!(rule.subjects ?? []).some((subject) => matchesSubject(subject, user))) return false;
  return info.isResource
    ? (rule.resourceRules ?? []).some((one) => matchesResource(one, info))
    : (rule.nonResourceRules ?? []).some((one) => matchesPath(one, info));
}

function matchesSubject({ kind, user, group, serviceAccount }: Subject, asking: UserInfo): boolean {
  if (kind === 'User') return user?.name === everything || user?.name === asking.name;
  if (kind === 'Group') return group?.name === everything || asking.groups.includes(group?.name as string);
  if (kind !== 'ServiceAccount' || serviceAccount === undefined) return false;
  const { namespace = '', name = '' } = serviceAccount;
  if (name === everything) return asking.name.startsWith(serviceAccountName(namespace, ''));
  return asking.name === serviceAccountName(namespace, name);
}

function matchesResource(rule: ResourceRule, info: RequestInfo): boolean {
  const resource = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`;
  if (!includes(rule.verbs, info.verb) || !includes(rule.resources, resource)) return false;
  if (!includes(rule.apiGroups, info.group)) return false;
  return info.namespace === '' ? rule.clusterScope === true : includes(rule.namespaces, info.namespace);
}

function matchesPath({ verbs, nonResourceURLs = [] }: NonResourceRule, { verb, path }: RequestInfo): boolean {
  if (!includes(verbs, verb)) return false;
  return nonResourceURLs.some((url) => {
    if (url === everything || url === path) return true;
    // as in kube-apiserver, a path without a star at its end is a prefix as well
    const prefix = url.endsWith('*') ? url.slice(0, -1) : url;
    return path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`);
  });
}

/** The star is no pattern: it stands alone in its list. */
function includes(list: readonly string[] = [], value: string): boolean {
  return (list.length === 1 && list[0] === everything) || list.includes(value);
}
