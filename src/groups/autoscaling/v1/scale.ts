// Scale: a request to change, or a view of, the replica count of a scalable object.

import type { ApiObject } from '../../../meta/object.ts';
import { field, type Infer, int32, string, struct } from '../../../schema/types.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'autoscaling/v1';

const scaleSpec = struct(home, 'ScaleSpec', 'Desired size of a scalable object.', () => ({
  replicas: field(1, int32, { about: 'How many replicas the object should have.' }),
}));

const scaleStatus = struct(home, 'ScaleStatus', 'Observed size of a scalable object.', () => ({
  replicas: field(1, int32, { always: true, required: true, about: 'How many replicas were seen last.' }),
  selector: field(2, string, { about: 'Label query for the counted pods, in the string form used in list requests.' }),
}));

export const scale = struct(
  home,
  'Scale',
  'A request to change, or a view of, the replica count of a scalable object.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, scaleSpec, { always: true, about: 'The replica count you want.' }),
    status: field(3, scaleStatus, {
      always: true,
      about: 'The observed replica count and pod selector; read-only for users.',
    }),
  }),
);

export type Scale = ApiObject & Infer<typeof scale>;
