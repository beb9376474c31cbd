// References between objects.

import { field, string, struct } from '../../../schema/types.ts';

const home = 'core/v1';

export const objectReference = struct(
  home,
  'ObjectReference',
  'Names another object, or a part of one.',
  {
    kind: field(1, string, { about: 'Kind of the object.' }),
    namespace: field(2, string, { about: 'Namespace of the object.' }),
    name: field(3, string, { about: 'Name of the object.' }),
    uid: field(4, string, { about: 'UID of the object.' }),
    apiVersion: field(5, string, { about: 'API version of the object.' }),
    resourceVersion: field(6, string, { about: 'The version of the object that is meant.' }),
    fieldPath: field(7, string, { about: 'A part of the object, such as spec.containers{name}.' }),
  },
  { mapType: 'atomic' },
);

export const localObjectReference = struct(
  home,
  'LocalObjectReference',
  'Names an object in the same namespace.',
  { name: field(1, string, { about: 'Name of the object.' }) },
  { mapType: 'atomic' },
);
