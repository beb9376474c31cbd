// What one delete does to an object: decided here, without I/O; delete.ts carries it out.

import { isSameJson } from '../base/json/json.ts';
import type { DeleteOptions } from '../groups/meta/v1/types.ts';
import { type ApiObject, foregroundFinalizer, orphanFinalizer, withMeta } from '../meta/object.ts';
import { formatTime } from '../meta/time.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import type { Strategy, StrategyContext } from '../schema/strategy.ts';

type DeletionPlan =
  /** It is on its way already. */
  | { readonly does: 'nothing' }
  /** It stays for now, marked. */
  | { readonly does: 'keep'; readonly object: ApiObject }
  /** It goes; `last` is the state that is shown before, where that differs from the present one. */
  | { readonly does: 'remove'; readonly last?: ApiObject };

export interface Deletable {
  readonly definition: ResourceDefinition;
  readonly strategy: Strategy;
  readonly context: StrategyContext;
}

export function planDeletion(kind: Deletable, old: ApiObject, options: DeleteOptions): DeletionPlan {
  const grace = graceFor(kind, old, options);
  if (grace === 'pending') return { does: 'nothing' };
  const next = kind.context.ignoresDependents ? old : withFinalizersFor(kind.definition, old, options);
  if (grace !== undefined) return planGraceful(kind, markedUntil(next, grace));
  if (!isHeld(kind, next)) return { does: 'remove' };
  const marked = markedNow(kind, next);
  return isSameJson(marked, old) ? { does: 'nothing' } : { does: 'keep', object: marked };
}

type Held = Pick<Deletable, 'strategy' | 'context'>;

/** Whether finalizers, or the kind itself, keep an object that is being deleted. */
function isHeld({ strategy, context }: Held, object: ApiObject): boolean {
  return (object.metadata.finalizers ?? []).length > 0 || (strategy.isHeld?.(object, context) ?? false);
}

/** Whether an object that is being deleted has nothing left to wait for. */
export function removesItself(kind: Held, object: ApiObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata;
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && !isHeld(kind, object);
}

interface Grace {
  readonly seconds: number;
  readonly timestamp: string;
}

/** Undefined for kinds that know no grace. */
function graceFor({ strategy, context }: Deletable, old: ApiObject, options: DeleteOptions) {
  if (strategy.gracePeriod === undefined) return undefined;
  const asked = options.gracePeriodSeconds;
  const wanted = asked === undefined ? undefined : atLeast(asked);
  if (old.metadata.deletionTimestamp !== undefined) return shortened({ strategy, context }, old, wanted);
  const seconds = atLeast(strategy.gracePeriod(old, wanted));
  return { seconds, timestamp: formatTime(context.clock.now() + shownGraceMs(context, seconds)) };
}

/** How long after the first delete request the deletionTimestamp of an object is. */
const shownGraceMs = ({ dialect }: StrategyContext, seconds: number): number =>
  dialect.rules.deletionTimestamp === 'end' ? seconds * 1000 : 0;

/** compat: a negative grace period counts as one second. */
const atLeast = (seconds: number) => (seconds < 0 ? 1 : seconds);

/** A later delete may only shorten the time an object was given. */
function shortened(kind: Held, old: ApiObject, wanted: number | undefined): Grace | 'pending' | undefined {
  const { deletionTimestamp = '', deletionGracePeriodSeconds: given } = old.metadata;
  if (given === undefined || removesItself(kind, old)) return undefined;
  if (wanted === undefined || wanted >= given) return 'pending';
  const began = Date.parse(deletionTimestamp) - shownGraceMs(kind.context, given);
  return { seconds: wanted, timestamp: formatTime(began + shownGraceMs(kind.context, wanted)) };
}

function markedUntil(object: ApiObject, { seconds, timestamp }: Grace): ApiObject {
  return withMeta(object, {
    generation: generationOfDeletion(object),
    deletionTimestamp: timestamp,
    deletionGracePeriodSeconds: seconds,
  });
}

function planGraceful(kind: Deletable, marked: ApiObject): DeletionPlan {
  return removesItself(kind, marked) ? { does: 'remove', last: marked } : { does: 'keep', object: marked };
}

/** The first delete sets the time; a time still to come becomes the present. */
function markedNow({ strategy, context }: Deletable, object: ApiObject): ApiObject {
  const { deletionTimestamp } = object.metadata;
  const now = context.clock.now();
  const isSet = deletionTimestamp !== undefined && Date.parse(deletionTimestamp) <= now;
  if (isSet) return object;
  const marked = withMeta(object, {
    generation: generationOfDeletion(object),
    deletionTimestamp: formatTime(now),
    deletionGracePeriodSeconds: 0,
  });
  return strategy.beginDeletion?.(marked, context) ?? marked;
}

/** The beginning of a deletion counts as a change of what is wanted. */
function generationOfDeletion({ metadata: { generation, deletionTimestamp } }: ApiObject): number | undefined {
  return generation === undefined || deletionTimestamp !== undefined ? generation : generation + 1;
}

/** The finalizers by which the garbage collector learns what is to become of dependents. */
function withFinalizersFor(definition: ResourceDefinition, object: ApiObject, options: DeleteOptions): ApiObject {
  if (definition.deletion?.dependents === 'ignored') return object;
  const { finalizers = [] } = object.metadata;
  const wanted = finalizerFor(definition, finalizers, options);
  const others = finalizers.filter((name) => name !== orphanFinalizer && name !== foregroundFinalizer);
  const next = wanted === undefined ? others : [...others, wanted];
  // the others are there already, however many
  const isSame = next.length === finalizers.length && (wanted === undefined || finalizers.includes(wanted));
  return isSame ? object : withMeta(object, { finalizers: next.length === 0 ? undefined : next });
}

/** What the request says goes before what the object says, and that before the habit of the kind. */
function finalizerFor(
  { deletion }: ResourceDefinition,
  finalizers: readonly string[],
  { orphanDependents, propagationPolicy }: DeleteOptions,
): string | undefined {
  if (orphanDependents !== undefined) return orphanDependents ? orphanFinalizer : undefined;
  if (propagationPolicy === 'Orphan') return orphanFinalizer;
  if (propagationPolicy === 'Foreground') return foregroundFinalizer;
  if (propagationPolicy === 'Background') return undefined;
  const own = finalizers.find((name) => name === orphanFinalizer || name === foregroundFinalizer);
  return own ?? (deletion?.dependents === 'orphaned' ? orphanFinalizer : undefined);
}
