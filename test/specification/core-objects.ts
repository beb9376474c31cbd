// The first document up to its states and transitions: what the service does, resources and their fields, deletion and ownership.

import { both, differs, type Section } from './sentence.ts';

const objects = (title: string) => `spec-objects: ${title}`;
const reads = (title: string) => `spec-reads: ${title}`;
const writes = (title: string) => `spec-writes: ${title}`;
const ownership = (title: string) => `src/apply/ownership-table: ${title}`;
const topology = (title: string) => `src/apply/typed/topology: ${title}`;

const verbs = objects('POST, GET, PUT and PATCH answer with the object, DELETE with a status or the object');
const paths = objects('paths of collections, objects and sub-resources, with and without a namespace');
const taken = objects('are taken once per kind and namespace, and free after deletion');
const goingNamespace = objects('a namespace that goes takes its objects along, those that are going already too');
const scopes = objects('every type is of the cluster or of a namespace, and namespaces are of the cluster');
const noList = objects('there is no kind named List, and no request takes several objects');
const virtual = objects('virtual resources are answered, and not stored');
const metadata = objects('uid, versions and times are those of the server');
const versions = objects('resourceVersion is that of the last change, and of a collection that of its construction');
const finalizers = objects('finalizers go in any order, and the object with the last of them');
const texts = objects('labels and annotations are maps of text');
const table = objects('a table has its version, columns with name and type, and a row per object');
const protobuf = objects('protobuf has four bytes and an envelope, and is taken by POST and PUT');
const collections = reads('have the kind with List appended, their version and items of that kind');
const chunks = reads('come in chunks of one snapshot, with how many remain');
const selected = reads('chosen by a selector have no count of what remains');
const state = reads('?%s begins with the state as ADDED events, then tells all later changes');
const bookmarks = reads(
  'has bookmarks where they are asked for, which carry a version and say that all before it was sent',
);
const entry = writes('records manager, operation, version, time and fields');
const otherWrites = writes(
  'writes that are no apply never conflict, and take the field; a manager without fields goes',
);
const conflicts = writes(
  'conflicts change nothing, and are resolved by force, by dropping the field, or by the live value',
);
const dropped = writes('what its only owner drops is deleted, or reset to its default');
const markers = writes('merge markers are in the documents, in the word of the dialect');
const customApply =
  'custom-objects: apply merges lists and maps as the schema marks them, and what has no schema by its keys';
const schemaless = writes('what no schema describes is merged by its keys, and its lists are atomic');
const eitherWord = writes('schemas of custom resources mark lists and maps in the word %s');

