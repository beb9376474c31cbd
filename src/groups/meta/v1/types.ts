// Types shared by all groups: object and list metadata, delete options, conditions.

import type { ObjectType } from '../../../schema/object-type.ts';
import type { StructuralType } from '../../../schema/structural/structural-type.ts';
import {
  bool,
  dateTime,
  field,
  fieldsV1,
  type Infer,
  int32,
  int64,
  listOf,
  mapOf,
  rawExtension,
  type StructType,
  string,
  struct,
} from '../../../schema/types.ts';

const home = 'meta/v1';

const ownerReference = struct(
  home,
  'OwnerReference',
  'Names an object that this one depends on; when all owners are gone, so is the dependent.',
  () => ({
    apiVersion: field(5, string, { always: true, required: true, about: 'API version of the owner.' }),
    kind: field(1, string, { always: true, required: true, about: 'Kind of the owner.' }),
    name: field(3, string, { always: true, required: true, about: 'Name of the owner.' }),
    uid: field(4, string, {
      goType: 'types.UID',
      always: true,
      required: true,
      about: 'UID of the owner; a new object of the same name is not the owner.',
    }),
    controller: field(6, bool, {
      pointer: true,
      about: 'True when the owner is the managing controller. At most one owner is.',
    }),
    blockOwnerDeletion: field(7, bool, {
      pointer: true,
      about: 'True when foreground deletion of the owner has to wait for this object.',
    }),
  }),
  { mapType: 'atomic' },
);

const managedFieldsEntry = struct(
  home,
  'ManagedFieldsEntry',
  'Fields that one manager set with one kind of request.',
  () => ({
    manager: field(1, string, { about: 'Name of the manager.' }),
    operation: field(2, string, { goType: 'ManagedFieldsOperationType', about: 'Apply or Update.' }),
    apiVersion: field(3, string, { about: 'Version of the object that the fields refer to.' }),
    time: field(4, dateTime, { pointer: true, about: 'When the entry last changed.' }),
    fieldsType: field(6, string, { about: 'Format of the field set; only FieldsV1 exists.' }),
    fieldsV1: field(7, fieldsV1, { pointer: true, about: 'The field set as a tree of paths.' }),
    subresource: field(8, string, { about: 'Subresource the fields were set through; empty for the object itself.' }),
  }),
);

export const objectMeta = struct(home, 'ObjectMeta', 'Metadata that every stored object has.', () => ({
  name: field(1, string, { about: 'Unique name within the namespace and kind. Cannot be changed.' }),
  generateName: field(2, string, { about: 'Prefix from which the server makes a unique name when name is empty.' }),
  namespace: field(3, string, {
    about: 'Namespace the object lives in; empty for cluster-scoped kinds. Cannot be changed.',
  }),
  selfLink: field(4, string, { about: 'No longer filled in.' }),
  uid: field(5, string, {
    goType: 'types.UID',
    about: 'Identifier the server gives to each object, never used twice.',
  }),
  resourceVersion: field(6, string, {
    about: 'Opaque version of the object; send it back to update only what you have seen.',
  }),
  generation: field(7, int64, { about: 'Counts changes of the desired state.' }),
  creationTimestamp: field(8, dateTime, {
    about: 'CreationTimestamp is a timestamp that the server sets: when the object was created.',
  }),
  deletionTimestamp: field(9, dateTime, {
    pointer: true,
    about: 'When the object is due to go; set by the server on delete.',
  }),
  deletionGracePeriodSeconds: field(10, int64, { pointer: true, about: 'Seconds the object was given to end.' }),
  labels: field(11, mapOf(string), { about: 'Key and value pairs to select objects by.' }),
  annotations: field(12, mapOf(string), { about: 'Key and value pairs for tools; not used for selection.' }),
  ownerReferences: field(13, listOf(ownerReference), {
    listType: 'map',
    mapKeys: ['uid'],
    patchStrategy: 'merge',
    patchMergeKey: 'uid',
    about: 'Objects this one depends on.',
  }),
  finalizers: field(14, listOf(string), {
    listType: 'set',
    patchStrategy: 'merge',
    about: 'Names of cleanups that must be done before the object is removed.',
  }),
  managedFields: field(17, listOf(managedFieldsEntry), {
    listType: 'atomic',
    about: 'Which manager set which fields.',
  }),
}));

const shardInfo = struct(home, 'ShardInfo', 'The part of a collection that a list shows.', () => ({
  selector: field(1, string, {
    always: true,
    required: true,
    about: 'The selector that the request asked for the part by.',
  }),
}));

export const listMeta = struct(home, 'ListMeta', 'Metadata of a collection.', () => ({
  selfLink: field(1, string, { about: 'No longer filled in.' }),
  resourceVersion: field(2, string, { about: 'Version at which the list was made; watch from here.' }),
  continue: field(3, string, { about: 'Token for the next page; empty on the last one.' }),
  remainingItemCount: field(4, int64, { pointer: true, about: 'How many items follow this page.' }),
  shardInfo: field(5, shardInfo, {
    pointer: true,
    about: 'Which part of the collection this is, where it is not the whole.',
  }),
}));

