// Answers about rights as text for a terminal.

import type { GrantedRule } from '../authz/rbac/role-report.ts';
import type { AccessAnswer, AccessQuestion, HolderAnswer, RuleAnswer } from '../insight/access-answers.ts';
import type { PolicyRule, RoleReference, RoleSubject } from '../meta/access.ts';
import { columns } from './columns.ts';

/** Names come from clients: what would change the terminal is shown as text. */
const plain = (text: string) => text.replace(/[\p{Cc}\p{Cf}]/gu, '�');

export function whyText({
  question,
  user,
  allowed,
  authorizer,
  reason,
  showsRoles,
  grant,
  missing,
}: AccessAnswer): string {
  const lines = [
    `${allowed ? 'yes' : 'no'}: ${user.name || user.groups[0]} ${allowed ? 'may' : 'may not'} ${shown(question)}`,
  ];
  if (authorizer !== '') lines.push(`decided by ${authorizer}`);
  if (reason !== '') lines.push(reason);
  if (grant !== undefined) lines.push(`rule: ${ruleText(grant.rule)}`);
  if (!showsRoles) lines.push('roles and bindings are not shown: you may not list them');
  for (const near of missing?.near ?? [])
    lines.push(`almost: ${grantText(near)} has another ${near.lacks}: ${ruleText(near.rule)}`);
  for (const one of missing?.elsewhere ?? []) lines.push(`allowed in namespace ${one.namespace}: ${grantText(one)}`);
  if (missing !== undefined && missing.roles.length > 0)
    lines.push(`roles that allow it: ${missing.roles.map(roleText).join(', ')}`);
  return `${lines.map(plain).join('\n')}\n`;
}

export function holdersText({ question, holders, isCut, always, unlisted }: HolderAnswer): string {
  const rows = holders.map((one) => [
    subjectText(one.subject),
    one.namespace || 'everywhere',
    one.binding,
    roleText(one.role),
  ]);
  const notes = [
    `group ${always.join(', ')} may do everything`,
    ...(unlisted.length === 0 ? [] : [`not listed: users that ${unlisted.join(', ')} allows`]),
    ...(isCut ? ['there are more'] : []),
  ];
  const table = columns([['WHO', 'WHERE', 'BINDING', 'ROLE'], ...rows.map((row) => row.map(plain))]);
  return `${plain(`who may ${shown(question)}`)}\n\n${table}\n${notes.map((note) => `${plain(note)}\n`).join('')}`;
}

export function rightsText({ rules, isCut, always, errors }: RuleAnswer): string {
  const rows = rules.map(({ rule, binding, role, namespace }) => [
    wordsOf(rule.resources, rule.apiGroups) || (rule.nonResourceURLs ?? []).join(','),
    (rule.resourceNames ?? []).join(',') || '*',
    (rule.verbs ?? []).join(','),
    binding === undefined ? '' : `${namespace ? `${namespace}/` : ''}${binding} → ${role?.name ?? ''}`,
  ]);
  const notes = [
    ...(always === undefined ? [] : [`group ${always} may do everything`]),
    ...errors,
    ...(isCut ? ['there are more'] : []),
  ];
  const table = columns([['WHAT', 'NAMES', 'VERBS', 'FROM'], ...rows.map((row) => row.map(plain))]);
  return `${table}${notes.map((note) => `${plain(note)}\n`).join('')}`;
}

function shown({ verb, group, resource, subresource, namespace, name, path }: AccessQuestion): string {
  if (path !== undefined) return `${verb} ${path}`;
  const target = `${resource}${subresource ? `/${subresource}` : ''}${group ? `.${group}` : ''}${name ? ` ${name}` : ''}`;
  return `${verb} ${target} ${namespace ? `in namespace ${namespace}` : 'in all namespaces'}`;
}

const roleText = ({ kind = '', name = '' }: RoleReference) => `${kind} ${name}`;

const grantText = ({ namespace, binding, role }: GrantedRule) =>
  `${namespace === '' ? 'ClusterRoleBinding ' : `RoleBinding ${namespace}/`}${binding} of ${roleText(role)}`;

const subjectText = ({ kind = '', name = '', namespace = '' }: RoleSubject) =>
  `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`;

const ruleText = (rule: PolicyRule) => JSON.stringify(rule);

const wordsOf = (resources: readonly string[] = [], groups: readonly string[] = []) =>
  resources
    .map((resource) => (groups.every((group) => group === '') ? resource : `${resource}.${groups.join('|')}`))
    .join(',');
