// Admission: plugins that may change or refuse a write, in order. Which of them look at a resource is
// found out once, and again when a plugin says that this has changed.

import { andThen, isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import { MoveToLane } from '../meta/move-to-lane.ts';
import type { ApiObject } from '../meta/object.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import { notedPlugin } from './admission-notes.ts';
import type { AdmissionPlugin, AdmissionRequest, Operation } from './plugin.ts';

/** A plugin that looks at one kind of write, and what hears how long it took. */
interface Timed {
  readonly plugin: AdmissionPlugin;
  readonly observe: StepObserver | undefined;
}

/** Those that look at one kind of write, and what hears how long all of them took together. */
interface Chosen {
  readonly beginning: readonly AdmissionPlugin[];
  readonly mutating: readonly Timed[];
  readonly validating: readonly Timed[];
  readonly onMutated: StepObserver | undefined;
  readonly onValidated: StepObserver | undefined;
}

type ByOperation = Readonly<Record<Operation, Chosen>>;

/** All plugins that changed a request, or all that looked at it, together. */
export interface AdmissionStep {
  readonly type: 'admit' | 'validate';
  readonly operation: Operation;
  /** Plural name of what is written. */
  readonly resource: string;
}

export type StepObserver = (rejected: boolean, seconds: number) => void;

/** What hears how long things took. Observers are made once, not for each request. */
export interface AdmissionObserver {
  step(step: AdmissionStep): StepObserver;
  plugin(name: string, type: AdmissionStep['type'], operation: Operation): StepObserver;
}

export class AdmissionChain {
  readonly #plugins: readonly AdmissionPlugin[];
  /** By definition, so that what is no longer served is forgotten; then by subresource. */
  #chosen = new WeakMap<ResourceDefinition, Map<string, ByOperation>>();

  readonly #observer: AdmissionObserver | undefined;

  constructor(plugins: readonly AdmissionPlugin[], observer?: AdmissionObserver) {
    this.#plugins = plugins;
    this.#observer = observer;
    for (const plugin of plugins)
      plugin.onCoverageChange?.(() => {
        this.#chosen = new WeakMap();
      });
  }

  /** The object after every plugin that changes objects. */
  mutate(request: AdmissionRequest): MaybePromise<ApiObject | undefined> {
    const { definition, subresource, operation } = request;
    const { beginning, mutating, onMutated } = this.#choice(definition, subresource)[operation];
    const begun = beginFrom(0, beginning, request);
    if (mutating.length === 0) return andThen(begun, () => request.object);
    return andThen(begun, () => this.#mutate(request, mutating, onMutated));
  }

  #mutate(
    request: AdmissionRequest,
    mutating: readonly Timed[],
    onMutated: StepObserver | undefined,
  ): MaybePromise<ApiObject | undefined> {
    return timed(onMutated, () =>
      andThen(mutateFrom(0, mutating, request, request.object), (object) =>
        request.rounds.beginSecond() ? mutateFrom(0, mutating, request, object) : object,
      ),
    );
  }

  /** Whether any plugin looks at such writes; if not, no request need be made for them. */
  covers(definition: ResourceDefinition, subresource: string, operation: Operation): boolean {
    const { mutating, validating } = this.#choice(definition, subresource)[operation];
    return mutating.length + validating.length > 0;
  }

  /** Whether any plugin validates such writes; if not, no request need be made for it. */
  validates(definition: ResourceDefinition, subresource: string, operation: Operation): boolean {
    return this.#choice(definition, subresource)[operation].validating.length > 0;
  }

  validate(request: AdmissionRequest): MaybePromise<void> {
    const { definition, subresource, operation } = request;
    const { validating, onValidated } = this.#choice(definition, subresource)[operation];
    if (validating.length === 0) return;
    return timed(onValidated, () => validateFrom(0, validating, request));
  }

  #choice(definition: ResourceDefinition, subresource: string): ByOperation {
    let known = this.#chosen.get(definition);
    if (known === undefined) {
      known = new Map();
      this.#chosen.set(definition, known);
    }
    let choice = known.get(subresource);
    if (choice === undefined) {
      choice = byOperation(this.#plugins, definition, subresource, this.#observer);
      known.set(subresource, choice);
    }
    return choice;
  }
}

function timed<T>(observe: StepObserver | undefined, run: () => MaybePromise<T>): MaybePromise<T> {
  if (observe === undefined) return run();
  const began = performance.now();
  try {
    const result = run();
    if (isPromise(result)) return told(result, began, observe);
    observe(false, secondsSince(began));
    return result;
  } catch (error) {
    if (!(error instanceof MoveToLane)) observe(true, secondsSince(began));
    throw error;
  }
}

async function told<T>(result: Promise<T>, began: number, observe: StepObserver): Promise<T> {
  try {
    const value = await result;
    observe(false, secondsSince(began));
    return value;
  } catch (error) {
    if (!(error instanceof MoveToLane)) observe(true, secondsSince(began));
    throw error;
  }
}

const secondsSince = (began: number) => (performance.now() - began) / 1000;

function byOperation(
  plugins: readonly AdmissionPlugin[],
  definition: ResourceDefinition,
  subresource: string,
  observer: AdmissionObserver | undefined,
): ByOperation {
  const of = (operation: Operation): Chosen => {
    const concerned = plugins.filter(
      (plugin) => plugin.operations.includes(operation) && plugin.covers(definition, subresource, operation),
    );
    const observed = (type: AdmissionStep['type']) => (plugin: AdmissionPlugin) => ({
      plugin,
      observe: observer?.plugin(plugin.name, type, operation),
    });
    const resource = definition.plural;
    return {
      beginning: concerned.filter(({ begin }) => begin !== undefined),
      onMutated: observer?.step({ type: 'admit', operation, resource }),
      onValidated: observer?.step({ type: 'validate', operation, resource }),
      mutating: concerned.filter(({ mutate }) => mutate !== undefined).map(observed('admit')),
      validating: concerned.filter(({ validate }) => validate !== undefined).map(observed('validate')),
    };
  };
  return { CREATE: of('CREATE'), UPDATE: of('UPDATE'), DELETE: of('DELETE'), CONNECT: of('CONNECT') };
}

function beginFrom(from: number, plugins: readonly AdmissionPlugin[], request: AdmissionRequest): MaybePromise<void> {
  for (let i = from; i < plugins.length; i++) {
    const begun = plugins[i]?.begin?.(request);
    if (isPromise(begun)) return begun.then(() => beginFrom(i + 1, plugins, request));
  }
}

function mutateFrom(
  from: number,
  plugins: readonly Timed[],
  request: AdmissionRequest,
  before: ApiObject | undefined,
): MaybePromise<ApiObject | undefined> {
  let object = before;
  const watch = new StopWatch();
  for (let i = from; i < plugins.length; i++) {
    const { plugin, observe } = plugins[i] as Timed;
    try {
      const seen = object === request.object ? request : request.withObject(object);
      const changed =
        request.notes === undefined
          ? plugin.mutate?.(seen)
          : notedPlugin(plugin, 'mutating', seen, () => plugin.mutate?.(seen));
      if (isPromise(changed))
        return watch.told(changed, observe).then((next) => mutateFrom(i + 1, plugins, request, next));
      object = changed;
    } catch (error) {
      if (!(error instanceof MoveToLane)) watch.lap(observe, true);
      throw error;
    }
    watch.lap(observe, false);
  }
  return object;
}

const notedValidation = (plugin: AdmissionPlugin, request: AdmissionRequest) =>
  notedPlugin(plugin, 'validating', request, () => plugin.validate?.(request) as MaybePromise<ApiObject | undefined>);

function validateFrom(from: number, plugins: readonly Timed[], request: AdmissionRequest): MaybePromise<void> {
  let current = request;
  const watch = new StopWatch();
  for (let i = from; i < plugins.length; i++) {
    const { plugin, observe } = plugins[i] as Timed;
    try {
      const checked = (
        request.notes === undefined ? plugin.validate?.(current) : notedValidation(plugin, current)
      ) as MaybePromise<ApiObject | undefined>;
      if (isPromise(checked))
        return watch.told(checked, observe).then((shown) => validateFrom(i + 1, plugins, showing(current, shown)));
      if (checked !== undefined) current = showing(current, checked);
    } catch (error) {
      if (!(error instanceof MoveToLane)) watch.lap(observe, true);
      throw error;
    }
    watch.lap(observe, false);
  }
}

const showing = (request: AdmissionRequest, object: ApiObject | undefined) =>
  object === undefined ? request : request.withObject(object);

/** Where one plugin ends the next begins: the clock is read once for each. */
class StopWatch {
  #began = performance.now();

  lap(observe: StepObserver | undefined, rejected: boolean): void {
    if (observe === undefined) return;
    const now = performance.now();
    observe(rejected, (now - this.#began) / 1000);
    this.#began = now;
  }

  told<T>(result: Promise<T>, observe: StepObserver | undefined): Promise<T> {
    return observe === undefined ? result : told(result, this.#began, observe);
  }
}
