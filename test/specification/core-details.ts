// The tables of the first document, row by row, as far as the sentences of their sections do not name each row.

import type { Section } from './sentence.ts';
import { both, differs } from './sentence.ts';

const removed =
  'src/groups/removed-versions: the cluster dialect has every row of the table, and warnings name its replacement';
const lossless = 'src/groups/removed-versions: %s loses nothing of %s %s';
const convert = 'src/cli/convert';
const row = (says: string, ...tests: readonly string[]) => both(says, removed, lossless, ...tests);

const paths = 'src/meta/request-info: %s %s is %s';
const readsAt = 'lists: reads at the latest, at any, at a not older and at an exact version';
const pages = 'lists: comes in pages that show one snapshot';

export const coreDetails: readonly Section[] = [
  {
    title: 'What the service does, in detail',
    sentences: [
      both('Every operation is a call to one HTTP server', 'embedding: acts as the user it is told to'),
      both('State is serialized into a backing store', 'embedding: keeps objects and identity over a restart'),
      both('Subresources allow fine-grained rights', 'rbac: %s %s: %s', 'src/authz/rbac/rbac: %j on %j'),
      both(
        'A subresource may have another representation',
        'custom-objects: scale shows and changes the numbers that the definition points at',
        'patches: goes through the scale of an object in the same way',
      ),
      both(
        'JSON and protobuf follow the same schema',
        'src/codec/protobuf/message: comes back from protobuf as it was',
      ),
      both('Watch, pages, tables, apply, dry-run, validation, health: see below', pages),
    ],
  },
  {
    title: 'Terms, row by row',
    sentences: [
      both('resource type: the name in the URL', paths),
      both(
        'kind: the schema of a type',
        'src/codec/decode-object: begins with its kind and apiVersion, then follows the declaration',
      ),
      both('collection: the kind with List appended', 'lists: says the same in every format'),
      both(
        'object: a single instance',
        'objects: fills in what the server owns and answers 201 with fields in declared order',
      ),
      both(
        'sub-resource: below one object, never across several',
        'src/meta/request-info: the subresource of %s %s is one segment',
      ),
      both('virtual: SubjectAccessReview is a POST', 'identity: answer for oneself and for others'),
      both('virtual: eviction is a sub-resource of Pod', 'pods: removes a pod that no budget covers'),
    ],
  },
  {
    title: 'Names and scope, number by number',
    sentences: [
      both('1: every object has a unique name', 'objects: refuses a name that is taken, per kind and namespace'),
      both(
        '2: one of a kind, name and namespace at a time',
        'objects: refuses a name that is taken, per kind and namespace',
      ),
      both('2: the name is free after deletion', 'namespaces: may be made anew under the same name'),
      both(
        '3: names of kinds without namespace are unique in the cluster',
        'versions: a name taken in one is taken in the other',
      ),
      both('4: objects go with their namespace', 'namespaces: with two thousand objects goes in one go'),
      both(
        '4: rights are checked in the namespace',
        'rbac: of a namespace do not open resources of the cluster through it',
      ),
      both(
        '4: a namespace is cluster-scoped',
        'src/meta/request-info: a namespaced object is found where it is written to',
      ),
      both(
        '5: items of a list are of its kind',
        'lists: is sorted by name and does not repeat kind and apiVersion in its items',
      ),
      both(
        '5: there is no kind named List',
        'objects: refuses a namespace that does not exist, a version, another kind and another apiVersion',
      ),
    ],
  },
  {
    title: 'Object metadata, row by row',
    sentences: [
      both('name', 'objects: refuses %s with a 422 that names the field'),
      both(
        'generateName: the prefix of a random name',
        'src/meta/names: is its base and five characters that spell no words',
      ),
      both('namespace', 'objects: takes the namespace from the URL and refuses another one'),
      both('uid: made by the server', 'objects: refuses another name, another uid and changed immutable metadata'),
      both(
        'resourceVersion of an object: its last change',
        'objects: is refused when the version is stale, and does not write when nothing changes',
      ),
      both('resourceVersion of a collection: when it was made', pages),
      both('creationTimestamp', 'embedding: stamps objects with the time the test says'),
      both(
        'deletionTimestamp: unset on a live object',
        'patches: a create that says it is being deleted is no such thing, and owns nothing of it',
      ),
      both(
        'finalizers: no order',
        'deletion: leaves a name taken until the last finalizer is gone, and everything but finalizers free to change',
      ),
      both('managedFields', 'writes: of managedFields: an entry says who, how, in which version, when and what'),
      both('labels, annotations: maps of text', 'objects: a wrong type is a 400 that names the field'),
    ],
  },
  {
    title: 'Collections, events, tables and envelopes, row by row',
    sentences: [
      both('kind and apiVersion of a collection', 'lists: says the same in every format'),
      both('metadata.resourceVersion is constant across chunks', pages),
      both('metadata.continue is empty on the last chunk', pages),
      both('remainingItemCount: omitted with a selector', 'lists: by a selector comes in pages without a count'),
      both('remainingItemCount: omitted where the list is complete', pages),
      both('items', 'lists: of all namespaces contains those of each'),
      both('an event is one JSON document', 'watch: gets the same bytes as every other watch of the same things'),
      both(
        'type: ADDED, MODIFIED',
        'watch: reports an object that starts or stops matching its selector as added or deleted',
      ),
      both(
        'object: the whole object',
        'watch: from a version reports what came after it, the deleted object with the version of its deletion',
      ),
      both(
        'Table: kind, apiVersion, columnDefinitions, rows',
        'src/codec/render: describes its columns and carries its metadata',
      ),
      both(
        'the envelope: four bytes, then Unknown',
        'src/codec/protobuf/wire: is four magic bytes and a message that writes all four fields',
      ),
      both('another prefix is rejected', 'src/codec/protobuf/wire: with the first bytes %s is refused'),
      both('contentType unset is the protobuf type', 'src/codec/protobuf/wire: is opened as it was sealed'),
    ],
  },
  {
    title: 'managedFields and markers, row by row',
    sentences: [
      both('manager', 'apply: are recorded under the name they give, or the first word of the user agent'),
      both(
        'operation: Apply or Update',
        'writes: of managedFields: an entry says who, how, in which version, when and what',
      ),
      both(
        'apiVersion',
        'src/apply/field-manager: what was applied in another version is removed when it is no longer applied',
      ),
      both(
        'fieldsV1: f: keys, empty leaves',
        'writes: of managedFields: an entry says who, how, in which version, when and what',
      ),
      both(
        'listType atomic, set, map',
        'src/apply/typed/topology: entries of sets and of lists by key have owners of their own',
      ),
      both('listMapKey: unique in the list', 'src/apply/typed/topology: values that have to be unique may not repeat'),
      both(
        'mapType, structType: atomic or granular',
        'src/apply/typed/topology: the map or struct %s has one owner: %s',
      ),
      both('patchMergeStrategy stands for listType=map', 'src/apply/typed/topology: %s is %j'),
      both(
        'without a schema: keys are fields, lists are atomic',
        'custom-objects: apply merges lists and maps as the schema marks them, and what has no schema by its keys',
      ),
      both(
        'the schema of a custom resource is honored',
        'custom-objects: apply merges lists and maps as the schema marks them, and what has no schema by its keys',
      ),
    ],
  },
  {
    title: 'Deletion and ownership, row by row',
    sentences: [
      both('Live, first delete', 'deletion: marks an object with finalizers, which goes with the last of them'),
      both(
        'Terminating, a finalizer of several removed',
        'deletion: leaves a name taken until the last finalizer is gone, and everything but finalizers free to change',
      ),
      both(
        'Terminating, the last one removed',
        'deletion: marks an object with finalizers, which goes with the last of them',
      ),
      both('its namespace deleted', 'deletion: become Terminating, refuse new content, and go with everything in them'),
      both('dropped items of lists and maps go too', 'src/apply/ownership-table: for items of lists and maps the same'),
      both(
        'the other owner may be one that updates',
        'src/apply/ownership-table: the other owner may also be a manager that updates',
      ),
    ],
  },
  {
    title: 'Endpoints and verbs, row by row',
    sentences: [
      both('cluster: collection, object, sub-resource', paths),
      both('namespaced: across all namespaces', 'lists: of all namespaces contains those of each'),
      both('namespaced: in one, one object, its sub-resource', paths),
      both('/api/v1/namespaces and below', 'src/meta/request-info: %s names %s'),
      both(
        'POST: the created object',
        'objects: fills in what the server owns and answers 201 with fields in declared order',
      ),
      both('PUT: the object', 'objects: replaces the whole object and keeps what the server owns'),
      both('PATCH: the object', 'objects: merges, edits and removes by each of the three formats'),
      both(
        'DELETE: a Status or the object',
        'deletion: removes an object without finalizers at once and answers with a Status',
      ),
      both('DELETE of a collection', 'deletion: of a collection obeys selectors, limits and options'),
      both('the verbs of requests', paths),
      both('proxy', 'identity-lessons: %s needs the right to create, whatever the method'),
      both('a PUT creates or updates', 'services: by PUT creates a service that is missing'),
      both(
        'no request has several objects',
        'objects: refuses a namespace that does not exist, a version, another kind and another apiVersion',
      ),
      both(
        'list, watch, deletecollection act on several',
        'deletion: of a collection removes what a list with the same selector would show',
      ),
    ],
  },
  {
    title: 'Parameters and media types, row by row',
    sentences: [
      both('watch=1', 'watch: without a version (%s) begins with what is there'),
      both('resourceVersion', readsAt),
      both('resourceVersionMatch: Exact or NotOlderThan', 'lists: refuses %s'),
      both('limit: at most so many', pages),
      both('continue', 'lists: refuses the token in %s with a 400'),
      both('allowWatchBookmarks', 'watch: sends a bookmark every minute to those who want them'),
      both('dryRun=All', 'writes: of every verb answers as the real request and leaves no trace, not even for a watch'),
      both('fieldManager: required for apply', 'apply: with %j is refused'),
      both(
        'force=true',
        "src/apply/ownership-table: apply by B, value differs, force=true: value changed; B sole owner; gone from other managers' entries",
      ),
      both(
        'fieldValidation: Warn is the default',
        'objects: unknown fields are dropped with a warning, refused, or dropped in silence',
      ),
      both('pretty', 'src/codec/accept: ?%s of %s: %s'),
      both('Accept: JSON is the default', 'src/codec/accept: for %j is %s'),
      both('Accept: protobuf, not for custom resources', 'custom-objects: has no protobuf form, and tables of it have'),
      both('Accept: Table of meta v1', 'src/codec/accept: what kubectl sends gives a table'),
      both('Content-Type: protobuf on POST and PUT', 'representations: round trips: what is read can be written back'),
      both(
        'Content-Type: apply-patch+yaml, JSON too',
        'apply-by-the-letter: a configuration is applied as YAML and as JSON, under the same type',
      ),
      both('Content-Type: merge-patch+json, json-patch+json', 'patches: by %s, %j, leaves the data %j'),
      both('the answer names its type', 'representations: of a patch is by its type'),
    ],
  },
  {
    title: 'Watching, number by number',
    sentences: [
      both(
        '1: changes after a version',
        'watch: from a version reports what came after it, the deleted object with the version of its deletion',
      ),
      both(
        '2: restarted from the last version',
        'watch-history: what history told does not come again when the cache hears of it',
      ),
      both('3: 410, then a new list', 'lists: is answered with a token to go on with what there is now'),
      both(
        '4: a BOOKMARK says that all before it was sent',
        'watch: sends a last bookmark two seconds before its time is up',
      ),
      both('creates, updates and deletes are all reported', 'watch: stays inside its namespace and its object'),
    ],
  },
  {
    title: 'resourceVersion, cell by cell',
    sentences: [
      both('get: unset, 0, another', readsAt),
      both('list without match or limit: most recent, any, not older', readsAt),
      both('list with limit: most recent, any, exact', pages, readsAt),
      both('list with continue: unset is that of the token', pages),
      both('list with continue and rv=0: as if unset', 'lists: refuses %s with a 400'),
      both('list with continue and another rv: 400', 'lists: refuses %s with a 400'),
      both('Exact: unset and 0 are invalid', 'lists: refuses %s'),
      both('Exact: another is exact, with and without limit', readsAt),
      both('NotOlderThan: unset is invalid', 'lists: refuses %s'),
      both('NotOlderThan: 0 is any, another not older', readsAt),
      both('the version of an exact list is the one asked for', readsAt),
      both('watch: unset and 0 begin with the state', 'watch: without a version (%s) begins with what is there'),
      both(
        'watch: another has no synthetic events',
        'watch: from a version reports what came after it, the deleted object with the version of its deletion',
      ),
      both(
        'too large a version: 504 with Retry-After',
        'lists: answers a version that is too large with 504 and when to come back',
      ),
      both('too large a version: a watch waits', 'watch: may begin at a version that is still to come'),
    ],
  },
  {
    title: 'Dry-run, validation and apply, number by number',
    sentences: [
      both(
        'dry-run 1: every stage, the normal status code',
        'apply-by-the-letter: admission that changes, defaults and the answer of the real request',
      ),
      both(
        'dry-run 1: validation and decoding too',
        'apply-by-the-letter: admission that refuses, validation and decoding',
      ),
      both('dry-run 1: merge of a PATCH', 'apply-by-the-letter: a patch is merged'),
      both(
        'dry-run 2: no effects, also of built-in plugins',
        'services: is not taken by a dry run',
        'src/admission/plugins/off-by-default: are made, but not on trial',
      ),
      both('dry-run 3: the same rights', 'writes: needs the same rights as the real request'),
      both(
        'dry-run 4: made-up values',
        'writes: makes up a name, a uid and a time, and refuses what the real request would',
      ),
      both('types are always validated', 'objects: a wrong type is a 400 that names the field'),
      both('a Warning item per field', 'patches: unknown fields of YAML are told in alphabetical order'),
      both('Strict names all fields', 'apply: ignores, warns of or refuses what repeats and what is unknown'),
      both(
        'custom resources may preserve unknown fields',
        'older-definitions: without a schema objects keep everything, and the definition says that it has none',
      ),
      both('repeated fields', 'writes: tells keys that repeat, which are read into what the first one has set'),
      both('apply 1: fieldManager is required', 'apply: with %j is refused'),
      both('apply 2: creates what is absent', 'apply: creates, changes, and leaves alone what is the same'),
      both(
        'apply 3: conflicts are resolved three ways',
        'apply-by-the-letter: a conflict is resolved by force, by dropping the field, or by matching the live value',
      ),
      both(
        'apply 4: other writes never conflict',
        'apply-by-the-letter: writes that are no apply never conflict, whichever manager owns what they change',
      ),
      both(
        'apply 5: what is written through another type, such as a scale',
        'apply: the manager that scales owns the replicas',
      ),
      both(
        'apply 6: managedFields are stripped',
        'apply: reset managedFields with an empty list, or a list with one empty entry',
      ),
      both(
        'apply 6: the reset comes first',
        'apply-by-the-letter: are reset before the other changes of the request, which are owned then',
      ),
      both(
        'apply 7: with force, without a read',
        'apply-by-the-letter: a controller applies with force, without reading the object or its version first',
      ),
    ],
  },
  {
    title: 'Health, row by row',
    sentences: [
      both('/healthz, /livez, /readyz', 'discovery: %s is ok, one by one and in words'),
      both(
        '/livez/<check>, /readyz/<check>',
        'health: each check has a path of its own, which says ok however it is asked',
      ),
      both('verbose, exclude', 'discovery: a check can be left out, and one that does not exist is pointed out'),
      both(
        'ping, log, the store, poststarthook, autoregister-completion, shutdown',
        'health: has the checks of the reference for what exists here, in its order',
      ),
      both(
        '--livez-grace-period',
        'src/server/health-state: for a while a server counts as alive though its start is not finished, but not as ready',
      ),
      both(
        '--shutdown-delay-duration',
        'src/server/server: a server that is told to close is not ready at once, and goes on until others had time to notice',
      ),
    ],
  },
  {
    title: 'Errors and limits, row by row',
    sentences: [
      both('400: Strict, wrong types', 'objects: a wrong type is a 400 that names the field'),
      both('400: continue with another version', 'lists: refuses %s with a 400'),
      both('406', 'src/codec/accept: any header gives a representation or a 406'),
      both('410: an expired token', 'lists: is answered with a token to go on with what there is now'),
      both('410: a watch of old', 'watch: from history that is gone gets an ERROR event with a 410'),
      both('504', 'lists: answers a version that is too large with 504 and when to come back'),
      both('Warning: unknown fields, deprecated versions', 'versions: warn, in the words clients know'),
      both(
        'history and tokens last five minutes',
        'src/config/options: history is compacted in etcd after its own interval, or not at all',
      ),
      both('the client chooses the size of chunks', pages),
      both('large lists do not keep others waiting', 'lists: lets others have their turn, whatever it looks like'),
    ],
  },
  {
    title: 'Versioning and deprecation, rule by rule',
    sentences: [
      both(
        'alpha is off by default',
        'src/config/runtime-config: stable versions are served without being asked for, others are not',
      ),
      differs(
        'betaVersions',
        'beta is on by default',
        'both-dialects: beta versions are served when they are turned on, or unless they are turned off',
      ),
      differs('betaGates', 'gates: alpha is off by default, beta is on'),
      both('/api/v1, /apis/<group>/<version>', 'discovery: lists versions, groups and resources'),
      both(
        '--runtime-config: batch/v1=false, batch/v2alpha1, one resource',
        'src/config/runtime-config: one resource can be switched, whatever holds for its version',
        'src/config/runtime-config: %s',
      ),
      both('rule 1: nothing is removed within a version', 'catalog: goes through all its verbs'),
      both('rule 2: versions convert without loss', lossless),
      both(
        'rule 4a: stored versions stay readable',
        'stored-values: what an older server stored as %s is completed by the defaults that came up since',
      ),
      both(
        'rule 4b: the stored version moves on',
        'storage-version-migration: a built-in kind that was stored in an older version is stored in the current one',
      ),
      both(
        'rules 5, 6: flags keep working, and say so where they have no effect',
        'src/cli/known-flags: is known once, and works or says why it has no effect',
      ),
      both(
        'rules 8, 9: gates stay, locked ones refuse',
        'src/config/feature-gates: the gates are those of the release, with stage, default and lock',
        'src/config/feature-gates: a locked gate may be given the value it has',
      ),
      both(
        'rule 9a, 9b: metrics are hidden after three releases',
        'src/config/options: metrics are those of this release, or of the one before',
      ),
      both(
        '--show-hidden-metrics-for-version',
        'src/config/options: metrics are those of this release, or of the one before',
      ),
      both('deprecated versions: Warning', 'versions: warn, in the words clients know'),
      both('deprecated versions: the audit annotation', 'audit: marks the use of deprecated resources'),
      both('deprecated versions: the gauge and its labels', 'versions: are counted'),
    ],
  },
  {
    title: 'Removed API versions, row by row',
    sentences: [
      row('1.27 CSIStorageCapacity v1beta1'),
      row(
        '1.26 FlowSchema, PriorityLevelConfiguration v1beta1',
        `${convert}: shares of flow control %s are assured ones`,
      ),
      row('1.26 HorizontalPodAutoscaler v2beta2', `${convert}: those of v2beta2 are the same`),
      row('1.25 CronJob v1beta1'),
      row(
        '1.25 EndpointSlice v1beta1',
        `${convert}: node and zone of an endpoint leave the topology map, and come back`,
      ),
      row(
        '1.25 Event v1beta1',
        `${convert}: events of v1beta1 come out with their fields, old ones included`,
        'versions: an event may leave out what is needed now',
      ),
      row(
        '1.25 HorizontalPodAutoscaler v2beta1',
        `${convert}: flat metrics of v2beta1 get a target of their own, and lose it again`,
      ),
      row('1.25 PodDisruptionBudget v1beta1', `${convert}: select nothing in v1beta1, and still do in v1`),
      row(
        '1.25 PodSecurityPolicy',
        'both-dialects: the table advises pod-security admission in place of pod security policies',
      ),
      row('1.25 RuntimeClass v1beta1'),
      row(
        '1.22 webhook configurations v1beta1',
        `${convert}: webhooks of v1beta1 ignore failures unless they say otherwise`,
      ),
      row(
        '1.22 CustomResourceDefinition v1beta1',
        `${convert}: a definition of one version gets its schema and columns into that version`,
      ),
      row('1.22 APIService, TokenReview, Lease, IngressClass v1beta1'),
      row('1.22 access reviews v1beta1', `${convert}: groups of a review are called so`),
      row('1.22 CertificateSigningRequest v1beta1'),
      row('1.22 Ingress', `${convert}: get backends with a service`, `${convert}: come back as %s`),
      row('1.22 roles, bindings, PriorityClass v1beta1'),
      row('1.22 CSIDriver, CSINode, StorageClass, VolumeAttachment v1beta1'),
      row('1.16 NetworkPolicy'),
      row('1.16 DaemonSet, StatefulSet', `${convert}: %s %s is updated when its pods are deleted`),
      row(
        '1.16 Deployment',
        `${convert}: a deployment of extensions/v1beta1 keeps what was implied`,
        `${convert}: what apps/v1 no longer has is left out`,
      ),
      row('1.16 ReplicaSet', 'both-dialects: apps/v1beta1 has no ReplicaSets, or has them'),
      row('1.16 PodSecurityPolicy of extensions'),
    ],
  },
];
