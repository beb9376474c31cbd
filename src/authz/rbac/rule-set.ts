// The rules of one role, by the resources they speak of: a large role has dozens, and a question concerns few of them.

import type { AccessAttributes, PolicyRule } from '../../meta/access.ts';
import { allows, namesOf } from './rules.ts';

const none: readonly PolicyRule[] = [];

export class RuleSet {
  readonly rules: readonly PolicyRule[];
  /** Arranged with the first decision: most roles never take part in one. */
  #byResource: ReadonlyMap<string, readonly PolicyRule[]> | undefined;

  readonly #isHuge: boolean;

  constructor(rules: readonly PolicyRule[]) {
    this.rules = rules;
    this.#isHuge = rules.reduce((sum, { resources }) => sum + (resources?.length ?? 0), 0) > maxArranged;
  }

  allows(attributes: AccessAttributes): boolean {
    if (!attributes.isResource || this.#isHuge) return this.rules.some((rule) => allows(rule, attributes));
    this.#byResource ??= byResource(this.rules);
    for (const name of namesOf(attributes.resource, attributes.subresource))
      for (const rule of this.#byResource.get(name) ?? none) if (allows(rule, attributes)) return true;
    return false;
  }
}

/** Words of the resources of a role that is arranged in one go; above this it would hold up other requests. */
const maxArranged = 20_000;

function byResource(rules: readonly PolicyRule[]): ReadonlyMap<string, readonly PolicyRule[]> {
  const arranged = new Map<string, PolicyRule[]>();
  for (const rule of rules)
    for (const name of rule.resources ?? []) {
      const sameResource = arranged.get(name);
      if (sameResource === undefined) arranged.set(name, [rule]);
      else sameResource.push(rule);
    }
  return arranged;
}
