// The rights that a user would have to hold, as errors list them: sorted, and no more than a person would read.

import type { PolicyRule } from '../../meta/access.ts';
import type { Box } from './held-rules.ts';
import { describeRule } from './rules.ts';

const maxLines = 100;
const maxText = 32 * 1024;
/** Verbs are listed as the role has them, unless it has more than a person would compare. */
const maxOrdered = 1000;

interface Line {
  readonly about: PolicyRule;
  /** By verb, where the role has it. */
  readonly ranks: Map<string, number>;
}

interface About {
  readonly groups: readonly string[];
  readonly resources: readonly string[];
  readonly names: readonly (string | undefined)[];
}

type Rank = (verb: string) => number;

export class MissingRules {
  readonly #lines = new Map<string, Line>();
  #text = 0;
  #isFull = false;

  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  /** Whether there is more than is listed; nothing further need be found then. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** `rule` is the one that the uncovered box is a part of. Returns whether nothing further need be found. */
  add([verbs = [], ...about]: Box, rule: PolicyRule, index: number): boolean {
    const order = (rule.verbs ?? []).length <= maxOrdered ? (rule.verbs ?? []) : [];
    const rankOf = (verb: string) => index * maxOrdered + order.indexOf(verb);
    const [groups = [], resources, names = [undefined]] = about as readonly (readonly string[])[];
    if (resources === undefined) this.#addPaths(verbs as readonly string[], groups, rankOf);
    else this.#addResources(verbs as readonly string[], { groups, resources, names }, rankOf);
    return this.#isFull;
  }

  /** Verbs on the same resource share a line. A box may hold millions of rights. */
  #addResources(verbs: readonly string[], { groups, resources, names }: About, rankOf: Rank): void {
    for (const group of groups)
      for (const resource of resources)
        for (const name of names) {
          if (this.#isFull) return;
          const named = name === undefined ? {} : { resourceNames: [name] };
          const about = { apiGroups: [group], resources: [resource], ...named };
          const key = JSON.stringify([group, resource, name]);
          for (const verb of verbs) this.#list(about, key, verb, rankOf(verb));
        }
  }

  /** Verbs on the same path have a line each. */
  #addPaths(verbs: readonly string[], paths: readonly string[], rankOf: Rank): void {
    for (const path of paths)
      for (const verb of verbs) {
        if (this.#isFull) return;
        this.#list({ nonResourceURLs: [path] }, JSON.stringify({ path, verb }), verb, rankOf(verb));
      }
  }

  #list(about: PolicyRule, key: string, verb: string, rank: number): void {
    const line = this.#lines.get(key) ?? { about, ranks: new Map<string, number>() };
    if (this.#isFull || line.ranks.has(verb)) return;
    this.#isFull = this.#text > maxText || (line.ranks.size === 0 && this.#lines.size === maxLines);
    if (this.#isFull) return;
    this.#text += verb.length + (line.ranks.size === 0 ? key.length : 0);
    line.ranks.set(verb, rank);
    this.#lines.set(key, line);
  }

  /** One line a right; a last one where there are more. */
  describe(): string {
    const lines = [...this.#lines.values()].map(({ about, ranks }) => {
      const verbs = [...ranks].sort(([, a], [, b]) => a - b).map(([verb]) => verb);
      return describeRule({ ...about, verbs });
    });
    const text = lines.sort().join('\n');
    if (text.length > 2 * maxText) return `${text.slice(0, 2 * maxText)}... and more`;
    return this.#isFull ? `${text}\n... and more` : text;
  }
}
