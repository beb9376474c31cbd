// Plans for objects, by their keys and the order of these. Objects of one type mostly have one of a few sets of keys: the plan for each is
// made once, and is found again by one comparison for each key.

interface Step<P> {
  /** The next key of the last object, and the step behind it. */
  key: string | undefined;
  next: Step<P> | undefined;
  /** By every next key so far. */
  readonly others: Map<string, Step<P>>;
  plan: P | undefined;
}

/** Clients choose keys: past these limits plans are made again for each object. */
const maxSteps = 256;
const maxKeyLength = 64;

export class KeyPlans<P extends object> {
  readonly #make: (keys: readonly string[]) => P;
  #root: Step<P> = newStep();
  #count = 0;

  constructor(make: (keys: readonly string[]) => P) {
    this.#make = make;
  }

  of(object: object): P {
    let step = this.#root;
    for (const key in object) {
      const next = step.key === key ? step.next : this.#follow(step, key);
      if (next === undefined) return this.#make(Object.keys(object));
      step = next;
    }
    step.plan ??= this.#make(Object.keys(object));
    return step.plan;
  }

  /** Undefined past the limits. */
  #follow(step: Step<P>, key: string): Step<P> | undefined {
    const next = step.others.get(key) ?? this.#add(step, key);
    if (next === undefined) return undefined;
    step.key = key;
    step.next = next;
    return next;
  }

  #add(step: Step<P>, key: string): Step<P> | undefined {
    if (key.length > maxKeyLength) return undefined;
    if (this.#count === maxSteps) {
      this.#root = newStep();
      this.#count = 0;
      return undefined;
    }
    this.#count++;
    const next = newStep<P>();
    step.others.set(key, next);
    return next;
  }
}

const newStep = <P>(): Step<P> => ({ key: undefined, next: undefined, others: new Map(), plan: undefined });
