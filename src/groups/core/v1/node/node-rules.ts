// What is wrong with a node, and what may not change about one.

import type { Dialect } from '../../../../meta/dialect.ts';
import { duplicate, forbiddenField, internalAt, invalidValue } from '../../../../meta/field-errors.ts';
import { findEach, findEachEntry } from '../../../../meta/find-each.ts';
import { parseRange } from '../../../../meta/ip.ts';
import { checkLabelValue, checkQualifiedName } from '../../../../meta/names.ts';
import { validateRange } from '../../../../meta/network-names.ts';
import { goQuoted } from '../../../../wording/go-format.ts';
import { inReferenceForm } from '../../../../wording/types/reference-form.ts';
import { checked, type ValidationErrors } from '../../../rules.ts';
import { validateTaintEffect } from '../pod/placement-rules.ts';
import { validateAmount } from '../pod/resource-names.ts';
import { validateAvoidedPods } from './node-avoided-pods.ts';
import type { Node } from './node-type.ts';

type Spec = NonNullable<Node['spec']>;

export function validateNode(node: Node, dialect: Dialect): ValidationErrors {
  return [
    ...validateAvoidedPods(node, dialect),
    ...validateOffers(node, dialect),
    ...validateRanges(node.spec?.podCIDRs ?? []),
  ];
}

/** Taints, and amounts of what there is. */
export function validateOffers({ spec = {}, status = {} }: Node, dialect: Dialect): ValidationErrors {
  return [
    ...validateTaints(spec.taints ?? []),
    ...(['capacity', 'allocatable'] as const).flatMap((part) =>
      findEachEntry(status[part] ?? {}, (name, text) => validateAmount(name, text, dialect, `status.${part}.${name}`)),
    ),
    ...validateSwap(status.nodeInfo?.swap?.capacity),
    ...validateFeatures(status.declaredFeatures ?? [], 'status.declaredFeatures'),
  ];
}

/** compat: reported below metadata, although it is in the status */
const validateSwap = (capacity: number | undefined): ValidationErrors =>
  capacity === undefined || capacity > 0
    ? []
    : [invalidValue('metadata.nodeSwapStatus.capacity', capacity, 'must be greater than zero')];

const featureForm = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/;
const featureAdvice =
  "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes";
const maxFeatureLength = 253;

/** Features are told in order, each once. */
function validateFeatures(names: readonly string[], at: string): ValidationErrors {
  return findEach(names, (name, i) => {
    const problem = featureProblem(name);
    const next = names[i + 1];
    return [
      ...(problem === undefined ? [] : [invalidValue(`${at}[${i}]`, name, problem)]),
      ...(next === name ? [duplicate(`${at}[${i + 1}]`, next)] : []),
      ...(next !== undefined && next < name
        ? [invalidValue(`${at}[${i + 1}]`, next, 'list must be sorted alphabetically')]
        : []),
    ];
  });
}

function featureProblem(name: string): string | undefined {
  const about = `invalid feature name ${goQuoted(name)}`;
  if (Buffer.byteLength(name) > maxFeatureLength)
    return `${about}: must be no more than ${maxFeatureLength} characters`;
  return featureForm.test(name) ? undefined : `${about}: ${featureAdvice}`;
}

// compat: validation errors about taints are reported below metadata, although taints are in the spec
function validateTaints(taints: NonNullable<Spec['taints']>): ValidationErrors {
  const seen = new Set<string>();
  return findEach(taints, (taint, i) => {
    const { key = '', value = '', effect } = taint;
    const at = `metadata.taints[${i}]`;
    const pair = `${key}:${effect}`;
    const repeated = seen.has(pair);
    seen.add(pair);
    const wrongValue = checkLabelValue(value).join(';');
    return [
      ...checked(`${at}.key`, key, checkQualifiedName),
      ...(wrongValue === '' ? [] : [invalidValue(`${at}.value`, value, wrongValue)]),
      ...validateTaintEffect(effect, `${at}.effect`),
      ...(repeated
        ? [duplicate(at, inReferenceForm('Taint', taint), 'taints must be unique by key and effect pair')]
        : []),
    ];
  });
}

function validateRanges(ranges: readonly string[]): ValidationErrors {
  const at = 'spec.podCIDRs';
  const malformed = findEach(ranges, (range, i) => validateRange(range, `${at}[${i}]`));
  if (ranges.length < 2) return malformed;
  const families = new Set(ranges.map((range) => range.includes(':')));
  const wrong = firstNoRange(ranges);
  const why = `failed to check with dual stack with error:invalid CIDR[${wrong}]: <nil> (invalid CIDR address: ${ranges[wrong]})`;
  const unclear = wrong < 0 ? [] : [internalAt(at, `invalid PodCIDRs. ${why}`)];
  if (wrong < 0 && ranges.length <= families.size) return malformed;
  return [...malformed, ...unclear, invalidValue(at, ranges, 'may specify no more than one CIDR for each IP family')];
}

function firstNoRange(ranges: readonly string[]): number {
  for (const [index, range] of ranges.entries()) {
    if (parseRange(range) === undefined) return index;
  }
  return -1;
}

export function validateNodeUpdate({ spec: next = {}, status = {} }: Node, { spec: old = {} }: Node): ValidationErrors {
  return [
    ...movedRanges(next.podCIDRs ?? [], old.podCIDRs ?? []),
    ...(old.providerID && old.providerID !== next.providerID
      ? [forbiddenField('spec.providerID', 'node updates may not change providerID except from "" to valid')]
      : []),
    ...repeatedAddresses(status.addresses ?? []),
    ...(next.externalID === old.externalID ? [] : [forbiddenField('spec.externalID', 'may not be updated')]),
  ];
}

/** Ranges are given once; each that is another now is one validation error. */
function movedRanges(next: readonly string[], old: readonly string[]): ValidationErrors {
  const moved = next.length === old.length ? old.filter((range, i) => range !== next[i]).length : 1;
  const detail = 'node updates may not change podCIDR except from "" to valid';
  return old.length === 0 ? [] : Array.from({ length: moved }, () => forbiddenField('spec.podCIDRs', detail));
}

function repeatedAddresses(addresses: NonNullable<NonNullable<Node['status']>['addresses']>): ValidationErrors {
  const seen = new Set<string>();
  return findEach(addresses, (one, i) => {
    const key = `${one.type} ${one.address}`;
    if (seen.has(key)) return [duplicate(`status.addresses[${i}]`, inReferenceForm('NodeAddress', one))];
    seen.add(key);
    return [];
  });
}
