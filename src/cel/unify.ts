// Whether a value of one type may be used where another is required, with type parameters bound on the way.

import { type CelType, dyn, isDynamic, type ParamType, type PlainType, sameType } from './types.ts';

/** What type parameters stand for. Failed attempts are undone from a trail, so that trying costs no copy. */
export class Substitution {
  readonly #bound = new Map<string, CelType>();
  readonly #trail: { readonly name: string; readonly before: CelType | undefined }[] = [];

  find({ name }: ParamType): CelType | undefined {
    return this.#bound.get(name);
  }

  /** Binds parameters only if every type fits. */
  areAssignable(from: readonly CelType[], to: readonly CelType[]): boolean {
    if (from.length !== to.length) return false;
    const mark = this.#trail.length;
    const fits = from.every((type, index) => this.#isAssignable(type, to[index] as CelType));
    if (!fits) this.#undo(mark);
    return fits;
  }

  isAssignable(from: CelType, to: CelType): boolean {
    return this.areAssignable([from], [to]);
  }

  /** The type with its bound parameters filled in; with `rest`, unbound ones become that. */
  apply(type: CelType, rest?: CelType): CelType {
    switch (type.is) {
      case 'param': {
        const end = this.#endOf(type);
        if (end.is === 'param') return rest ?? end;
        return this.apply(end, rest);
      }
      case 'list':
        return { is: 'list', of: this.apply(type.of, rest) };
      case 'map':
        return { is: 'map', key: this.apply(type.key, rest), of: this.apply(type.of, rest) };
      case 'opaque':
        return type.params.length === 0
          ? type
          : { ...type, params: type.params.map((inner) => this.apply(inner, rest)) };
      case 'type':
        return type.of === undefined ? type : { is: 'type', of: this.apply(type.of, rest) };
      default:
        return type;
    }
  }

  /** Makes every parameter stand for the last of its chain: `apply` is quick then, and nothing may be undone any more. */
  settle(): void {
    for (const name of this.#bound.keys()) {
      this.#shorten(name);
    }
  }

  #shorten(name: string): void {
    const end = this.#endOf({ is: 'param', name });
    let at = name;
    for (let bound = this.#bound.get(at); bound?.is === 'param' && bound !== end; bound = this.#bound.get(at)) {
      this.#bound.set(at, end);
      at = bound.name;
    }
  }

  /** What a chain of parameters that stand for each other ends with; such a chain may be too long to recurse. */
  #endOf(parameter: ParamType): CelType {
    let end: CelType = parameter;
    for (let bound = this.find(parameter); bound !== undefined; bound = this.find(bound)) {
      end = bound;
      if (bound.is !== 'param') break;
    }
    return end;
  }

  #bind({ name }: ParamType, type: CelType): void {
    this.#trail.push({ name, before: this.#bound.get(name) });
    this.#bound.set(name, type);
  }

  #undo(mark: number): void {
    while (this.#trail.length > mark) {
      const { name, before } = this.#trail.pop() as { name: string; before: CelType | undefined };
      if (before === undefined) this.#bound.delete(name);
      else this.#bound.set(name, before);
    }
  }

  #isAssignable(from: CelType, to: CelType): boolean {
    if (to.is === 'param') {
      const outcome = this.#substitutes(from, to);
      if (outcome !== 'unknown') return outcome === 'fits';
    }
    if (from.is === 'param') return this.#substitutes(to, from) === 'fits';
    if (isDynOrError(from) || isDynOrError(to)) return true;
    if (from.is === 'null') return isNullable(to);
    if (to.is === 'null') return isNullable(from);
    return from.is === to.is && this.#sameShape(from, to);
  }

  #sameShape(from: CelType, to: CelType): boolean {
    switch (from.is) {
      case 'list':
        return to.is === 'list' && this.#isAssignable(from.of, to.of);
      case 'map':
        return to.is === 'map' && this.#isAssignable(from.key, to.key) && this.#isAssignable(from.of, to.of);
      case 'object':
        return to.is === 'object' && from.fields.name === to.fields.name;
      case 'opaque':
        return (
          to.is === 'opaque' &&
          from.name === to.name &&
          from.params.length === to.params.length &&
          from.params.every((inner, index) => this.#isAssignable(inner, to.params[index] as CelType))
        );
      default:
        return true;
    }
  }

  /** Whether the parameter may stand for the type. */
  #substitutes(type: CelType, parameter: ParamType): 'fits' | 'fits not' | 'unknown' {
    if (sameType(type, parameter)) return 'fits';
    const bound = this.find(parameter);
    if (bound !== undefined) {
      if (sameType(type, bound)) return 'fits';
      if (!this.#isAssignable(type, bound)) return 'fits not';
      const general = mostGeneral(type, bound);
      // parameters that stood for each other in a circle would be followed for ever
      if (!this.#occursIn(parameter, general)) this.#bind(parameter, general);
      return 'fits';
    }
    if (this.#occursIn(parameter, type)) return type.is === 'param' ? 'fits' : 'unknown';
    this.#bind(parameter, type);
    return 'fits';
  }

  #leadsTo(parameter: ParamType, from: ParamType): boolean {
    let type: CelType | undefined = from;
    while (type?.is === 'param') {
      if (type.name === parameter.name) return true;
      type = this.find(type);
    }
    return type !== undefined && this.#occursIn(parameter, type);
  }

  #occursIn(parameter: ParamType, type: CelType): boolean {
    switch (type.is) {
      case 'param':
        return this.#leadsTo(parameter, type);
      case 'list':
        return this.#occursIn(parameter, type.of);
      case 'map':
        return this.#occursIn(parameter, type.key) || this.#occursIn(parameter, type.of);
      case 'opaque':
        return type.params.some((inner) => this.#occursIn(parameter, inner));
      default:
        return false;
    }
  }
}

const nullable: ReadonlySet<CelType['is']> = new Set(['null', 'object', 'opaque', 'timestamp', 'duration'] as const);
const isNullable = (type: CelType): boolean => nullable.has(type.is) || (type as PlainType).nullable === true;

const isDynOrError = (type: CelType): boolean => isDynamic(type) || type.is === 'error';

/** Of two types that fit each other the less specific one. */
export function mostGeneral(a: CelType, b: CelType): CelType {
  return isLessSpecific(a, b) ? a : b;
}

function isLessSpecific(a: CelType, b: CelType): boolean {
  if (isDynamic(a) || a.is === 'param') return true;
  if (isDynamic(b) || b.is === 'param' || a.is !== b.is) return false;
  if (a.is === 'list' && b.is === 'list') return isLessSpecific(a.of, b.of);
  if (a.is === 'map' && b.is === 'map') return isLessSpecific(a.key, b.key) && isLessSpecific(a.of, b.of);
  if (a.is === 'opaque' && b.is === 'opaque')
    return a.name === b.name && a.params.every((inner, index) => isLessSpecific(inner, b.params[index] ?? dyn));
  return sameType(a, b);
}

/** The declared types with parameters that no other expression uses. */
export function fresh(types: readonly CelType[], suffix: string): CelType[] {
  const rename = (type: CelType): CelType => {
    switch (type.is) {
      case 'param':
        return { is: 'param', name: `${type.name}${suffix}` };
      case 'list':
        return { is: 'list', of: rename(type.of) };
      case 'map':
        return { is: 'map', key: rename(type.key), of: rename(type.of) };
      case 'opaque':
        return type.params.length === 0 ? type : { ...type, params: type.params.map(rename) };
      case 'type':
        return type.of === undefined ? type : { is: 'type', of: rename(type.of) };
      default:
        return type;
    }
  };
  return types.map(rename);
}
