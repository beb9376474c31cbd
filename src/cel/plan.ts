// From a checked tree to closures: names are slots, overloads are chosen, costs are settled as far as they can be.

import { fieldOf, indexOf, insertEntry, isPresent, optionalIndexOf, present } from './access.ts';
import { adapterOf } from './adapt.ts';
import type {
  Call,
  Comprehension,
  Expression,
  Identifier,
  ListLiteral,
  MapLiteral,
  ObjectLiteral,
  Select,
} from './ast.ts';
import type { Checked, Reference } from './check.ts';
import { listCost, mapCost, objectCost } from './cost.ts';
import type { Environment } from './environment.ts';
import { paid } from './failed-parts.ts';
import { fold } from './fold.ts';
import type { Evaluator, Frame } from './frame.ts';
import { constantOr, foldedOr, membership, orElse, planCall } from './plan-call.ts';
import { not } from './plan-quick.ts';
import { constant, isConstant, type Planned, readLocal, specials } from './planned.ts';
import { type CelType, dyn, type ObjectType, runtimeName } from './types.ts';
import {
  EntryMap,
  EvaluationError,
  ListValue,
  none,
  ObjectValue,
  OptionalValue,
  TypeValue,
  type Value,
} from './values.ts';
import { wellKnownMessage } from './well-known.ts';

export interface Plan {
  readonly run: Evaluator;
  readonly environment: Environment;
}

export function plan(checked: Checked, environment: Environment): Plan {
  const planner = new Planner(checked, environment);
  const run = planner.plan(checked.expression);
  return { run, environment };
}

class Planner {
  readonly #checked: Checked;
  readonly #environment: Environment;
  readonly #scope: { readonly name: string; readonly slot: number }[] = [];
  #locals = 0;

  constructor(checked: Checked, environment: Environment) {
    this.#checked = checked;
    this.#environment = environment;
  }

  plan(expression: Expression): Planned {
    switch (expression.is) {
      case 'literal':
        return constant(expression.value);
      case 'identifier':
        return this.#name(expression, 1);
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

  /** A variable or the name of a type. */
  #name(expression: Identifier | Select, cost: 0 | 1): Planned {
    const reference = this.#checked.references.get(expression) as Reference;
    if (reference.to === 'type') return constant(new TypeValue(runtimeName(reference.type)));
    const name = (reference as { readonly name: string }).name;
    const local = this.#scope.findLast((entry) => entry.name === name);
    if (local !== undefined) return readLocal(local.slot, cost);
    return this.#global(name.replace(/^\./, ''), cost);
  }

  #global(name: string, cost: 0 | 1): Evaluator {
    const index = this.#environment.slotOf(name);
    const adapt = adapterOf(this.#environment.variable(name) ?? dyn);
    return (frame) => {
      frame.charge(cost);
      const cachedGlobal = frame.globals[index];
      if (cachedGlobal !== undefined) return cachedGlobal;
      const raw = frame.raw(name);
      if (raw === undefined) throw new EvaluationError(`no such attribute(s): ${name}`);
      const value = adapt(raw);
      frame.globals[index] = value;
      return value;
    };
  }

  /** Names, selections and indexes: where the value is tested or used as a key, its root is free. */
  #path(expression: Expression): Planned {
    if (expression.is === 'identifier') return this.#name(expression, 0);
    if (expression.is === 'select' && !expression.test) {
      if (this.#checked.references.has(expression)) return this.#name(expression, 0);
      return this.#selection(expression, this.#path(expression.operand));
    }
    if (expression.is === 'call' && indexNames.has(expression.name))
      return this.#index(expression, this.#path(expression.args[0] as Expression));
    return this.plan(expression);
  }

  #select(expression: Select): Planned {
    if (this.#checked.references.has(expression)) return this.#name(expression, 1);
    if (!expression.test) return this.#selection(expression, this.#rooted(expression.operand));
    const operand = this.#path(expression.operand);
    const { field } = expression;
    return (frame) => {
      const value = operand(frame);
      frame.charge(1);
      return isPresent(value, field);
    };
  }

  /** The operand of a selection or index; an operand that is no path costs one as the root of this path. */
  #rooted(operand: Expression): Planned {
    const isPath =
      operand.is === 'identifier' ||
      (operand.is === 'select' && !operand.test) ||
      (operand.is === 'call' && (indexNames.has(operand.name) || operand.name === '_?_:_'));
    return isPath ? this.plan(operand) : withCost(1, this.plan(operand));
  }

