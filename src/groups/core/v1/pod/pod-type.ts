// Type of Pod: its fields, and what its rules need to know of it.

import type { ApiObject } from '../../../../meta/object.ts';
import { field, type Infer, struct } from '../../../../schema/types.ts';
import { objectMeta } from '../../../meta/v1/types.ts';
import { podSpec } from './pod-spec.ts';
import { podStatus } from './pod-status-type.ts';

const home = 'core/v1';

export const podType = struct(
  home,
  'Pod',
  'A group of one or more containers that run together on one node and share network and volumes.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, podSpec, {
      always: true,
      about: 'The wanted state: containers, volumes, and the rules for placing and running them.',
    }),
    status: field(3, podStatus, {
      always: true,
      about: 'The last state reported by the node agent and control plane; written by the system, not by users.',
    }),
  }),
);

export type Pod = ApiObject & Infer<typeof podType>;
