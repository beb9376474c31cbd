// Expressions that must return certain types, and the errors of those that do not.

import type { WorkMeter } from '../base/time/work-meter.ts';
import { type CompileErrors, compile, type Program } from './compile.ts';
import type { Environment } from './environment.ts';
import { type CelType, declaredName, sameType } from './types.ts';

/** `isInternal`: the expression is well-formed, but a constant part of it fails. */
export type CompiledTo = { readonly program: Program } | { readonly fault: string; readonly isInternal?: true };

const faultOf = ({ detail, type }: CompileErrors): CompiledTo =>
  type === undefined ? { fault: detail } : { fault: detail, isInternal: true };

/** The program, if its value is of one of the types; without types, any value will do. */
export function compileTo(
  source: string,
  environment: Environment,
  types: readonly CelType[] = [],
  meter?: WorkMeter,
): CompiledTo {
  const compiled = compile(source, environment, meter);
  const type = 'errors' in compiled ? compiled.errors.type : compiled.program.type;
  if (type === undefined || types.length === 0 || types.some((allowedType) => sameType(allowedType, type)))
    return 'errors' in compiled ? faultOf(compiled.errors) : compiled;
  const [first, ...more] = types.map(declaredName);
  const expectedTypes = more.length === 0 ? first : `one of [${[first, ...more].join(' ')}]`;
  return { fault: `must evaluate to ${expectedTypes} but got ${declaredName(type)}` };
}
