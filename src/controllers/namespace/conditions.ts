// What a namespace tells about its deletion while it waits: five conditions, worded as clients know them.

import type { Namespace } from '../../groups/core/v1/namespace.ts';
import { type Dialect, inOwnWords } from '../../meta/dialect.ts';

export interface Remaining {
  readonly group: string;
  readonly resource: string;
  readonly count: number;
  /** How many of the objects each finalizer holds. */
  readonly finalizers: ReadonlyMap<string, number>;
}

export interface DeletionState {
  readonly discoveryFailures: readonly string[];
  readonly deletionFailures: readonly string[];
  readonly remaining: readonly Remaining[];
}

interface Check {
  readonly type: string;
  readonly ok: { readonly reason: string; readonly message: string };
  trouble(state: DeletionState): { readonly reason: string; readonly message: string } | undefined;
}

const checks: readonly Check[] = [
  {
    type: 'NamespaceDeletionDiscoveryFailure',
    ok: { reason: 'ResourcesDiscovered', message: 'All resources successfully discovered' },
    trouble: ({ discoveryFailures: found }) =>
      failed(
        found,
        'DiscoveryFailed',
        `Discovery failed for some groups, ${found.length} failing: unable to retrieve the complete list of server APIs:`,
      ),
  },
  {
    type: 'NamespaceDeletionGroupVersionParsingFailure',
    ok: { reason: 'ParsedGroupVersions', message: 'All legacy kube types successfully parsed' },
    // names of groups and versions are checked when they are registered
    trouble: () => undefined,
  },
  {
    type: 'NamespaceDeletionContentFailure',
    ok: { reason: 'ContentDeleted', message: 'All content successfully deleted, may be waiting on finalization' },
    trouble: ({ deletionFailures: found }) =>
      failed(found, 'ContentDeletionFailed', `Failed to delete all resource types, ${found.length} remaining:`),
  },
  {
    type: 'NamespaceContentRemaining',
    ok: { reason: 'ContentRemoved', message: 'All content successfully removed' },
    trouble: ({ remaining }) => {
      const texts = remaining.map((left) => `${left.resource}.${left.group} has ${left.count} resource instances`);
      return listed(texts, 'SomeResourcesRemain', 'Some resources are remaining:');
    },
  },
  {
    type: 'NamespaceFinalizersRemaining',
    ok: { reason: 'ContentHasNoFinalizers', message: 'All content-preserving finalizers finished' },
    trouble: ({ remaining }) => {
      const texts = [...totals(remaining)].map(([name, count]) => `${name} in ${count} resource instances`);
      return listed(texts, 'SomeFinalizersRemain', 'Some content in the namespace has finalizers remaining:');
    },
  },
];

function failed(errors: readonly string[], reason: string, head: string) {
  return errors.length === 0 ? undefined : { reason, message: `${head} ${errors.join(', ')}` };
}

function listed(texts: readonly string[], reason: string, head: string) {
  return texts.length === 0 ? undefined : { reason, message: `${head} ${[...texts].sort().join(', ')}` };
}

function totals(remaining: readonly Remaining[]): Map<string, number> {
  const all = new Map<string, number>();
  for (const { finalizers } of remaining)
    for (const [name, count] of finalizers) all.set(name, (all.get(name) ?? 0) + count);
  return all;
}

type Condition = NonNullable<NonNullable<Namespace['status']>['conditions']>[number];

/** The conditions after a look at the namespace; undefined when nothing has changed. */
export function conditionsAfter(
  old: readonly Condition[],
  state: DeletionState,
  { now, dialect }: { readonly now: string; readonly dialect: Dialect },
): readonly Condition[] | undefined {
  const known = new Map(old.map((condition) => [condition.type, condition]));
  let changed = false;
  for (const { type, ok, trouble } of checks) {
    const found = trouble(state);
    const status = found === undefined ? 'False' : 'True';
    const { reason, message } = found ?? { ...ok, message: inOwnWords(dialect, ok.message) };
    const was = known.get(type);
    if (was?.status === status && was.reason === reason && was.message === message) continue;
    const lastTransitionTime = was?.status === status ? was.lastTransitionTime : now;
    known.set(type, { type, status, lastTransitionTime, reason, message } as Condition);
    changed = true;
  }
  return changed ? [...known.values()] : undefined;
}