export const objectSections: readonly Section[] = [
  {
    title: 'Notation',
    sentences: [
      both(
        '{api_domain}, {label_domain} and both namespaces are a choice of the server',
        'embedding: the cluster dialect speaks neutral names and the domains it is given',
        'dialect-names: everything that is stored, as objects and as tables',
        'dialect-names: objects of every kind, as they are created',
      ),
      both('Identifiers with a product name use the neutral word cluster', 'dialect-names: %s', markers),
    ],
  },
  {
    title: 'What the service does',
    sentences: [
      both(
        'An HTTP server; every operation is a call to it',
        verbs,
        'specified-access: callers are known first, then allowed, then admitted, and then the store is asked',
      ),
      both('The state of resources is serialized into a store', 'embedding: keeps objects and identity over a restart'),
      both('Resources are retrieved, created, updated and deleted by GET, POST, PUT, PATCH, DELETE', verbs),
      both('Subresources have rights of their own', 'rbac: %s %s: %s', 'src/authz/rbac/rbac: %j on %j'),
      both('Subresources may have another representation', paths),
      both(
        'JSON and protobuf follow the same schema',
        'src/codec/protobuf/message: comes back from protobuf as it was',
      ),
    ],
  },
  {
    title: 'Terms',
    sentences: [
      both('resource type: the name in the URL', paths, 'src/meta/request-info: %s %s is %s'),
      both(
        'kind: the schema of a type',
        objects('a kind is the schema of a type: documents name it, and objects of the type have it and its fields'),
      ),
      both('collection: the kind with List appended', collections, paths),
      both('sub-resource: below a resource, never across several', paths),
      both('object type: an instance of a concept', verbs),
      both('virtual type: a permission check is a POST of a SubjectAccessReview', virtual),
      both('virtual type: eviction is a sub-resource of Pod', virtual),
    ],
  },
  {
    title: 'Names and scope',
    sentences: [
      both('1: every object has a unique name', taken),
      both('1: virtual types may lack names', virtual),
      both('2: one object of a kind and name in a namespace', taken),
      both('2: after deletion the name is free', taken),
      both(
        '3: names of kinds without namespace are unique in the cluster',
        objects('of kinds without a namespace are unique in the whole cluster'),
      ),
      both('4: a type is of the cluster or of a namespace', scopes),
      both('4: objects go with their namespace', goingNamespace),
      both('4: rights are checked in the namespace', objects('rights in a namespace open that namespace only')),
      both('4: a namespace is of the cluster', scopes),
      both('5: items of a collection are of its kind', collections),
      both('5: there is no kind named List', noList),
    ],
  },
  {
    title: 'Object metadata',
    sentences: [
      both('name: unique', taken),
      both(
        'name: generated from generateName, unique and random',
        objects('are made of generateName where that is set'),
      ),
      both('generateName: the prefix', objects('are made of generateName where that is set')),
      both('namespace', metadata, 'objects: takes the namespace from the URL and refuses another one'),
      both('uid: of the server, random', metadata),
      both('resourceVersion of an object: its last change', versions),
      both('resourceVersion of a collection: its construction', versions),
      both('resourceVersion is passed back unmodified', versions),
      both('creationTimestamp: set by the server', metadata),
      both('deletionTimestamp: unset on a live object', finalizers, metadata),
      differs('deletionTimestamp', 'deletionTimestamp: the current time, by the first delete request', finalizers),
      both('finalizers: any actor may reorder them; no order is enforced', finalizers),
      both('managedFields: of the server', entry),
      both('labels, annotations: maps of string to string', texts),
    ],
  },
  {
    title: 'Collection response',
    sentences: [
      both('kind: <Kind>List', collections),
      both('apiVersion: group and version', collections),
      both('metadata.resourceVersion: constant across chunks', chunks),
      both('metadata.continue: empty or absent on the last chunk', chunks),
      both('metadata.remainingItemCount: items not in this response', chunks),
      both('remainingItemCount: omitted with a label or field selector', selected),
      both('remainingItemCount: omitted where the list is complete or not chunked', chunks, collections),
      both('items: objects of the kind', collections),
      differs('emptyMetadataList', 'items: a list, also where metadata alone is asked for and there is none'),
    ],
  },
  {
    title: 'Watch event',
    sentences: [
      both('One JSON document per event', state),
      both('type: ADDED, MODIFIED', state),
      both('type: BOOKMARK', bookmarks),
      both('object: the whole object', state),
      differs('stateEnd', 'BOOKMARK: only metadata.resourceVersion', bookmarks),
      differs('bookmarkObject', 'BOOKMARK: nothing of its kind'),
    ],
  },
  {
    title: 'Table representation',
    sentences: [
      both('kind Table, apiVersion meta.{api_domain}/v1', table),
      both('columnDefinitions, each with name and type; rows', table),
      differs(
        'defaultTableColumn',
        'Kinds without columns: Name (string) and Created At (date)',
        'both-dialects: a custom resource without columns shows its age, or when it was created',
      ),
    ],
  },
  {
    title: 'Protobuf envelope',
    sentences: [
      both('Four bytes 6b 38 73 00, then the message Unknown', protobuf),
      both(
        'typeMeta, raw, contentEncoding and contentType by number',
        'src/codec/protobuf/wire: is four magic bytes and a message that writes all four fields',
      ),
      both('raw: the full object', protobuf),
      both(
        'contentType unset is the protobuf type',
        objects('an envelope that leaves out the type of its content holds protobuf'),
      ),
      both('Another prefix is rejected', protobuf, 'src/codec/protobuf/wire: with the first bytes %s is refused'),
    ],
  },
  {
    title: 'managedFields entry',
    sentences: [
      both('manager', entry, writes('other writes record their manager: from the parameter, or from the user agent')),
      both('operation: Apply or Update', entry, otherWrites),
      both(
        'apiVersion: the version the fields refer to',
        entry,
        'src/apply/field-manager: what was applied in another version is removed when it is no longer applied',
      ),
      both('time', entry),
      both('fieldsType: FieldsV1', entry),
      both('fieldsV1: keys with f:, leaves are empty maps', entry),
      both('An applied object must not carry managedFields', entry),
    ],
  },
  {
    title: 'Merge markers',
    sentences: [
      both('x-cluster-list-type: atomic, set, map', markers),
      both('x-cluster-list-map-keys: names of fields', markers),
      both('x-cluster-map-type, of maps and structs', markers),
      both(
        'atomic list: replaced whole, one owner',
        topology('the atomic list type is recursive: nothing in it has its own owner'),
      ),
      both(
        'set and map: entries have owners of their own',
        topology('entries of sets and of lists by key have owners of their own'),
      ),
      both('Key values are unique in the list', topology('values that have to be unique may not repeat')),
      both('mapType and structType: atomic or granular', topology('the map or struct %s has one owner: %s')),
      both('Without listType, patchMergeStrategy=merge is listType=map', topology('%s is %j')),
      both(
        'The atomic list type is recursive',
        topology('the atomic list type is recursive: nothing in it has its own owner'),
      ),
      both('Custom resources without a schema: keys are fields, lists are atomic', schemaless),
      both('Custom resources with a schema: the extensions are honored, in either word', customApply, eitherWord),
    ],
  },
  {
    title: 'Object deletion',
    sentences: [
      both('Live, first delete: Terminating, deletionTimestamp is set', finalizers),
      both('Terminating, a finalizer of several removed: Terminating', finalizers),
      both('Terminating, the last finalizer removed: gone from the store', finalizers),
      both('Live or Terminating, namespace deleted: gone', goingNamespace),
    ],
  },
  {
    title: 'Field ownership under server-side apply',
    sentences: [
      both(
        'Other value, no force: conflict; nothing changes; A still owns',
        conflicts,
        ownership('apply by B, value differs, force not true: conflict error; nothing changes; A still owns'),
      ),
      both(
        "Other value, force: changed; B sole owner; gone from other managers' entries",
        conflicts,
        ownership(
          "apply by B, value differs, force=true: value changed; B sole owner; gone from other managers' entries",
        ),
      ),
      both('Same value: shared', conflicts, ownership('apply by B, same value: A and B share ownership')),
      both(
        'Shared, changed by an owner: conflict',
        conflicts,
        ownership('apply by any owner, value changed: conflict'),
      ),
      both(
        "Dropped, another owns it: value unchanged, B's claim removed",
        conflicts,
        ownership(
          "applied by B, apply by B without the field, another manager owns it: value unchanged; B's claim removed",
        ),
        ownership('the other owner may also be a manager that updates'),
      ),
      both('Dropped, no other owner: deleted, or reset to its default', dropped),
      both('Dropped items of lists and maps: the same', ownership('for items of lists and maps the same')),
      both('POST, PUT, other PATCH: no conflict; the updater becomes owner', otherWrites),
      both('A manager without fields: its entry goes', otherWrites),
      both(
        'Topology made atomic: owners of an element own the whole; later changes conflict',
        ownership('the whole belongs to those who owned an element; later changes conflict'),
      ),
      both(
        'Topology made granular: not inferred; sub-fields change without conflict',
        ownership(
          'new ownership not inferred; the field stays with its owner; sub-fields become changeable without conflict',
        ),
      ),
    ],
  },
];
