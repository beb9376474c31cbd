// Expressions over claims and users, in CEL.

import { isJsonObject } from '../../base/json/json.ts';
import { adapterOf, toJson } from '../../cel/adapt.ts';
import { children, type Expression as Node } from '../../cel/ast.ts';
import { compile, type Program } from '../../cel/compile.ts';
import { Environment } from '../../cel/environment.ts';
import { dyn, list, map, record, string } from '../../cel/types.ts';
import { type Adapter, JsonMap, ListValue } from '../../cel/values.ts';
import type { Dialect } from '../../meta/dialect.ts';
import type { Compiled, Expression, ExpressionCompiler, Purpose } from './expression.ts';

/** Environments are made when the first expression is met: most configurations have none. */
export function celExpressions({ vendor }: Dialect): ExpressionCompiler {
  let claims: Environment | undefined;
  let user: Environment | undefined;
  return {
    claims(source, purpose) {
      claims ??= new Environment({ variables: { claims: map(string, dyn) } });
      return compiled(source, 'claims', purpose, claims);
    },
    user(source) {
      user ??= new Environment({ variables: { user: record(`${vendor}.UserInfo`, userFields) } });
      return compiled(source, 'user', 'rule', user);
    },
  };
}

const userFields = { username: string, uid: string, groups: list(string), extra: map(string, list(string)) };

function compiled(source: string, variable: string, purpose: Purpose, environment: Environment): Compiled {
  const result = compile(source, environment);
  if ('errors' in result) return { error: result.errors.detail };
  // what a mapping makes of claims is known only when they are there
  if (purpose === 'rule' && result.program.type.is !== 'bool') return { error: 'must evaluate to bool' };
  return { expression: expressionOf(result.program, variable) };
}

function expressionOf(program: Program, variable: string): Expression {
  return {
    source: program.source,
    usesClaim: (field) => selects(program.checked.expression, field),
    async evaluate(about) {
      const outcome = program.evaluate({ [variable]: variable === 'claims' ? adaptClaim(about) : about });
      if ('error' in outcome) throw new Error(outcome.error);
      return toJson(outcome.value);
    },
  };
}

/** compat: every number in a claim is a floating one, whole or not */
const adaptClaim: Adapter = (raw) => {
  if (typeof raw === 'number' || typeof raw === 'bigint') return Number(raw);
  if (Array.isArray(raw)) return new ListValue(raw, adaptClaim);
  return isJsonObject(raw) ? new JsonMap(raw, adaptClaim) : adapterOf(dyn)(raw);
};

/** Whether `claims.field` or `claims.?field` stands somewhere in an expression. */
function selects(node: Node, field: string): boolean {
  if (node.is === 'select' && isClaims(node.operand) && node.field === field) return true;
  if (node.is === 'call' && node.name === '_?._') {
    const [operand, name] = node.args;
    if (operand && isClaims(operand) && name?.is === 'literal' && name.value === field) return true;
  }
  return children(node).some((child) => selects(child, field));
}

const isClaims = (node: Node) => node.is === 'identifier' && node.name === 'claims';
