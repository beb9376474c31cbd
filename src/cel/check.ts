// The type checker: gives every part of a tree its type, and every name and call its meaning.

import {
  type Call,
  type Comprehension,
  type Expression,
  type Identifier,
  type ListLiteral,
  type MapLiteral,
  type ObjectLiteral,
  qualifiedName,
  type Select,
} from './ast.ts';
import type { Overload } from './declarations.ts';
import type { Environment } from './environment.ts';
import { vendorName } from './library/vendor.ts';
import type { Issue } from './source.ts';
import {
  bool,
  bytes,
  type CelType,
  double,
  dyn,
  errorType,
  formatSignature,
  formatType,
  int,
  isDynamic,
  list,
  map,
  nullType,
  type ObjectField,
  type OpaqueType,
  optional,
  optionalName,
  param,
  sameType,
  string,
  typeOfType,
  uint,
} from './types.ts';
import { fresh, mostGeneral, Substitution } from './unify.ts';
import { UintValue, type Value } from './values.ts';
import { type WellKnownMessage, wellKnownMessage } from './well-known.ts';

/** What a name or a call means. */
export type Reference =
  | { readonly to: 'variable'; readonly name: string }
  | { readonly to: 'type'; readonly type: CelType }
  | {
      readonly to: 'function';
      readonly name: string;
      readonly overloads: readonly Overload[];
      /** The target is a part of the function's name, as in `optional.of(1)`. */
      readonly qualified: boolean;
    };

export interface Checked {
  readonly expression: Expression;
  readonly types: ReadonlyMap<Expression, CelType>;
  readonly references: ReadonlyMap<Expression, Reference>;
}

export function checkTypes(expression: Expression, environment: Environment): Checked | { readonly issues: Issue[] } {
  const checker = new Checker(environment);
  checker.check(expression);
  return checker.issues.length > 0 ? { issues: checker.issues } : checker.result(expression);
}

/** The element type when the type is an optional. */
export function unwrapped(type: CelType): CelType | undefined {
  return type.is === 'opaque' && type.name === optionalName ? (type as OpaqueType).params[0] : undefined;
}

class Checker {
  readonly issues: Issue[] = [];
  readonly #environment: Environment;
  readonly #types = new Map<Expression, CelType>();
  readonly #references = new Map<Expression, Reference>();
  readonly #locals: { readonly name: string; readonly type: CelType }[] = [];
  readonly #bound = new Substitution();
  #fresh = 0;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  result(expression: Expression): Checked {
    this.#bound.settle();
    for (const [part, type] of this.#types) {
      this.#types.set(part, this.#bound.apply(type, dyn));
    }
    return { expression, types: this.#types, references: this.#references };
  }

  check(expression: Expression): CelType {
    const type = this.#typeOf(expression);
    this.#types.set(expression, type);
    return type;
  }

