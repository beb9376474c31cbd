// Versions of custom resources that clients should leave.

import type { CustomResourceDefinition } from '../groups/apiextensions/v1/custom-resource-definition-type.ts';
import type { Deprecation } from '../schema/resource.ts';

type Spec = NonNullable<CustomResourceDefinition['spec']>;
export type CustomVersion = NonNullable<Spec['versions']>[number];

/** Undefined for a version that is as good as any. */
export function deprecationOf(version: CustomVersion, spec: Spec): Deprecation | undefined {
  if (!version.deprecated) return undefined;
  return { since: 0, warning: version.deprecationWarning ?? defaultWarning(version.name ?? '', spec) };
}

function defaultWarning(name: string, { group = '', names, versions = [] }: Spec): string {
  const kind = names?.kind ?? '';
  const better = versions
    .filter((one) => one.served && !one.deprecated && compareVersions(one.name ?? '', name) > 0)
    .map((one) => one.name ?? '')
    .sort((a, b) => compareVersions(b, a));
  const advice = better[0] === undefined ? '' : `; use ${group}/${better[0]} ${kind}`;
  return `${group}/${name} ${kind} is deprecated${advice}`;
}

const stages: Readonly<Record<string, number>> = { alpha: 0, beta: 1 };
const form = /^v(\d+)(?:(alpha|beta)(\d+))?$/;

/** `v2` is above `v1`, which is above `v1beta2`, which is above `v1alpha1`; other names come after those, by the alphabet. */
function compareVersions(a: string, b: string): number {
  const [x, y] = [rankOf(a), rankOf(b)];
  if (x === undefined || y === undefined) return x ? 1 : y ? -1 : a < b ? 1 : a > b ? -1 : 0;
  const differing = x.findIndex((part, index) => part !== y[index]);
  return differing < 0 ? 0 : (x[differing] as number) - (y[differing] as number);
}

/** How stable first, then the number, then the number of the stage. */
function rankOf(version: string): readonly number[] | undefined {
  const [, major, stage, minor = '0'] = form.exec(version) ?? [];
  if (major === undefined) return undefined;
  return [stage === undefined ? 2 : (stages[stage] as number), Number(major), Number(minor)];
}
