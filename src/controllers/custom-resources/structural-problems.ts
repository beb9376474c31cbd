// What keeps the schemas of definitions from being structural. A schema is walked once for each change of it: a definition is
// looked at several times until it is served.

import { asRuled } from '../../groups/apiextensions/spelling.ts';
import type { CustomResourceDefinition } from '../../groups/apiextensions/v1/custom-resource-definition-type.ts';
import { structuralProblems } from '../../groups/apiextensions/v1/definition-rules.ts';
import type { Dialect } from '../../meta/dialect.ts';

interface Found {
  readonly mark: string;
  readonly problems: string | undefined;
}

export class StructuralProblems {
  readonly #dialect: Dialect;
  readonly #found = new Map<string, Found>();

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /** As one text; undefined where there are none. */
  of(definition: CustomResourceDefinition): string | undefined {
    const { name = '', uid = '', generation = 0 } = definition.metadata;
    const mark = `${uid} ${generation}`;
    const known = this.#found.get(name);
    if (known?.mark === mark) return known.problems;
    const problems = structuralProblems(asRuled(definition, this.#dialect));
    this.#found.set(name, { mark, problems });
    return problems;
  }

  forget(name: string): void {
    this.#found.delete(name);
  }
}