export const condition = struct(home, 'Condition', 'One aspect of the state of an object.', () => ({
  type: field(1, string, { always: true, required: true, about: 'Which aspect, in CamelCase.' }),
  status: field(2, string, {
    goType: 'ConditionStatus',
    always: true,
    required: true,
    about: 'True, False or Unknown.',
  }),
  observedGeneration: field(3, int64, { about: 'Generation of the object that the condition was derived from.' }),
  lastTransitionTime: field(4, dateTime, { always: true, required: true, about: 'When the status last changed.' }),
  reason: field(5, string, {
    always: true,
    required: true,
    about: 'Machine-readable reason for the last change, in CamelCase.',
  }),
  message: field(6, string, { always: true, required: true, about: 'The reason in words.' }),
}));

export const groupResource = struct(home, 'GroupResource', 'Names a resource without its version.', () => ({
  group: field(1, string, { always: true, required: true, about: 'API group of the resource.' }),
  resource: field(2, string, { always: true, required: true, about: 'Plural name of the resource.' }),
}));

const preconditions = struct(home, 'Preconditions', 'Must hold before a delete is carried out.', () => ({
  uid: field(1, string, { goType: 'types.UID', pointer: true, about: 'The UID the object must have.' }),
  resourceVersion: field(2, string, { pointer: true, about: 'The resourceVersion the object must have.' }),
}));

export const deleteOptions = struct(home, 'DeleteOptions', 'How an object is to be deleted.', () => ({
  gracePeriodSeconds: field(1, int64, {
    pointer: true,
    about: 'Seconds before the object is removed; 0 means at once.',
  }),
  preconditions: field(2, preconditions, { pointer: true, about: 'What must hold for the delete to happen.' }),
  orphanDependents: field(3, bool, { pointer: true, about: 'Deprecated: use propagationPolicy.' }),
  propagationPolicy: field(4, string, {
    goType: 'DeletionPropagation',
    pointer: true,
    about: 'Orphan, Background or Foreground.',
  }),
  dryRun: field(5, listOf(string), { listType: 'atomic', about: 'All: run every stage but change nothing.' }),
  ignoreStoreReadErrorWithClusterBreakingPotential: field(6, bool, {
    pointer: true,
    about: 'Removes an object that can no longer be read, without looking at its finalizers.',
  }),
}));
export type DeleteOptions = Infer<typeof deleteOptions>;

const statusCause = struct(home, 'StatusCause', 'One thing that went wrong.', () => ({
  reason: field(1, string, { about: 'Machine-readable cause.' }),
  message: field(2, string, { about: 'The cause in words.' }),
  field: field(3, string, { about: 'The field that caused it.' }),
}));

export const statusDetails = struct(home, 'StatusDetails', 'What a Status speaks of.', () => ({
  name: field(1, string, { about: 'Name of the object.' }),
  group: field(2, string, { about: 'API group of the object.' }),
  kind: field(3, string, { about: 'Kind or resource of the object.' }),
  uid: field(6, string, { goType: 'types.UID', about: 'UID of the object.' }),
  causes: field(4, listOf(statusCause), { listType: 'atomic', about: 'More on the failure, one entry a cause.' }),
  retryAfterSeconds: field(5, int32, { about: 'Wait this long before trying again.' }),
}));

export const status = struct(home, 'Status', 'Outcome of a request that returns no object.', () => ({
  metadata: field(1, listMeta, { always: true, about: 'List metadata.' }),
  status: field(2, string, { about: 'Success or Failure.' }),
  message: field(3, string, { about: 'The outcome in words.' }),
  reason: field(4, string, { goType: 'StatusReason', about: 'Machine-readable reason of a failure.' }),
  details: field(5, statusDetails, { pointer: true, about: 'What the status speaks of.' }),
  code: field(6, int32, { about: 'HTTP status code.' }),
}));

export const partialObjectMetadata = struct(
  home,
  'PartialObjectMetadata',
  'The metadata of an object of any kind.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
  }),
);

export const watchEvent = struct(home, 'WatchEvent', 'Something that happened to an object.', () => ({
  type: field(1, string, { always: true, required: true, about: 'ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.' }),
  object: field(2, rawExtension, { always: true, required: true, about: 'The object afterwards, or what went wrong.' }),
}));

const lists = new WeakMap<ObjectType, ObjectType>();

/** The collection of a type. */
export function listOfType(type: StructType): StructType;
export function listOfType(type: ObjectType): ObjectType;
export function listOfType(type: ObjectType): ObjectType {
  let list = lists.get(type);
  if (list === undefined) {
    list = type.is === 'struct' ? declaredList(type) : structuralList(type);
    lists.set(type, list);
  }
  return list;
}

function structuralList(type: StructuralType): StructuralType {
  const { listName = `${type.name}List` } = type;
  return {
    ...type,
    name: listName,
    about: `${listName} is a list of ${type.name}`,
    meta: listMeta,
    schema: undefined,
    items: type,
  };
}

function declaredList(type: StructType): StructType {
  return struct(type.home, `${type.name}List`, `A list of ${type.name} objects.`, () => ({
    metadata: field(1, listMeta, { always: true, about: 'Standard list metadata.' }),
    items: field(2, listOf(type), { always: true, required: true, about: 'The objects.' }),
  }));
}
