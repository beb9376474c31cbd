// Types of references: LocalObjectReference, TypedLocalObjectReference, TypedObjectReference and others.

import { field, string, struct } from '../../../schema/types.ts';

const home = 'core/v1';

export const localObjectReferenceFields = {
  name: field(1, string, { default: '', about: 'Name of the object in the same namespace.' }),
};

export const localObjectReference = struct(
  home,
  'LocalObjectReference',
  'Refers by name to an object in the same namespace.',
  localObjectReferenceFields,
  { mapType: 'atomic' },
);

export const typedLocalObjectReference = struct(
  home,
  'TypedLocalObjectReference',
  'Refers to an object of some kind in the same namespace.',
  () => ({
    apiGroup: field(1, string, {
      pointer: true,
      always: true,
      about: 'API group of the object; leave out for the core group.',
    }),
    kind: field(2, string, { always: true, required: true, about: 'Kind of the object, such as VolumeSnapshot.' }),
    name: field(3, string, { always: true, required: true, about: 'Name of the object in the same namespace.' }),
  }),
  { mapType: 'atomic' },
);

export const typedObjectReference = struct(
  home,
  'TypedObjectReference',
  'Refers to an object of some kind, possibly in another namespace.',
  () => ({
    apiGroup: field(1, string, {
      pointer: true,
      always: true,
      about: 'API group of the object; leave out for the core group.',
    }),
    kind: field(2, string, { always: true, required: true, about: 'Kind of the object, such as VolumeSnapshot.' }),
    name: field(3, string, { always: true, required: true, about: 'Name of the object to refer to.' }),
    namespace: field(4, string, {
      pointer: true,
      about: 'Namespace of the object; another namespace needs a ReferenceGrant there.',
    }),
  }),
);

export const objectReference = struct(
  home,
  'ObjectReference',
  'Points at another object, or at a part of it.',
  () => ({
    kind: field(1, string, { about: 'Kind of the object, such as Pod.' }),
    namespace: field(2, string, { about: 'Namespace of the object; empty for cluster-wide kinds.' }),
    name: field(3, string, { about: 'Name of the object referred to.' }),
    uid: field(4, string, { goType: 'types.UID', about: 'UID of the object, to tell apart objects of the same name.' }),
    apiVersion: field(5, string, { about: 'API group and version of the object, such as apps/v1.' }),
    resourceVersion: field(6, string, { about: 'Version of the object the reference was made for, if any.' }),
    fieldPath: field(7, string, { about: 'Part of the object that is meant, such as spec.containers{name}.' }),
  }),
  { mapType: 'atomic' },
);

export const secretReference = struct(
  home,
  'SecretReference',
  'Refers to a Secret in any namespace.',
  () => ({
    name: field(1, string, { about: 'Name of the Secret, unique in its namespace.' }),
    namespace: field(2, string, { about: 'Namespace in which the Secret lives.' }),
  }),
  { mapType: 'atomic' },
);