  #typeOf(expression: Expression): CelType {
    switch (expression.is) {
      case 'literal':
        return literalType(expression.value);
      case 'identifier':
        return this.#identifier(expression);
      case 'select':
        return this.#select(expression);
      case 'call':
        return this.#call(expression);
      case 'list':
        return this.#list(expression);
      case 'map':
        return this.#map(expression);
      case 'object':
        return this.#object(expression);
      case 'comprehension':
        return this.#comprehension(expression);
    }
  }

  #report({ at }: { readonly at: number }, message: string): CelType {
    this.issues.push({ at, message });
    return errorType;
  }

  #undeclared(at: { readonly at: number }, name: string): CelType {
    return this.#report(at, `undeclared reference to '${name}' (in container '')`);
  }

  /** Records the meaning of a name, if it has one. */
  #lookUp(expression: Expression, name: string): CelType | undefined {
    const global = name.startsWith('.') ? name.slice(1) : undefined;
    const local = global === undefined ? this.#locals.findLast((entry) => entry.name === name) : undefined;
    const variable = local?.type ?? this.#environment.variable(global ?? name);
    if (variable !== undefined) {
      this.#references.set(expression, { to: 'variable', name });
      return variable;
    }
    const type = this.#environment.typeNamed(global ?? name);
    if (type === undefined) return undefined;
    this.#references.set(expression, { to: 'type', type });
    return typeOfType(type);
  }

  #identifier(expression: Identifier): CelType {
    return this.#lookUp(expression, expression.name) ?? this.#undeclared(expression, expression.name);
  }

  #select(expression: Select): CelType {
    const name = expression.test ? undefined : qualifiedName(expression);
    const named = name === undefined ? undefined : this.#lookUp(expression, name);
    if (named !== undefined) return named;
    const target = this.#bound.apply(this.check(expression.operand));
    const inner = unwrapped(target);
    const field = this.#fieldType(expression, inner ?? target, expression.field);
    if (expression.test) return bool;
    return inner === undefined ? field : optional(field);
  }

  #fieldType(at: { readonly at: number }, target: CelType, field: string): CelType {
    switch (target.is) {
      case 'error':
      case 'dyn':
      case 'any':
        return dyn;
      case 'map':
        return target.of;
      case 'object':
        return target.fields.field(field)?.type ?? this.#report(at, `undefined field '${field}'`);
      case 'param':
        this.#bound.isAssignable(target, dyn);
        return dyn;
      default:
        return this.#report(at, unselectable(target));
    }
  }

  #call(expression: Call): CelType {
    if (expression.name === '_?._') return this.#optionalSelect(expression);
    const qualified = this.#qualifiedFunction(expression);
    if (qualified !== undefined) {
      const types = expression.args.map((arg) => this.check(arg));
      return this.#resolve(expression, { name: qualified, types, isMember: false, qualified: true });
    }
    const parts = expression.target === undefined ? expression.args : [expression.target, ...expression.args];
    const types = parts.map((part) => this.check(part));
    const name = expression.name.replace(/^\./, '');
    if (name === '_&&_' || name === '_||_') return this.#logical(expression, name, types);
    return this.#resolve(expression, { name, types, isMember: expression.target !== undefined, qualified: false });
  }

  /** Reports each side that is not a bool. */
  #logical(expression: Call, name: string, types: readonly CelType[]): CelType {
    for (const [index, type] of types.entries())
      if (!this.#bound.isAssignable(type, bool)) this.#mismatch(expression.args[index] as Expression, bool, type);
    const overloads = this.#environment.overloads(name) ?? [];
    this.#references.set(expression, { to: 'function', name, overloads, qualified: false });
    return bool;
  }

  /** `strings.quote` is a function when it is declared under that name. */
  #qualifiedFunction({ target, name }: Call): string | undefined {
    const prefix = target && qualifiedName(target);
    const full = prefix === undefined ? undefined : `${prefix.replace(/^\./, '')}.${name}`;
    return full !== undefined && this.#environment.overloads(full) !== undefined ? full : undefined;
  }

  #optionalSelect(expression: Call): CelType {
    const [operand, field] = expression.args as readonly [Expression, Expression];
    const target = this.#bound.apply(this.check(operand));
    this.check(field);
    const name = field.is === 'literal' ? String(field.value) : '';
    return optional(this.#fieldType(expression, unwrapped(target) ?? target, name));
  }

  #resolve(
    expression: Call,
    call: { name: string; types: readonly CelType[]; isMember: boolean; qualified: boolean },
  ): CelType {
    const declared = this.#environment.overloads(call.name);
    if (declared === undefined) return this.#undeclared(expression, call.name);
    const overloads: Overload[] = [];
    let result: CelType | undefined;
    for (const overload of declared) {
      if (overload.member !== call.isMember || overload.args.length !== call.types.length) continue;
      const [type, ...args] = fresh([overload.result, ...overload.args], `#${this.#fresh++}`) as [
        CelType,
        ...CelType[],
      ];
      if (!this.#bound.areAssignable(call.types, args)) continue;
      overloads.push(overload);
      const appliedType = this.#bound.apply(type);
      result = result === undefined || sameType(result, appliedType) ? appliedType : dyn;
    }
    if (result === undefined) return this.#noOverload(expression, call);
    this.#references.set(expression, { to: 'function', name: call.name, overloads, qualified: call.qualified });
    return result;
  }

  #noOverload(at: Call, { name, types, isMember }: { name: string; types: readonly CelType[]; isMember: boolean }) {
    const signature = formatSignature(
      types.map((type) => this.#bound.apply(type)),
      isMember,
    );
    return this.#report(at, `found no matching overload for '${name}' applied to '${signature}'`);
  }

  #list(expression: ListLiteral): CelType {
    let element: CelType | undefined;
    for (const { value, optional: isOptional } of expression.items) {
      const type = this.#entry(value, this.check(value), isOptional);
      element = this.#join(element, type);
    }
    return list(element ?? this.#variable());
  }

  #map(expression: MapLiteral): CelType {
    let key: CelType | undefined;
    let of: CelType | undefined;
    for (const entry of expression.entries) {
      key = this.#join(key, this.check(entry.key));
      of = this.#join(of, this.#entry(entry.value, this.check(entry.value), entry.optional));
    }
    return map(key ?? this.#variable(), of ?? this.#variable());
  }

  /** An entry that may be left out has to be an optional. */
  #entry(at: Expression, type: CelType, isOptional: boolean): CelType {
    if (!isOptional) return type;
    const boundType = this.#bound.apply(type);
    const inner = unwrapped(boundType);
    if (inner !== undefined) return inner;
    if (!isDynamic(boundType) && boundType.is !== 'error') this.#mismatch(at, optional(boundType), boundType);
    return boundType;
  }

  #variable(): CelType {
    return param(`_var${this.#fresh++}`);
  }

  /** Entries of different types make the type dynamic. Most literals may not have them (`checkingLiterals`). */
  #join(previous: CelType | undefined, next: CelType): CelType {
    if (previous === undefined) return next;
    return this.#bound.isAssignable(next, previous) ? mostGeneral(previous, next) : dyn;
  }

  #mismatch(at: { readonly at: number }, expected: CelType, found: CelType): void {
    const [first, second] = [expected, found].map((type) => formatType(this.#bound.apply(type)));
    this.#report(at, `expected type '${first}' but found '${second}'`);
  }

  #object(expression: ObjectLiteral): CelType {
    const name = expression.typeName.replace(/^\./, '');
    const type = this.#environment.typeNamed(name);
    const message = wellKnownMessage(name);
    if (type === undefined && message === undefined) return this.#undeclared(expression, expression.typeName);
    for (const field of expression.fields) this.check(field.value);
    if (message !== undefined && type?.is !== 'object') return this.#message(expression, message);
    if (type?.is !== 'object') return this.#report(expression, `'${name}' is not a message type`);
    for (const field of expression.fields) this.#objectField(field, type.fields.field(field.name));
    return type;
  }

  #message(expression: ObjectLiteral, { type, fields }: WellKnownMessage): CelType {
    for (const field of expression.fields)
      this.#objectField(field, Object.hasOwn(fields, field.name) ? { type: fields[field.name] as CelType } : undefined);
    return type;
  }

  #objectField(
    { at, name, value, optional: isOptional }: ObjectLiteral['fields'][number],
    known: ObjectField | undefined,
  ): void {
    if (known === undefined) {
      this.#report({ at }, `undefined field '${name}'`);
      return;
    }
    const type = this.#entry(value, this.#types.get(value) as CelType, isOptional);
    if (this.#bound.isAssignable(type, known.type)) return;
    const [field, found] = [known.type, type].map((each) => formatType(this.#bound.apply(each)));
    this.#report({ at }, `expected type of field '${name}' is '${field}' but provided type is '${found}'`);
  }

  #comprehension(expression: Comprehension): CelType {
    const range = this.#bound.apply(this.check(expression.range));
    const start = this.check(expression.start);
    const variables = this.#rangeTypes(expression, range);
    const depth = this.#locals.length;
    this.#locals.push({ name: expression.accumulator, type: start });
    this.#locals.push(...variables);
    this.#assert(expression.condition, this.check(expression.condition), bool);
    this.#assert(expression.step, this.check(expression.step), start);
    this.#locals.length = depth + 1;
    const result = this.check(expression.result);
    this.#locals.length = depth;
    return result;
  }

  #rangeTypes({ range, variable, second }: Comprehension, type: CelType): { name: string; type: CelType }[] {
    const both = (first: CelType, value: CelType, single: CelType) =>
      second === undefined
        ? [{ name: variable, type: single }]
        : [
            { name: variable, type: first },
            { name: second, type: value },
          ];
    switch (type.is) {
      case 'list':
        return both(int, type.of, type.of);
      case 'map':
        return both(type.key, type.of, type.key);
      case 'dyn':
      case 'error':
      case 'param':
        return both(dyn, dyn, dyn);
      default: {
        const typeName = formatType(type);
        this.#report(
          range,
          `expression of type '${typeName}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return both(errorType, errorType, errorType);
      }
    }
  }

  #assert(expression: Expression, found: CelType, expected: CelType): void {
    if (!this.#bound.isAssignable(found, expected)) this.#mismatch(expression, expected, found);
  }
}

function literalType(value: Value): CelType {
  switch (typeof value) {
    case 'bigint':
      return int;
    case 'number':
      return double;
    case 'boolean':
      return bool;
    case 'string':
      return string;
    default:
      if (value instanceof UintValue) return uint;
      return value instanceof Uint8Array ? bytes : nullType;
  }
}

/** compat: types of Kubernetes' own libraries count as messages whose definition is missing */
function unselectable(type: CelType): string {
  const isVendors = type.is === 'opaque' && type.name.startsWith(vendorName(''));
  return isVendors
    ? `unexpected failed resolution of '${type.name}'`
    : `type '${formatType(type)}' does not support field selection`;
}
