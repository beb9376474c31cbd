// Event: a report of something that happened to an object; kept for a limited time only.

import { getOwn, isSameJson } from '../../../base/json/json.ts';
import { invalidValue, required, unchanged } from '../../../meta/field-errors.ts';
import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { FieldError } from '../../../meta/status.ts';
import type { Conversion } from '../../../schema/resource.ts';
import type { StrategyContext } from '../../../schema/strategy.ts';
import { dateTime, field, type Infer, int32, microTime, string, struct } from '../../../schema/types.ts';
import { type ConvertedVersion, convertedKind } from '../../converted-kind.ts';
import { eventSource, type Event as StoredEvent, event as storedEvent, validateEvent } from '../../core/v1/event.ts';
import { objectReference } from '../../core/v1/references.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { immutableStruct } from '../../rules.ts';

const home = 'events/v1';

const eventSeries = struct(home, 'EventSeries', 'How often and how recently an event has repeated.', () => ({
  count: field(1, int32, { always: true, required: true, about: 'Number of occurrences so far in this series.' }),
  lastObservedTime: field(2, microTime, {
    always: true,
    required: true,
    about: 'When the latest occurrence was seen.',
  }),
}));

const eventType = struct(
  home,
  'Event',
  'A report of something that happened to an object; kept for a limited time only.',
  () => ({
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
  }),
);

type Event = ApiObject & Infer<typeof eventType>;

/** Fields that go by another name in the core group, where events are stored. */
const renamed: Readonly<Record<string, string>> = {
  note: 'message',
  regarding: 'involvedObject',
  reportingController: 'reportingComponent',
  deprecatedSource: 'source',
  deprecatedFirstTimestamp: 'firstTimestamp',
  deprecatedLastTimestamp: 'lastTimestamp',
  deprecatedCount: 'count',
};
const original = Object.fromEntries(Object.entries(renamed).map(([newer, older]) => [older, newer]));

function rename(object: ApiObject, names: Readonly<Record<string, string>>): ApiObject {
  const entries = Object.entries(object).map(([name, value]) => [getOwn(names, name) ?? name, value]);
  return Object.fromEntries(entries) as ApiObject;
}

const conversion: Conversion = {
  // the core group writes these even when they are empty
  toStorage: (object) => ({ reportingComponent: '', reportingInstance: '', ...rename(object, renamed) }) as ApiObject,
  fromStorage(object) {
    const entries = Object.entries(rename(object, original));
    const isEmpty = (name: string, value: unknown) => name.startsWith('reporting') && value === '';
    return Object.fromEntries(entries.filter(([name, value]) => !isEmpty(name, value))) as ApiObject;
  },
};

const types = ['Normal', 'Warning'];

/** What new events need that the core group lets pass; validation errors name the fields of the core group. */
function validateCreate(event: StoredEvent): readonly FieldError[] {
  const { firstTimestamp, lastTimestamp, count, source } = event;
  const leftOver = { firstTimestamp, lastTimestamp, count, source: source?.component || source?.host };
  return [
    ...validateSeries(event),
    ...(event.eventTime ? [] : [required('eventTime')]),
    ...(types.includes(event.type ?? '') ? [] : [invalidValue('type', '', `has invalid value: ${event.type ?? ''}`)]),
    ...Object.entries(leftOver)
      .filter(([, value]) => !!value)
      .map(([field]) => invalidValue(field, '', 'needs to be unset')),
  ];
}

function validateSeries({ series }: StoredEvent): readonly FieldError[] {
  if (series === undefined) return [];
  return [
    ...((series.count ?? 0) < 2 ? [invalidValue('series.count', '', 'should be at least 2')] : []),
    ...(series.lastObservedTime ? [] : [required('series.lastObservedTime')]),
  ];
}

// compat: a change of the reason of an event is reported twice
const fixed: readonly (keyof StoredEvent & string)[] = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'reason',
  'type',
  'eventTime',
  'action',
  'related',
];

/** What structs among them are. */
const structs: Readonly<Record<string, string>> = {
  involvedObject: 'ObjectReference',
  related: 'ObjectReference',
  source: 'EventSource',
};

function validateFixed(field: string, next: unknown, old: unknown): readonly FieldError[] {
  const type = structs[field];
  return type === undefined ? unchanged(field, next, old) : immutableStruct(field, type, next, old);
}

/** How a field that is not set is shown. */
const zeros: Readonly<Record<string, string | number | object>> = {
  involvedObject: {},
  source: {},
  reason: '',
  message: '',
  count: 0,
  type: '',
  action: '',
};

/** An event is what happened: only its series goes on. */
function validateUpdate(next: StoredEvent, old: StoredEvent): readonly FieldError[] {
  const moved = !isSameJson(next['series'], old['series']);
  return [
    ...(moved ? validateSeries(next) : []),
    ...fixed.flatMap((field) => validateFixed(field, next[field] ?? zeros[field], old[field] ?? zeros[field])),
    ...unchanged('reportingController', next['reportingComponent'] ?? '', old['reportingComponent'] ?? ''),
    ...unchanged('reportingInstance', next['reportingInstance'] ?? '', old['reportingInstance'] ?? ''),
  ];
}

const about = (object: Event) => object.regarding ?? {};

/** What events of this group look like, whatever is asked of new ones. */
export const eventShape: ConvertedVersion<Event> = {
  type: eventType,
  conversion,
  selectableFields: {
    reason: (object) => object.reason ?? '',
    'regarding.kind': (object) => about(object).kind ?? '',
    'regarding.namespace': (object) => about(object).namespace ?? '',
    'regarding.name': (object) => about(object).name ?? '',
    'regarding.uid': (object) => about(object).uid ?? '',
    'regarding.apiVersion': (object) => about(object).apiVersion ?? '',
    'regarding.resourceVersion': (object) => about(object).resourceVersion ?? '',
    'regarding.fieldPath': (object) => about(object).fieldPath ?? '',
    reportingController: (object) => object.reportingController ?? '',
    type: (object) => object.type ?? '',
  },
};

const validate = (object: ApiObject, context: StrategyContext) =>
  validateEvent(object as StoredEvent, context, 'reportingController');

export const event = convertedKind(
  {
    ...storedEvent,
    checkName: checkSubdomain,
    quirks: { createOnUpdate: true, typeOfGroup: 'core' },
    strategy: { ...storedEvent.strategy, validate },
  },
  { ...eventShape, validateCreate, validateUpdate, updateChecks: { meta: 0 } },
);
