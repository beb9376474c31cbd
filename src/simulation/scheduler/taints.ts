// Taints of nodes and the pods that tolerate them.

import type { PodSpec } from '../../groups/core/v1/pod/pod-spec.ts';
import type { Taint } from './node-entry.ts';

export type Toleration = NonNullable<PodSpec['tolerations']>[number];

export function tolerates({ key = '', operator, value = '', effect = '' }: Toleration, taint: Taint): boolean {
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  switch (operator) {
    case 'Exists':
      return true;
    case 'Lt':
    case 'Gt':
      return compares(operator, taint.value ?? '', value);
    default:
      return value === (taint.value ?? '');
  }
}

const integer = /^-?\d{1,18}$/;

function compares(operator: 'Lt' | 'Gt', value: string, bound: string): boolean {
  if (!integer.test(value) || !integer.test(bound)) return false;
  return operator === 'Lt' ? BigInt(value) < BigInt(bound) : BigInt(value) > BigInt(bound);
}

export const isTolerated = (taint: Taint, tolerations: readonly Toleration[]): boolean =>
  tolerations.some((toleration) => tolerates(toleration, taint));

/** Whether no taint keeps new pods with these tolerations away. */
export const toleratesPlacement = (taints: readonly Taint[], tolerations: readonly Toleration[]): boolean =>
  taints.every((taint) => taint.effect === 'PreferNoSchedule' || isTolerated(taint, tolerations));
