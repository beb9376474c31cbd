// The events group, v1beta1: served only to who asks for it. New events needed less, and could still use the old fields.

import { convertedKind } from '../../converted-kind.ts';
import { event as storedEvent } from '../../core/v1/event.ts';
import type { GroupVersionSpec } from '../../group-version.ts';
import { heading, sameShape, withFields } from '../../same-shape.ts';
import { eventShape } from '../v1/event.ts';

/** An event of old may have its times in the old fields alone. */
const untimed = withFields(heading(eventShape.type), eventShape.type, (fields) =>
  fields.map((field) => {
    const { required: _, ...optional } = field;
    return field.name === 'eventTime' ? optional : field;
  }),
);

export const eventsV1beta1: GroupVersionSpec = {
  group: 'events',
  version: 'v1beta1',
  priority: { group: 17750, version: 5 },
  offByDefault: true,
  kinds: [
    sameShape(convertedKind(storedEvent, { ...eventShape, type: untimed }), 'events/v1beta1', {
      since: 22,
      removed: 25,
      listedReplacement: { group: 'events', version: 'v1', kind: 'Event' },
    }),
  ],
};
