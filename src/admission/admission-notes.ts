// Verdicts of plugins, webhooks and policies for the trace of a request.

import { isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import { MoveToLane } from '../meta/move-to-lane.ts';
import type { ApiObject } from '../meta/object.ts';
import type { AdmissionVerdict, OpenSpan, RequestNotes, SpanAttributes } from '../meta/request-notes.ts';
import { changedFields } from './changed-fields.ts';
import type { AdmissionPlugin, AdmissionRequest } from './plugin.ts';

/** A plugin that takes less, and changes nothing, has no span. */
const shortMs = 0.1;

type Verdict = Omit<AdmissionVerdict, 'durationMs' | 'change'>;

/** One step of admission that is under way. */
export class NotedStep {
  readonly #notes: RequestNotes;
  readonly #request: AdmissionRequest;
  readonly #began = performance.now();
  readonly span: OpenSpan;

  constructor(request: AdmissionRequest, notes: RequestNotes, name: string, attributes?: SpanAttributes) {
    this.#notes = notes;
    this.#request = request;
    this.span = notes.begin(name, attributes);
  }

  get durationMs(): number {
    return Math.round((performance.now() - this.#began) * 1000) / 1000;
  }

  /** `before` and `after` are given where the step changed the object. */
  end({ reason, ...verdict }: Verdict, before?: ApiObject, after?: ApiObject): void {
    this.span.end();
    const { durationMs } = this;
    const request = this.#request;
    const change = after === undefined ? {} : changeIn(request, before, after);
    this.#notes.admission({ ...verdict, ...reasonIn(request, reason), durationMs, ...change });
  }
}

/** Messages about confidential objects may repeat a part of them. */
export function reasonIn(
  { definition }: AdmissionRequest,
  reason: string | undefined,
): Pick<AdmissionVerdict, 'reason'> {
  if (reason === undefined) return {};
  return { reason: definition.confidential === true ? 'not shown for this kind' : reason };
}

/** Nothing of confidential objects, and nothing where no client reads. */
export function changeIn(
  { notes, definition }: AdmissionRequest,
  before: ApiObject | undefined,
  after: ApiObject | undefined,
): Pick<AdmissionVerdict, 'change'> {
  if (notes?.keepsChanges !== true || definition.confidential === true) return {};
  return { change: changedFields(before, after) };
}

type Phase = AdmissionVerdict['phase'];

/** Runs one plugin, and notes whether it changed or refused something. */
export function notedPlugin<T extends ApiObject | undefined>(
  { name: plugin, notesItself }: AdmissionPlugin,
  phase: Phase,
  request: AdmissionRequest,
  run: () => MaybePromise<T>,
): MaybePromise<T> {
  const { notes } = request;
  if (notes === undefined || notesItself) return run();
  const step = new NotedStep(request, notes, `${phase === 'mutating' ? 'Admit' : 'Validate'} ${plugin}`);
  const passed = (result: T, waited: boolean): T => {
    const isChanged = phase === 'mutating' && result !== request.object;
    if (isChanged) step.end({ plugin, phase, outcome: 'changed' }, request.object, result as ApiObject | undefined);
    else if (waited || step.durationMs >= shortMs) step.span.end();
    return result;
  };
  const failed = (error: unknown): never => {
    if (!(error instanceof MoveToLane))
      step.end({ plugin, phase, outcome: 'refused', reason: (error as Error).message });
    throw error;
  };
  try {
    const result = run();
    return isPromise(result) ? result.then((value) => passed(value, true), failed) : passed(result, false);
  } catch (error) {
    return failed(error);
  }
}
