// Expressions of the configuration as the rest of authentication sees them.

import type { JsonObject } from '../../base/json/json.ts';

/** A compiled expression. */
export interface Expression {
  readonly source: string;
  /** Whether `claims.<field>` stands somewhere in it. */
  usesClaim(field: string): boolean;
  /** The value as JSON; yields to other work. Fails with an Error if it cannot be computed. */
  evaluate(about: Readonly<JsonObject>): Promise<unknown>;
}

export type Compiled = { readonly expression: Expression } | { readonly error: string };

/** A rule holds or does not; a mapping makes a part of the user. */
export type Purpose = 'rule' | 'mapping';

/** Expressions are about the claims of a token, or about the user made of them. */
export interface ExpressionCompiler {
  claims(source: string, purpose: Purpose): Compiled;
  user(source: string): Compiled;
}

/** For configurations that come from flags. */
export const noExpressions: ExpressionCompiler = {
  claims: () => ({ error: 'there are no expressions here' }),
  user: () => ({ error: 'there are no expressions here' }),
};
