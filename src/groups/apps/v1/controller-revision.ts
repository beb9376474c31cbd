// ControllerRevision: a frozen copy of a controller's past state, kept so that updates can be rolled back.

import { isJsonObject } from '../../../base/json/json.ts';
import { required } from '../../../meta/field-errors.ts';
import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { field, type Infer, int64, rawExtension, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn, textColumn } from '../../columns.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { immutable, notNegative, type ValidationErrors } from '../../rules.ts';

const home = 'apps/v1';

const controllerRevisionType = struct(
  home,
  'ControllerRevision',
  "A frozen copy of a controller's past state, kept so that updates can be rolled back.",
  () => ({
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
  }),
);

export type ControllerRevision = ApiObject & Infer<typeof controllerRevisionType>;

const validate = ({ revision }: ControllerRevision): ValidationErrors => notNegative('revision', revision);

function validateCreate({ data }: ControllerRevision): ValidationErrors {
  if (data === undefined || data === null) return [required('data', 'data is mandatory')];
  return isJsonObject(data) ? [] : [required('data', 'data must be a valid JSON object')];
}

/** `deployment.apps/web`, or that there is none. */
function controllerOf({ metadata }: ApiObject): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined) return '<none>';
  const [group = '', version] = owner.apiVersion.split('/');
  return `${owner.kind.toLowerCase()}${version === undefined ? '' : `.${group}`}/${owner.name}`;
}

export const controllerRevision = defineKind(controllerRevisionType, {
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  namespaced: true,
  verbs: allVerbs,
  checkName: checkSubdomain,
  columns: [
    nameColumn,
    textColumn('Controller', 'Who keeps this state.', controllerOf),
    textColumn('Revision', 'Which state it is.', (o) => o.revision ?? 0),
    ageColumn,
  ],
  strategy: {
    validate,
    validateCreate,
    validateUpdate: (next, old) => immutable('data', next['data'], old['data']),
  },
});
