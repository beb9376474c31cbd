// What has to change so that a stored role or binding gives at least what its default does.

import { isDeepStrictEqual } from 'node:util';
import type { PolicyRule, RoleSubject } from '../../meta/access.ts';
import type { ApiObject, Labels } from '../../meta/object.ts';
import { missingParts } from './rules.ts';

interface RoleLike extends ApiObject {
  readonly rules?: readonly PolicyRule[] | null;
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly unknown[] };
  readonly roleRef?: unknown;
  readonly subjects?: readonly RoleSubject[];
}

/** Whether a stored object is to be left alone, completed in place, or made anew since its role cannot change. */
type Reconciled = { readonly action: 'keep' } | { readonly action: 'update' | 'recreate'; readonly object: ApiObject };

const keep: Reconciled = { action: 'keep' };

/** Whatever was added by others stays; `autoUpdate` names the annotation that turns this off. */
export function reconcile(stored: ApiObject, expected: ApiObject, autoUpdate: string): Reconciled {
  if (stored.metadata.annotations?.[autoUpdate] === 'false') return keep;
  const [old, wanted] = [stored as RoleLike, expected as RoleLike];
  if (!isDeepStrictEqual(old.roleRef, wanted.roleRef)) return { action: 'recreate', object: expected };
  const object = { ...old, metadata: withKeys(old, wanted), ...content(old, wanted) };
  return isDeepStrictEqual(object, old) ? keep : { action: 'update', object };
}

function content(old: RoleLike, wanted: RoleLike): Partial<RoleLike> {
  if (wanted.roleRef !== undefined) return withSubjects(old, wanted);
  // an aggregated role gets its rules from elsewhere
  if (wanted.aggregationRule !== undefined) return withSelectors(old, wanted);
  const held = old.rules ?? [];
  // most are as they were stored, and need not be taken apart
  const changed = (wanted.rules ?? []).filter((rule, at) => !isDeepStrictEqual(held[at], rule));
  const missing = missingParts(held, changed);
  return missing.length === 0 ? {} : { rules: [...held, ...missing] };
}

function withSubjects(old: RoleLike, { subjects = [] }: RoleLike): Partial<RoleLike> {
  const missing = subjects.filter((subject) => !old.subjects?.some((known) => isDeepStrictEqual(known, subject)));
  return missing.length === 0 ? {} : { subjects: [...(old.subjects ?? []), ...missing] };
}

function withSelectors(old: RoleLike, { aggregationRule }: RoleLike): Partial<RoleLike> {
  const known = old.aggregationRule?.clusterRoleSelectors ?? [];
  const wanted = aggregationRule?.clusterRoleSelectors ?? [];
  const missing = wanted.filter((selector) => !known.some((one) => isDeepStrictEqual(one, selector)));
  return missing.length === 0 ? {} : { aggregationRule: { clusterRoleSelectors: [...known, ...missing] } };
}

function withKeys({ metadata: old }: ApiObject, { metadata: wanted }: ApiObject): ApiObject['metadata'] {
  return {
    ...old,
    labels: merged(old.labels, wanted.labels),
    annotations: merged(old.annotations, wanted.annotations),
  };
}

/** What is set already stays; keys in order, as they are stored. */
function merged(old: Labels = {}, wanted: Labels = {}): Labels {
  return Object.fromEntries(Object.entries({ ...wanted, ...old }).sort(([a], [b]) => (a < b ? -1 : 1)));
}
