// What may change about where a pod runs while gates hold it: the choice of nodes may become narrower, no wider.

import { isSameJson } from '../../../../base/json/json.ts';
import { invalidValue } from '../../../../meta/field-errors.ts';
import { findEach } from '../../../../meta/find-each.ts';
import { shownField } from '../../../../schema/given-empty.ts';
import type { Infer } from '../../../../schema/types.ts';
import { inReferenceForm } from '../../../../wording/types/reference-form.ts';
import type { ValidationErrors } from '../../../rules.ts';
import type { nodeSelectorTerm } from '../selectors.ts';
import type { PodSpec } from './pod-spec.ts';

type Affinity = NonNullable<PodSpec['affinity']>;
type NodeAffinity = Affinity['nodeAffinity'];
type Term = Infer<typeof nodeSelectorTerm>;

export const isGated = ({ schedulingGates = [] }: PodSpec): boolean => schedulingGates.length > 0;

export function validateGatedChanges(next: PodSpec, old: PodSpec): ValidationErrors {
  return [
    ...validateSelector(next, old.nodeSelector ?? {}),
    ...validateTerms(next.affinity?.nodeAffinity, old.affinity?.nodeAffinity),
  ];
}

/** `next` as far as nodes are chosen by it, put back to what it was. */
export function choiceOfNodes(next: PodSpec, old: PodSpec): Pick<PodSpec, 'nodeSelector' | 'affinity'> {
  return { nodeSelector: old.nodeSelector, affinity: otherAffinity(next.affinity, old.affinity) } as PodSpec;
}

function otherAffinity(next: Affinity | undefined, old: Affinity | undefined): Affinity | undefined {
  const { nodeAffinity: was } = old ?? {};
  const { nodeAffinity: is, ...others } = next ?? {};
  if (isSameJson(is, was)) return next;
  const affinity = { ...others, ...(was ? { nodeAffinity: was } : {}) };
  return Object.keys(affinity).length === 0 && old === undefined ? undefined : affinity;
}

type Labels = NonNullable<PodSpec['nodeSelector']>;

function validateSelector(spec: PodSpec, old: Labels): ValidationErrors {
  const next = spec.nodeSelector ?? {};
  if (Object.entries(old).every(([key, value]) => Object.hasOwn(next, key) && next[key] === value)) return [];
  const detail = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
  return [invalidValue('spec.nodeSelector', shownField(spec, 'nodeSelector'), detail)];
}

const required = 'requiredDuringSchedulingIgnoredDuringExecution';

/** Where there were no terms, any may come; where there were some, each may only ask for more. */
function validateTerms(next: NodeAffinity, old: NodeAffinity): ValidationErrors {
  const at = `spec.affinity.nodeAffinity.${required}.nodeSelectorTerms`;
  const before = old?.[required]?.nodeSelectorTerms ?? [];
  const after = next?.[required]?.nodeSelectorTerms ?? [];
  if (before.length > 0 && before.length !== after.length)
    return [
      invalidValue(
        at,
        after.length === 0 ? null : inReferenceForm('NodeSelectorTerm', after),
        'no additions/deletions to non-empty NodeSelectorTerms list are allowed',
      ),
    ];
  return findEach(before, (term, i) =>
    asksForMore(after[i] ?? {}, term)
      ? []
      : [
          invalidValue(
            `${at}[${i}]`,
            inReferenceForm('NodeSelectorTerm', after[i]),
            'only additions are allowed (no mutations or deletions)',
          ),
        ],
  );
}

/** A term without requirements selects nothing, and stays so. */
function asksForMore(next: Term, old: Term): boolean {
  const parts = ['matchExpressions', 'matchFields'] as const;
  const count = (term: Term) => parts.reduce((sum, part) => sum + (term[part] ?? []).length, 0);
  if (count(old) === 0) return count(next) === 0;
  return parts.every((part) => {
    const had = old[part] ?? [];
    return isSameJson((next[part] ?? []).slice(0, had.length), had);
  });
}
