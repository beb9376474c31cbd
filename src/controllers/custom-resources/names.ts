// Names of custom resources: who has one keeps it, who asks for one that another definition of the group has must wait.

import { isDeepStrictEqual } from 'node:util';
import type { CustomResourceDefinition } from '../../groups/apiextensions/v1/custom-resource-definition-type.ts';
import type { DefinitionStatus, ValidationError } from './conditions.ts';

export type Names = NonNullable<DefinitionStatus['acceptedNames']>;

/** Names that definitions of one group have been given. */
export interface UsedNames {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

export function usedNames(accepted: Iterable<Names>): UsedNames {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const { plural, singular, shortNames, kind, listKind } of accepted) {
    for (const name of [plural, singular, ...(shortNames ?? [])]) if (name) resources.add(name);
    for (const name of [kind, listKind]) if (name) kinds.add(name);
  }
  return { resources, kinds };
}

interface NamesJudgement {
  readonly accepted: Names;
  readonly condition: ValidationError;
}

const rules = [
  { field: 'plural', reason: 'PluralConflict', among: 'resources' },
  { field: 'singular', reason: 'SingularConflict', among: 'resources' },
  { field: 'shortNames', reason: 'ShortNamesConflict', among: 'resources' },
  { field: 'kind', reason: 'KindConflict', among: 'kinds' },
  { field: 'listKind', reason: 'ListKindConflict', among: 'kinds' },
] as const;

const inUse = (name: string) => `${JSON.stringify(name)} is already in use`;
const listed = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === 'string' ? [value] : value;

/** Each name is judged by itself; the last conflict is the one that is told. */
export function judgeNames({ spec, status }: CustomResourceDefinition, used: UsedNames): NamesJudgement {
  const wanted = spec?.names ?? {};
  let accepted: Names = { ...status?.acceptedNames };
  let condition: ValidationError = {
    type: 'NamesAccepted',
    status: 'True',
    reason: 'NoConflicts',
    message: 'no conflicts found',
  };
  for (const { field, reason, among } of rules) {
    const own = new Set(listed(accepted[field]));
    const taken = listed(wanted[field]).filter((name) => !own.has(name) && used[among].has(name));
    if (taken.length === 0) accepted = withName(accepted, field, wanted[field]);
    else condition = { type: 'NamesAccepted', status: 'False', reason, message: aggregated(taken.map(inUse)) };
  }
  return { accepted: withName(accepted, 'categories', wanted.categories), condition };
}

function withName(names: Names, field: keyof Names, value: Names[keyof Names]): Names {
  const { [field]: _, ...others } = names;
  return value === undefined ? others : { ...others, [field]: value };
}

/** Several messages as clients know them: each once, in brackets when there is more than one. */
function aggregated(messages: readonly string[]): string {
  const distinct = [...new Set(messages)];
  return distinct.length === 1 ? (distinct[0] as string) : `[${distinct.join(', ')}]`;
}

/** Whether a definition has exactly the names it asks for. */
export function hasAllNames({ spec, status }: CustomResourceDefinition): boolean {
  return isDeepStrictEqual(comparable(spec?.names ?? {}), comparable(status?.acceptedNames ?? {}));
}

const comparable = (names: Names) => [
  names.plural ?? '',
  names.singular ?? '',
  names.kind ?? '',
  names.listKind ?? '',
  names.shortNames ?? [],
  names.categories ?? [],
];
