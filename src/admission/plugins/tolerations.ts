// Tolerations: which taints one covers, which covers which, and how lists of them are put together.

import { isSameJson } from '../../base/json/json.ts';
import type { PodSpec } from '../../groups/core/v1/pod/pod-spec.ts';

export type Toleration = NonNullable<PodSpec['tolerations']>[number];

/** Whether `one` tolerates everything that `other` does. */
export function covers(one: Toleration, other: Toleration): boolean {
  if (isSameJson(one, other)) return true;
  if (one.key !== other.key && (one.key || one.operator !== 'Exists')) return false;
  if (one.effect && one.effect !== other.effect) return false;
  if (one.effect === 'NoExecute' && !lastsAsLong(one, other)) return false;
  if (one.operator === 'Exists') return true;
  // no operator means that values are compared
  return (
    (one.operator || 'Equal') === 'Equal' && other.operator === 'Equal' && (one.value ?? '') === (other.value ?? '')
  );
}

function lastsAsLong({ tolerationSeconds: one }: Toleration, { tolerationSeconds: other }: Toleration): boolean {
  if (one === undefined) return true;
  return other !== undefined && BigInt(one) >= BigInt(other);
}

/** Each is compared with each; no honest list is longer, and a longer one stays as it is. */
const mostCompared = 500;

/** All of both lists, without those that another one covers; of two that are the same the first stays. */
export function mergedTolerations(first: readonly Toleration[], second: readonly Toleration[]): readonly Toleration[] {
  const all = [...first, ...second];
  if (all.length > mostCompared) return all;
  const merged: Toleration[] = [];
  all.forEach((one, index) => {
    const later = all.slice(index + 1).filter((other) => !isSameJson(one, other));
    if (![...merged, ...later].some((other) => covers(other, one))) merged.push(one);
  });
  return merged;
}

/** Whether the second list says something about a key and an effect that the first one knows, and does not say itself. */
export function conflict(first: readonly Toleration[], second: readonly Toleration[]): boolean {
  const place = ({ key = '', effect = '' }: Toleration) => JSON.stringify([key, effect]);
  const places = new Set(first.map(place));
  const said = new Set(first.map((one) => place(one) + complete(one)));
  return second.some((one) => places.has(place(one)) && !said.has(place(one) + complete(one)));
}

const complete = ({ operator, value = '', tolerationSeconds }: Toleration): string =>
  JSON.stringify([operator || 'Equal', value, String(tolerationSeconds)]);

/** The list with one more, which takes the place of one about the same taint. */
export function withToleration(tolerations: readonly Toleration[], added: Toleration): readonly Toleration[] {
  if (tolerations.some((one) => isSameJson(one, added))) return tolerations;
  const isSame = ({ key, effect, operator, value }: Toleration) =>
    key === added.key && effect === added.effect && operator === added.operator && value === added.value;
  const at = tolerations.findIndex(isSame);
  return at < 0 ? [...tolerations, added] : tolerations.with(at, added);
}
