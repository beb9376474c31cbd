// Event: a report of something that happened to an object.

import type { Dialect } from '../../../meta/dialect.ts';
import { invalidValue, required } from '../../../meta/field-errors.ts';
import { checkPathSegment, checkQualifiedName } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { FieldError } from '../../../meta/status.ts';
import type { Column } from '../../../schema/column.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import type { StrategyContext } from '../../../schema/strategy.ts';
import { dateTime, field, type Infer, int32, microTime, string, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { since } from '../../columns.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { objectReference } from './references.ts';

const home = 'core/v1';

export const eventSource = struct(home, 'EventSource', 'Where an event came from.', () => ({
  component: field(1, string, { about: 'Component that reports.' }),
  host: field(2, string, { about: 'Node the component runs on.' }),
}));

const eventSeries = struct(home, 'EventSeries', 'Repetitions of an event.', () => ({
  count: field(1, int32, { about: 'How often it was seen.' }),
  lastObservedTime: field(2, microTime, { always: true, about: 'When it was last seen.' }),
}));

const type = struct(home, 'Event', 'A report of something that happened; kept for a limited time.', () => ({
  metadata: field(1, objectMeta, { always: true, required: true, about: 'Standard object metadata.' }),
  involvedObject: field(2, objectReference, { always: true, required: true, about: 'What the event is about.' }),
  reason: field(3, string, { about: 'Machine-readable reason.' }),
  message: field(4, string, { about: 'What happened, in words.' }),
  source: field(5, eventSource, { always: true, about: 'Who reports it.' }),
  firstTimestamp: field(6, dateTime, { always: true, about: 'When it was first seen.' }),
  lastTimestamp: field(7, dateTime, { always: true, about: 'When it was last seen.' }),
  count: field(8, int32, { about: 'How often it was seen.' }),
  type: field(9, string, { about: 'Normal or Warning.' }),
  eventTime: field(10, microTime, { always: true, about: 'When it was first observed.' }),
  series: field(11, eventSeries, { pointer: true, about: 'Repetitions, if any.' }),
  action: field(12, string, { about: 'What was done about it.' }),
  related: field(13, objectReference, { pointer: true, about: 'A second object it is about.' }),
  reportingComponent: field(14, string, {
    always: true,
    about: 'Controller that reports, such as example.com/controller.',
  }),
  reportingInstance: field(15, string, { always: true, about: 'Instance of the controller.' }),
}));

export type Event = ApiObject & Infer<typeof type>;

const defaultNamespace = 'default';

/** compat: validation errors name the reporting component as the version of the request does */
export function validateEvent(event: Event, { dialect }: StrategyContext, reporter: string): readonly FieldError[] {
  return [...validateNamespace(event, dialect), ...(event.eventTime ? validateReporting(event, reporter) : [])];
}

/** Events about cluster-scoped objects live in `default`; with a time of their own the system namespace will do too. */
function validateNamespace(
  { metadata, involvedObject, eventTime }: Event,
  { systemNamespace }: Dialect,
): readonly FieldError[] {
  const about = involvedObject?.namespace ?? '';
  const own = metadata.namespace ?? '';
  const fits =
    about === '' ? own === defaultNamespace || (!!eventTime && own === systemNamespace) : !!eventTime || own === about;
  return fits ? [] : [invalidValue('involvedObject.namespace', about, 'does not match event.namespace')];
}

function validateReporting(event: Event, reporter: string): readonly FieldError[] {
  const controller = event.reportingComponent ?? '';
  return [
    ...(controller === '' ? [required(reporter)] : []),
    ...checkQualifiedName(controller).map((e) => invalidValue(reporter, controller, e)),
    ...bounded('reportingInstance', event.reportingInstance),
    ...bounded('action', event.action),
    ...bounded('reason', event.reason),
    ...(Buffer.byteLength(event.message ?? '') > 1024
      ? [invalidValue('message', '', 'can have at most 1024 characters')]
      : []),
  ];
}

function bounded(name: string, value = ''): readonly FieldError[] {
  if (value === '') return [required(name)];
  return value.length > 128 ? [invalidValue(name, '', 'can have at most 128 characters')] : [];
}

const about = (object: Event) => object.involvedObject ?? {};
/** The second part may be missing, and then so is what stands between the two. */
const joined = (first: string, between: string, second: string | undefined) =>
  second ? `${first}${between}${second}` : first;

const sourceOf = ({ source, reportingComponent }: Event) => source?.component || reportingComponent || '';

function column(
  name: string,
  description: string,
  priority: number,
  cell: (event: Event, now: number) => unknown,
): Column<Event> {
  return { name, type: 'string', about: description, priority, cell: (o, { clock }) => cell(o, clock.now()) };
}

export const event = defineKind(type, {
  kind: 'Event',
  plural: 'events',
  namespaced: true,
  shortNames: ['ev'],
  verbs: allVerbs,
  checkName: checkPathSegment,
  deletion: { dependents: 'ignored' },
  quirks: { createOnUpdate: true, plainFinalizers: true },
  expires: true,
  selectableFields: {
    'involvedObject.kind': (object) => about(object).kind ?? '',
    'involvedObject.namespace': (object) => about(object).namespace ?? '',
    'involvedObject.name': (object) => about(object).name ?? '',
    'involvedObject.uid': (object) => about(object).uid ?? '',
    'involvedObject.apiVersion': (object) => about(object).apiVersion ?? '',
    'involvedObject.resourceVersion': (object) => about(object).resourceVersion ?? '',
    'involvedObject.fieldPath': (object) => about(object).fieldPath ?? '',
    reason: (object) => object.reason ?? '',
    reportingComponent: (object) => object.reportingComponent ?? '',
    source: sourceOf,
    type: (object) => object.type ?? '',
  },
  columns: [
    column('Last Seen', 'Time since it was last seen.', 0, (e, now) =>
      since(e.series?.lastObservedTime ?? e.lastTimestamp ?? e.firstTimestamp ?? e.eventTime, now),
    ),
    column('Type', 'Normal or Warning.', 0, (e) => e.type ?? ''),
    column('Reason', 'Machine-readable reason.', 0, (e) => e.reason ?? ''),
    column('Object', 'What the event is about.', 0, (e) =>
      joined((e.involvedObject?.kind ?? '').toLowerCase(), '/', e.involvedObject?.name),
    ),
    column('Subobject', 'Part of the object.', 1, (e) => e.involvedObject?.fieldPath ?? ''),
    column('Source', 'Who reports it.', 1, (e) => joined(sourceOf(e), ', ', e.source?.host || e.reportingInstance)),
    column('Message', 'What happened.', 0, (e) => (e.message ?? '').trim()),
    column('First Seen', 'Time since it was first seen.', 1, (e, now) => since(e.firstTimestamp ?? e.eventTime, now)),
    column('Count', 'How often it was seen.', 1, (e) => e.series?.count ?? (e.count || 1)),
    { ...nameColumn, priority: 1 },
  ],
  strategy: {
    updateChecks: { meta: 0, metaChange: 0 },
    validate: (object, context) => validateEvent(object, context, 'reportingComponent'),
  },
});