  #selection({ field }: Select, operand: Planned): Planned {
    return selection(operand.path?.root ?? operand, [...(operand.path?.fields ?? []), field]);
  }

  #call(expression: Call): Planned {
    const special = specials[expression.name];
    if (special !== undefined) return special(this.#specialArgs(expression));
    if (indexNames.has(expression.name)) return this.#index(expression);
    const reference = this.#checked.references.get(expression) as Reference & { readonly to: 'function' };
    const parts =
      expression.target === undefined || reference.qualified
        ? expression.args
        : [expression.target, ...expression.args];
    const args = parts.map((part) => this.plan(part));
    if (reference.overloads[0]?.id.startsWith('optional_or')) return orElse(args, reference.name === 'orValue');
    const lookUp = membership(reference.name, args);
    if (lookUp !== undefined) return lookUp;
    if (reference.name === '!_') return not(args[0] as Planned);
    return foldedOr(planCall(reference, args), reference.name, args);
  }

  /** compat: of what a condition chooses, the root is free */
  #specialArgs({ name, args }: Call): readonly Planned[] {
    const isChoice = name === '_?_:_';
    return args.map((arg, index) => (isChoice && index > 0 ? this.#path(arg) : this.plan(arg)));
  }

  #index(expression: Call, target: Evaluator = this.#rooted(expression.args[0] as Expression)): Evaluator {
    const [, key] = expression.args as readonly [Expression, Expression];
    const index = this.#path(key);
    const isOptional = expression.name !== '_[_]';
    return (frame) => {
      const value = target(frame);
      if (isOptional || value instanceof OptionalValue) return charged(frame, optionalIndexOf(value, index(frame)));
      return indexOf(value, paid(index, 1, frame));
    };
  }

  #list({ items }: ListLiteral): Planned {
    const parts = items.map(({ value }) => this.plan(value));
    const optional = items.map((item) => item.optional);
    const make = (values: readonly Value[]): ListValue =>
      optional.includes(true)
        ? new ListValue(values.flatMap((value, index) => (optional[index] ? present(value) : [value])))
        : new ListValue(values);
    if (parts.every(isConstant)) return constant(make(parts.map((part) => part.constant as Value)));
    const values = (frame: Frame) => parts.map((part) => part(frame));
    return (frame) => make(paid(values, listCost, frame));
  }

  #map({ entries }: MapLiteral): Planned {
    const parts = entries.map(({ key, value, optional }) => ({
      key: this.plan(key),
      value: this.plan(value),
      optional,
    }));
    const run = (frame: Frame): EntryMap => {
      const map = new EntryMap();
      for (const { key, value, optional } of parts) insertEntry(map, key(frame), value(frame), optional);
      return map;
    };
    if (parts.every(({ key, value }) => isConstant(key) && isConstant(value))) return constantOr(run);
    return (frame) => paid(run, mapCost, frame);
  }

  #object(expression: ObjectLiteral): Evaluator {
    const type = this.#checked.types.get(expression) as CelType;
    const message = type.is === 'object' ? undefined : wellKnownMessage(expression.typeName.replace(/^\./, ''));
    const parts = expression.fields.map(({ name, value, optional }) => ({
      key: (type.is === 'object' ? type.fields.field(name)?.key : undefined) ?? name,
      value: this.plan(value),
      optional,
    }));
    const read = (frame: Frame): Record<string, Value> => {
      const fields = Object.create(null) as Record<string, Value>;
      for (const { key, value, optional } of parts) {
        const source = value(frame);
        const [presentValue] = optional ? present(source) : [source];
        if (presentValue !== undefined) fields[key] = presentValue;
      }
      return fields;
    };
    return (frame) => {
      const fields = paid(read, objectCost, frame);
      return message === undefined ? new ObjectValue(type as ObjectType, fields, adapterOf) : message.make(fields);
    };
  }

  #comprehension(expression: Comprehension): Evaluator {
    const range = this.plan(expression.range);
    const start = this.plan(expression.start);
    const depth = this.#scope.length;
    const accumulator = this.#declare(expression.accumulator);
    const variable = this.#declare(expression.variable);
    const second = expression.second === undefined ? undefined : this.#declare(expression.second);
    const condition = this.plan(expression.condition);
    const step = this.plan(expression.step);
    this.#scope.length = depth + 1;
    const result = this.plan(expression.result);
    this.#scope.length = depth;
    return fold({ range, start, accumulator, variable, second, condition, step, result });
  }

  #declare(name: string): number {
    const slot = this.#locals++;
    this.#scope.push({ name, slot });
    return slot;
  }
}

const indexNames = new Set(['_[_]', '_[?_]', '_?._']);

/** One field after the other, in one go. */
function selection(root: Evaluator, fields: readonly string[]): Planned {
  const select = (frame: Frame): Value => {
    let value = root(frame);
    for (const field of fields) {
      if (value instanceof OptionalValue) value = charged(frame, fieldOf(value, field));
      else {
        frame.charge(1);
        value = fieldOf(value, field);
      }
    }
    return value;
  };
  return Object.assign(select, { path: { root, fields } });
}

/** What an optional step finds costs one, and nothing where there is nothing. */
function charged(frame: Frame, found: Value): Value {
  if (found !== none) frame.charge(1);
  return found;
}

function withCost(cost: number, planned: Planned): Planned {
  if (cost === 0) return planned;
  return (frame) => paid(planned, cost, frame);
}
