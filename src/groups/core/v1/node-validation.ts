// What is wrong with a node, and what may not change about one.

import { isDeepStrictEqual } from 'node:util';
import { duplicate, forbiddenField, invalidValue } from '../../../meta/field-errors.ts';
import { checkLabelValue, checkQualifiedName } from '../../../meta/names.ts';
import { validateRange } from '../../../meta/network-names.ts';
import { checked, type Findings } from '../../rules.ts';
import type { Node } from './node.ts';
import { validateTaintEffect } from './placement-validation.ts';
import { validateAmount } from './resource-validation.ts';

type Spec = NonNullable<Node['spec']>;

export function validateNode({ spec = {}, status = {} }: Node): Findings {
  return [
    ...validateTaints(spec.taints ?? []),
    ...(['capacity', 'allocatable'] as const).flatMap((part) =>
      Object.entries(status[part] ?? {}).flatMap(([name, text]) =>
        validateAmount(name, text, `status.${part}.${name}`),
      ),
    ),
    ...validateRanges(spec.podCIDRs ?? []),
  ];
}

// compat: findings about taints are reported below metadata, although taints are in the spec
function validateTaints(taints: NonNullable<Spec['taints']>): Findings {
  const seen = new Set<string>();
  return taints.flatMap((taint, i) => {
    const { key = '', value = '', effect } = taint;
    const at = `metadata.taints[${i}]`;
    const pair = `${key}:${effect}`;
    const repeated = seen.has(pair);
    seen.add(pair);
    return [
      ...checked(`${at}.key`, key, checkQualifiedName),
      ...checked(`${at}.value`, value, checkLabelValue),
      ...validateTaintEffect(effect, `${at}.effect`),
      ...(repeated ? [duplicate(at, taint)] : []),
    ];
  });
}

function validateRanges(ranges: readonly string[]): Findings {
  const at = 'spec.podCIDRs';
  const findings = ranges.flatMap((range, i) => validateRange(range, `${at}[${i}]`));
  const families = new Set(ranges.map((range) => range.includes(':')));
  if (findings.length > 0 || ranges.length <= families.size) return findings;
  return [invalidValue(at, ranges, 'may specify no more than one CIDR for each IP family')];
}

const otherFields =
  'node updates may only change labels, taints, or capacity (or configSource, if the DynamicKubeletConfig feature gate is enabled)';

export function validateNodeUpdate({ spec: next = {}, status = {} }: Node, { spec: old = {} }: Node): Findings {
  const was = old.podCIDRs ?? [];
  return [
    ...(was.length > 0 && !isDeepStrictEqual(was, next.podCIDRs ?? [])
      ? [forbiddenField('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid')]
      : []),
    ...(old.providerID && old.providerID !== next.providerID
      ? [forbiddenField('spec.providerID', 'node updates may not change providerID except from "" to valid')]
      : []),
    ...repeatedAddresses(status.addresses ?? []),
    ...(isDeepStrictEqual(fixedPart(next), fixedPart(old)) ? [] : [forbiddenField('', otherFields)]),
  ];
}

/** What neither rules of its own nor anybody lets change. */
function fixedPart(spec: Spec): Spec {
  const { podCIDR: _, podCIDRs: _s, providerID: _p, unschedulable: _u, taints: _t, configSource: _c, ...rest } = spec;
  return rest;
}

function repeatedAddresses(addresses: NonNullable<NonNullable<Node['status']>['addresses']>): Findings {
  const seen = new Set<string>();
  return addresses.flatMap((one, i) => {
    const key = `${one.type} ${one.address}`;
    if (seen.has(key)) return [duplicate(`status.addresses[${i}]`, one)];
    seen.add(key);
    return [];
  });
}
