// The first document from its endpoints to its limits: paths, verbs, parameters, media types, watches, lists, writes, health, errors.

import { both, differs, type Section } from './sentence.ts';

const objects = (title: string) => `spec-objects: ${title}`;
const reads = (title: string) => `spec-reads: ${title}`;
const writes = (title: string) => `spec-writes: ${title}`;
const versions = (title: string) => `spec-versions: ${title}`;

const verbs = objects('POST, GET, PUT and PATCH answer with the object, DELETE with a status or the object');
const paths = objects('paths of collections, objects and sub-resources, with and without a namespace');
const parsed = 'src/meta/request-info: %s %s is %s';
const byPut = objects('a PUT creates or updates, by the state of the object');
const several = objects('deletecollection acts on several, by selector');
const oneObject = objects('there is no kind named List, and no request takes several objects');
const accepted = objects('Accept %s is answered as %s');
const refusedTypes = objects('where no type is supported the answer is 406');
const protobuf = objects('protobuf has four bytes and an envelope, and is taken by POST and PUT');
const table = objects('a table has its version, columns with name and type, and a row per object');
const fallback = objects('a type without tables answers with the fallback, or 406');
const state = reads('?%s begins with the state as ADDED events, then tells all later changes');
const after = reads('from a version tells only what came after it, and goes on where another one ended');
const bookmarks = reads(
  'has bookmarks where they are asked for, which carry a version and say that all before it was sent',
);
const cell = reads('%s');
const chunks = reads('come in chunks of one snapshot, with how many remain');
const withToken = reads('with a token it is that of the token, unset or 0; another is 400');
const tooLarge = reads('one that is too large is 504, with when to come back; a watch waits');
const fiveMinutes = reads('history, tokens and exact versions last five minutes, and are 410 then');
const dryRun = writes('answers every verb as the real request, and nothing of it stays');
const stages = writes('runs admission, defaults and validation');
const levels = writes('%s drops unknown and repeated fields, tells each of them, or refuses');
const typed = writes('types are always validated: %s');
const manager = writes('needs a manager, and creates what is absent');
const agents = writes('other writes record their manager: from the parameter, or from the user agent');
const conflicts = writes(
  'conflicts change nothing, and are resolved by force, by dropping the field, or by the live value',
);
const dropped = writes('what its only owner drops is deleted, or reset to its default');
const otherWrites = writes(
  'writes that are no apply never conflict, and take the field; a manager without fields goes',
);
const stripped = writes('managedFields are stripped by a %s patch with one empty entry');
const health = versions('/%s tells each check, one of them alone, and leaves some out');
const deprecatedUse = versions('the use of a deprecated version is told by a header, the audit log and a gauge');

