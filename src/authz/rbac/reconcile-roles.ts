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

/** Whether a stored object stays, is completed in place, or is created again since its role cannot change. */
type Reconciled = { readonly action: 'keep' } | { readonly action: 'update' | 'recreate'; readonly object: ApiObject };

const keep: Reconciled = { action: 'keep' };

/** Additions by others stay; `autoUpdate` names the annotation that turns the update off. */
export function reconcile(stored: ApiObject, expected: ApiObject, autoUpdate: string): Reconciled {
  if (stored.metadata.annotations?.[autoUpdate] === 'false') return keep;
  const [old, expectedRole] = [stored as RoleLike, expected as RoleLike];
  if (!isDeepStrictEqual(old.roleRef, expectedRole.roleRef)) return { action: 'recreate', object: expected };
  const object = { ...old, metadata: withKeys(old, expectedRole), ...content(old, expectedRole) };
  return isDeepStrictEqual(object, old) ? keep : { action: 'update', object };
}

function content(old: RoleLike, expectedRole: RoleLike): Partial<RoleLike> {
  if (expectedRole.roleRef !== undefined) return withSubjects(old, expectedRole);
  // an aggregated role gets its rules from elsewhere
  if (expectedRole.aggregationRule !== undefined) return withSelectors(old, expectedRole);
  const held = old.rules ?? [];
  // most rules are unchanged, and need no comparison by parts
  const changed = (expectedRole.rules ?? []).filter((rule, at) => !isDeepStrictEqual(held[at], rule));
  const missing = missingParts(held, changed);
  return missing.length === 0 ? {} : { rules: [...held, ...missing] };
}

function withSubjects(old: RoleLike, { subjects = [] }: RoleLike): Partial<RoleLike> {
  const missing = subjects.filter(
    (subject) => !old.subjects?.some((selectors) => isDeepStrictEqual(selectors, subject)),
  );
  return missing.length === 0 ? {} : { subjects: [...(old.subjects ?? []), ...missing] };
}

function withSelectors(old: RoleLike, { aggregationRule }: RoleLike): Partial<RoleLike> {
  const selectors = old.aggregationRule?.clusterRoleSelectors ?? [];
  const expectedRole = aggregationRule?.clusterRoleSelectors ?? [];
  const missing = expectedRole.filter((selector) => !selectors.some((one) => isDeepStrictEqual(one, selector)));
  return missing.length === 0 ? {} : { aggregationRule: { clusterRoleSelectors: [...selectors, ...missing] } };
}

function withKeys({ metadata: old }: ApiObject, { metadata: expectedRole }: ApiObject): ApiObject['metadata'] {
  return {
    ...old,
    labels: merged(old.labels, expectedRole.labels),
    annotations: merged(old.annotations, expectedRole.annotations),
  };
}

/** Existing values stay; keys are sorted, as they are stored. */
function merged(old: Labels = {}, expectedRole: Labels = {}): Labels {
  return Object.fromEntries(Object.entries({ ...expectedRole, ...old }).sort(([a], [b]) => (a < b ? -1 : 1)));
}
