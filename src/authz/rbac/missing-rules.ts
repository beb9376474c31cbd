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

  /** `rule` is the one that the uncovered box is a part of. */
  add(box: Box, rule: PolicyRule, index: number): void {
    const order = (rule.verbs ?? []).length <= maxOrdered ? (rule.verbs ?? []) : [];
    for (const { about, key, verbs } of rights(box)) {
      for (const verb of verbs) this.#list(about, key, verb, index * maxOrdered + order.indexOf(verb));
      if (this.#isFull) return;
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

interface Right {
  readonly about: PolicyRule;
  /** Rights with the same key share a line: verbs on the same resource do, those on the same path do not. */
  readonly key: string;
  readonly verbs: readonly string[];
}

/** One right after the other, since a box may hold millions. */
function* rights([verbs = [], ...about]: Box): Generator<Right> {
  const [groups = [], resources, names = [undefined]] = about;
  if (resources === undefined) yield* rightsOfPaths(verbs as readonly string[], groups as readonly string[]);
  for (const group of groups as readonly string[])
    for (const resource of (resources ?? []) as readonly string[])
      for (const name of names) {
        const named = name === undefined ? {} : { resourceNames: [name] };
        const key = JSON.stringify([group, resource, name]);
        yield {
          about: { apiGroups: [group], resources: [resource], ...named },
          key,
          verbs: verbs as readonly string[],
        };
      }
}

function* rightsOfPaths(verbs: readonly string[], paths: readonly string[]): Generator<Right> {
  for (const path of paths)
    for (const verb of verbs)
      yield { about: { nonResourceURLs: [path] }, key: JSON.stringify({ path, verb }), verbs: [verb] };
}
