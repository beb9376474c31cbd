// A result of a check, and the place in a file that it is about.

import type { ManifestFault, ManifestObject } from '../manifests/read-manifests.ts';

export type Level = 'error' | 'warning' | 'note';

/** The rules that findings belong to, each with what it checks. */
export const rules = {
  syntax: 'The file is YAML or JSON.',
  'not-an-object': 'Each document is an object with apiVersion, kind and a name.',
  'duplicate-field': 'No field is there twice.',
  'duplicate-object': 'No object is there twice.',
  'unknown-kind': 'The kind is served in this version.',
  'removed-version': 'The version is still served.',
  'deprecated-version': 'The version is not deprecated.',
  'unknown-field': 'All fields are known to the schema.',
  type: 'All fields have values of their type.',
  invalid: 'The object passes validation.',
  policy: 'The object passes admission policies.',
  'policy-expression': 'The expressions of a policy fit the types that it matches.',
  quota: 'The object fits into the quotas of its namespace.',
  'pod-security': 'Pods pass the pod security standard of their namespace.',
  rights: 'The user may create the object.',
  definition: 'The definition is accepted and served.',
  refused: 'Admission accepts the object.',
  warning: 'The server has no warning.',
  'assumed-namespace': 'The namespace is among the manifests.',
} as const;

export type Rule = keyof typeof rules;

export interface Finding {
  readonly level: Level;
  readonly rule: Rule;
  readonly file: string;
  /** Counted from one. */
  readonly line: number;
  readonly column: number;
  /** Such as `Deployment shop/web`; empty where a text is no object. */
  readonly object: string;
  /** Empty for the whole object. */
  readonly field: string;
  readonly message: string;
}

/** An object as people name it. */
export function titleOf({ kind, name, namespace, value }: ManifestObject): string {
  const { generateName = '' } = (value['metadata'] ?? {}) as { generateName?: string };
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name === '' ? `${generateName}*` : name}`;
}

interface FindingDetails {
  readonly level?: Level;
  readonly rule: Rule;
  readonly field?: string;
  readonly message: string;
}

export function findingOf(object: ManifestObject, details: FindingDetails): Finding {
  const { level = 'error', rule, field = '', message } = details;
  const { line, column } = object.find(field);
  return { level, rule, file: object.file, line, column, object: titleOf(object), field, message };
}

export function findingOfFault({ file, position, rule, message }: ManifestFault): Finding {
  return { level: 'error', rule, file, ...position, object: '', field: '', message };
}

/** In the order of files and lines; a finding that comes twice is there once. */
export function sortedFindings(findings: readonly Finding[]): readonly Finding[] {
  const keyOf = ({ file, line, rule, message }: Finding) => JSON.stringify([file, line, rule, message]);
  const unique = [...new Map(findings.map((finding) => [keyOf(finding), finding])).values()];
  return unique.sort((a, b) => compareTexts(a.file, b.file) || a.line - b.line || a.column - b.column);
}

const compareTexts = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
