// Reviews of a user's rights before v1: the groups of the subject were in a field called group.

import type { ApiObject } from '../../../meta/object.ts';
import type { Action } from '../../../schema/action.ts';
import type { Conversion, KindDefinition } from '../../../schema/resource.ts';
import type { StructType } from '../../../schema/types.ts';
import { withFields } from '../../same-shape.ts';

type Reviewed = ApiObject & { readonly spec?: Readonly<Record<string, unknown>> };

/** The same object with one field of its spec under another name. */
function renamed(object: Reviewed, from: string, to: string): ApiObject {
  const { spec } = object;
  if (!spec || !Object.hasOwn(spec, from)) return object;
  const { [from]: value, ...rest } = spec;
  return { ...object, spec: { ...rest, [to]: value } };
}

const conversion: Conversion = {
  toStorage: (object) => renamed(object, 'group', 'groups'),
  fromStorage: (object) => renamed(object, 'groups', 'group'),
};

type Fields = StructType['fields'];

const renamedGroups = (fields: Fields): Fields =>
  fields.map((field) => (field.name === 'groups' ? { ...field, name: 'group' } : field));

const renamedInSpec = (fields: Fields): Fields =>
  fields.map((field) =>
    field.name === 'spec' && field.type.is === 'struct'
      ? { ...field, type: withFields(field.type, field.type, renamedGroups) }
      : field,
  );

/** The review asks as v1 does, and answers in its own words. */
function renamedAction({ run }: Action): Action {
  return {
    async run(review, call) {
      return conversion.fromStorage(
        (await run(conversion.toStorage(review, call.dialect), call)) as ApiObject,
        call.dialect,
      );
    },
  };
}

export function withGroupField(kind: KindDefinition): KindDefinition {
  const { action } = kind;
  return {
    ...kind,
    type: withFields(kind.type, kind.type, renamedInSpec),
    conversion,
    ...(action ? { action: renamedAction(action) } : {}),
  };
}
