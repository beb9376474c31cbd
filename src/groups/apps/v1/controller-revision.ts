// ControllerRevision: a frozen copy of a controller's past state, kept so that updates can be rolled back.

import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { allVerbs, type KindDefinition } from '../../../schema/resource.ts';
import { field, type Infer, int64, rawExtension, struct } from '../../../schema/types.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'apps/v1';

export const controllerRevisionType = struct(
  home,
  'ControllerRevision',
  "A frozen copy of a controller's past state, kept so that updates can be rolled back.",
  {
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    data: field(2, rawExtension, {
      always: true,
      about: 'The saved state, in a form only the owning controller understands; it cannot change after creation.',
    }),
    revision: field(3, int64, {
      always: true,
      required: true,
      about: 'Sequence number of this snapshot; a higher number is a newer state.',
    }),
  },
);

export type ControllerRevision = ApiObject & Infer<typeof controllerRevisionType>;

export const controllerRevision: KindDefinition = {
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  namespaced: true,
  verbs: allVerbs,
  type: controllerRevisionType,
  checkName: checkSubdomain,
};