export const requestSections: readonly Section[] = [
  {
    title: 'Endpoints',
    sentences: [
      both('GV is /api/v1 or /apis/<group>/<version>', paths),
      both('cluster: GET GV/<type>, GV/<type>/<name>, GV/<type>/<name>/<sub>', paths),
      both('namespaced: GET GV/<type> across all namespaces', paths),
      both('namespaced: GET in one namespace, one object, its sub-resource', paths),
      both('namespaces: GET /api/v1/namespaces and below', paths),
      both('POST on the collection: the created object', verbs),
      both('PUT on the object: the object', verbs),
      both('PATCH on the object: the object', verbs),
      both('DELETE on the object or the collection: a status or the object', verbs, several),
    ],
  },
  {
    title: 'Verbs',
    sentences: [
      both('get, list, watch, create, update, patch, delete, deletecollection by method and path', parsed),
      both('apply is its own patch type', manager),
      both(
        'proxy acts on one object',
        objects('a connection to a node or a service is a verb on one object'),
        'connect: passes method, path, query and body, and keeps who the client is',
      ),
      both('A PUT is a create or an update, by the state of the object', byPut),
      both('No request takes several objects', oneObject),
      both('list, watch and deletecollection act on several', state, several),
    ],
  },
  {
    title: 'Query parameters',
    sentences: [
      both('watch: a flag', state, reads('?%s is a list, and no watch')),
      both('resourceVersion', cell),
      differs('invalidListOptions', 'resourceVersionMatch: Exact or NotOlderThan; not without resourceVersion', cell),
      both('limit: at most so many', chunks),
      both('continue: the token of the chunk before', chunks),
      both('allowWatchBookmarks', bookmarks),
      differs(
        'emptyDryRun',
        'dryRun: no value, or All',
        dryRun,
        writes('without a value is none: the write is made, or the value is invalid'),
      ),
      both('fieldManager: required for apply', manager),
      both('fieldManager: otherwise computed from the user agent', agents),
      both('force: true overrides conflicts', conflicts),
      both('fieldValidation: Ignore, Warn, Strict; Warn by default', levels),
      differs(
        'barePretty',
        'pretty: a flag or boolean',
        'representations: gives people indented JSON and machines none',
      ),
    ],
  },
  {
    title: 'Content types',
    sentences: [
      both('Accept application/json: the default', accepted),
      both('Accept application/vnd.cluster.protobuf', accepted, protobuf),
      both('Protobuf is not for custom resources', objects('custom resources have no protobuf form')),
      both('Accept as=Table;g=meta.{api_domain};v=v1', table),
      both('Types without tables: list a fallback', fallback),
      both('Content-Type protobuf on POST and PUT', protobuf),
      both('Content-Type apply-patch+yaml, for JSON too', manager),
      both('Content-Type merge-patch+json', otherWrites),
      both('Content-Type json-patch+json', otherWrites),
      both('The answer has a Content-Type', accepted),
    ],
  },
  {
    title: 'Watching changes',
    sentences: [
      both(
        '1: a chunked stream of documents, one event each, after a version',
        reads('is a chunked stream, in which each change is a document that is sent when it is made'),
        after,
      ),
      both('2: restarted from the last version', after),
      differs('expiredWatch', '3: 410 Gone, then a new list', fiveMinutes),
      both('4: BOOKMARK: all changes up to its version were sent', bookmarks),
      both('4: only with allowWatchBookmarks', bookmarks),
    ],
  },
  {
    title: 'Chunked lists',
    sentences: [
      both('Off with the gate APIListChunking', reads('without the gate APIListChunking a list is never in chunks')),
      both('1: at most limit items, and continue when more remain', chunks),
      both('2: until continue is empty', chunks),
      both('3: one snapshot; later changes are not shown', chunks),
      both('4: an expired token is 410; the client begins again', fiveMinutes),
    ],
  },
  {
    title: 'resourceVersion semantics',
    sentences: [
      both('get: unset, 0, another', reads('get: unset, 0 and another that is not newer give the object')),
      both('list: unset is Most Recent, 0 Any, another Not older than', cell),
      both('list with limit: unset is Most Recent, another Exact', cell),
      differs('limitAtAnyVersion', 'list with limit and 0: a chunk at Any', cell),
      both('list with continue: unset and 0 are those of the token', withToken),
      both('list with continue and another: 400', withToken),
      differs('invalidListOptions', 'Exact: unset and 0 are invalid, with and without limit', cell),
      both('Exact: another is Exact, with and without limit', cell),
      differs('invalidListOptions', 'NotOlderThan: unset is invalid, with and without limit', cell),
      both('NotOlderThan: 0 is Any, another Not older than, with and without limit', cell),
      both('Exact: the version of the collection is the one asked for', cell),
      both('Exact: 410 if unavailable', fiveMinutes),
      both('Continue Token, Exact: the version of the first list', withToken, chunks),
      both('watch: unset is Get State and Start at Most Recent', state),
      both('watch: 0 is Get State and Start at Any', state),
      both('watch: another is Start at Exact, without synthetic events', after),
      both('Too large for get and list: 504 with Retry-After, and an error that says so', tooLarge),
      both('Too large for a watch: it waits until its time is over', tooLarge),
      differs('invalidResourceVersion', 'A version that is none is an invalid request'),
    ],
  },
  {
    title: 'Dry-run',
    sentences: [
      differs(
        'emptyDryRun',
        '1: without a value, side effects are allowed',
        writes('without a value is none: the write is made, or the value is invalid'),
      ),
      both('1: All runs admission, validation, defaulting and schema validation', stages),
      both('1: All merges a PATCH, and answers as the real request', dryRun),
      both('2: nothing is persisted, and there are no other effects', dryRun, writes('is charged to no quota')),
      both(
        '2: built-in plugins support it',
        stages,
        'src/admission/plugins/off-by-default: are made, and planned in a dry run',
      ),
      both(
        '2: refused where a plugin with side effects would be asked',
        writes('is refused where a webhook with side effects would be asked'),
      ),
      both('3: the rights of the real request', writes('needs the rights of the real request')),
      both(
        '4: made-up name, uid, times, ports and addresses',
        writes('makes up name, uid and time, and the addresses and ports of services'),
        'services: is not taken by a dry run',
      ),
    ],
  },
  {
    title: 'Field validation',
    sentences: [
      both('Types are always validated', typed),
      differs(
        'incompleteObject',
        'A missing required field is an error: 400',
        'both-dialects: lacks a required field that is told as a wrong value: 422, or 400',
        'both-dialects: a custom resource of a wrong type, or without a required field, is 422, or 400',
        'required-fields: a POST to %s without its required field is a bad request',
      ),
      both('Ignore drops unknown and repeated fields silently', levels),
      both('Warn drops them, with a Warning per field; the default', levels),
      both('Strict rejects with 400 and names all of them', levels),
      differs('strictPatch', 'Strict rejects a PATCH with 400', levels),
      differs(
        'applyValidation',
        'The levels hold for apply too',
        'both-dialects: %s is an error of the server, or a bad request',
      ),
      both(
        'Custom resources may preserve unknown fields',
        writes('custom resources that preserve unknown fields have none'),
      ),
      differs(
        'incompleteObject',
        'Another invalid part next to them: 400 at every level',
        'both-dialects: has something invalid next to an unknown or repeated field: 422, or 400 at every level',
      ),
    ],
  },
  {
    title: 'Server-side apply',
    sentences: [
      both('1: a PATCH by apply-patch+yaml; fieldManager is required', manager),
      both('2: merged into the live object, created if absent', manager),
      both('2: the applied value wins', conflicts),
      both('2: what the manager applied before and no other owns is removed', dropped),
      both('3: resolved by force, by dropping the field, by matching', conflicts),
      both('4: other operations record their manager, and never conflict', agents, otherWrites),
      both(
        '5: what is written through another type, such as a scale',
        writes('the scale of an object is tracked under its subresource'),
      ),
      both('6: stripped by a merge or JSON patch with one empty entry', stripped),
      differs(
        'managedFieldsReset',
        '6: an empty list does not reset',
        'apply-by-the-letter: are not reset by an empty list',
      ),
      differs(
        'managedFieldsReset',
        '6: the reset comes before other changes, which are owned then',
        'apply-by-the-letter: are reset before the other changes of the request, which are owned then',
      ),
      both(
        '7: controllers apply with force, without a read',
        writes('a controller applies with force, without a read and without a version'),
      ),
    ],
  },
  {
    title: 'Health endpoints',
    sentences: [
      both('GET /healthz, /livez, /readyz; 200 means well', health),
      both('/livez/<check> and /readyz/<check>', health),
      both('verbose prints each check as [+]<check> ok', health),
      both('exclude, repeatable: [+]<check> excluded: ok', health),
      differs('healthSummary', 'The last line is healthz check passed', health),
      differs('singleHealthCheck', 'verbose for a single check'),
      both('ping, log, the store, poststarthook, autoregister-completion, shutdown', health),
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
    title: 'Events',
    sentences: [
      both('Creates are ADDED, updates MODIFIED', state),
      both('Synthetic ADDED events open a watch at Most Recent or Any', state),
      both('Every delete, create or update after the version is reported', after, state),
    ],
  },
  {
    title: 'Errors and limits',
    sentences: [
      both('400: Strict with unknown or repeated fields', levels),
      both('400: wrong type', typed),
      both('400: continue with another resourceVersion', withToken),
      both('406: no media type of Accept is supported', refusedTypes),
      differs('expiredWatch', '410: a watch from before the history'),
      both('410: an expired token, an exact version that is gone', fiveMinutes),
      both('NotOlderThan with limit: what is newer can always be served here', fiveMinutes, cell),
      both('504: a version that did not become available', tooLarge),
      both('Warning: unknown fields', levels),
      both('Warning: deprecated API use', deprecatedUse),
      both('History for watches: 5 minutes by default', fiveMinutes),
      both('Lifetime of a token: 5 minutes by default', fiveMinutes),
      both('The client chooses the size of chunks', chunks),
      both(
        'Large lists do not keep others waiting',
        'spec-reads: a list of thousands of objects lets others have their turn, in every form',
      ),
    ],
  },
];
