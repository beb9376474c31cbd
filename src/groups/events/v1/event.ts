// Event: a report of something that happened to an object; kept for a limited time only.

import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { allVerbs, type KindDefinition } from '../../../schema/resource.ts';
import { dateTime, field, type Infer, int32, microTime, string, struct } from '../../../schema/types.ts';
import { eventSource } from '../../core/v1/event.ts';
import { objectReference } from '../../core/v1/references.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'events/v1';

export const eventSeries = struct(home, 'EventSeries', 'How often and how recently an event has repeated.', {
  count: field(1, int32, { always: true, required: true, about: 'Number of occurrences so far in this series.' }),
  lastObservedTime: field(2, microTime, {
    always: true,
    required: true,
    about: 'When the latest occurrence was seen.',
  }),
});

export const eventType = struct(
  home,
  'Event',
  'A report of something that happened to an object; kept for a limited time only.',
  {
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    eventTime: field(2, microTime, { always: true, required: true, about: 'When the event was first seen.' }),
    series: field(3, eventSeries, { pointer: true, about: 'Set when the event repeats; counts the repetitions.' }),
    reportingController: field(4, string, {
      about: 'Domain-prefixed name of the reporting controller, such as example.com/controller.',
    }),
    reportingInstance: field(5, string, {
      about: 'Identity of the controller process, such as its host name; at most 128 characters.',
    }),
    action: field(6, string, { about: 'What was done or failed, as a short machine-readable word.' }),
    reason: field(7, string, { about: 'Why it was done, as a short CamelCase word; at most 128 characters.' }),
    regarding: field(8, objectReference, { always: true, about: 'The object that the event is about.' }),
    related: field(9, objectReference, {
      pointer: true,
      about: 'A second object that plays a part in the event, if any.',
    }),
    note: field(10, string, { about: 'Readable description of the event; at most 1 kB.' }),
    type: field(11, string, { about: 'Severity of the event, either Normal or Warning.' }),
    deprecatedSource: field(12, eventSource, {
      always: true,
      about: 'Old form of the reporter, kept for events of the core API.',
    }),
    deprecatedFirstTimestamp: field(13, dateTime, {
      always: true,
      about: 'Old form of the first time seen, kept for the core API.',
    }),
    deprecatedLastTimestamp: field(14, dateTime, {
      always: true,
      about: 'Old form of the last time seen, kept for the core API.',
    }),
    deprecatedCount: field(15, int32, { about: 'Old form of the repetition count, kept for the core API.' }),
  },
);

export type Event = ApiObject & Infer<typeof eventType>;

export const event: KindDefinition = {
  kind: 'Event',
  plural: 'events',
  namespaced: true,
  shortNames: ['ev'],
  verbs: allVerbs,
  type: eventType,
  checkName: checkSubdomain,
  dependents: 'ignored',
};
