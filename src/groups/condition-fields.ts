// Fields that conditions of all kinds have; only numbers, and what stands between them, differ.

import { dateTime, field, string } from '../schema/types.ts';

/** What messages call the type of the two fields. */
interface ObservationTypes {
  readonly type: string;
  readonly status?: string;
}

/** What is observed, and whether it holds. */
export const observationFields = (about: string, { type, status = 'v1.ConditionStatus' }: ObservationTypes) => ({
  type: field(1, string, { goType: type, always: true, required: true, about }),
  status: field(2, string, {
    goType: status,
    always: true,
    required: true,
    about: 'Whether it holds now: True, False or Unknown.',
  }),
});

/** When that last changed, and why; `first` is the number of the first of these fields. */
export const transitionFields = (first: number) => ({
  lastTransitionTime: field(first, dateTime, {
    always: true,
    about: 'When status last changed from one value to another.',
  }),
  reason: field(first + 1, string, { about: 'Short CamelCase word telling why status last changed.' }),
  message: field(first + 2, string, { about: 'Readable details about the last change.' }),
});

/** A condition with nothing of its own. */
export const conditionFields = (about: string, types: ObservationTypes) => ({
  ...observationFields(about, types),
  ...transitionFields(3),
});
