// The sentences of the specification that a client can test, in the order of its sections, and the tests that show them.

import { accessDetails } from './access-details.ts';
import { coreDetails } from './core-details.ts';
import { both, differs, type Section } from './sentence.ts';

const plugins = 'src/admission/plugins';
const admission = 'specified-admission';
const access = 'specified-access';
const ownership = 'src/apply/ownership-table';

const coreSentences: readonly Section[] = [
  {
    title: 'What the service does; names and scope',
    sentences: [
      both(
        'A resource has GET, POST, PUT, PATCH and DELETE',
        'objects: merges, edits and removes by each of the three formats',
      ),
      both('A name is unique per kind and namespace', 'objects: refuses a name that is taken, per kind and namespace'),
      both('After deletion the name is free again', 'namespaces: may be made anew under the same name'),
      both(
        'A type is cluster-scoped or namespaced',
        'src/meta/request-info: %s, where resources with a namespace is %s, fits: %s',
      ),
      both(
        'Objects go with their namespace',
        'deletion: become Terminating, refuse new content, and go with everything in them',
      ),
      both(
        'Items of a list are of the kind the list is named for',
        'lists: is sorted by name and does not repeat kind and apiVersion in its items',
      ),
      both(
        'Sub-resources are paths below one object',
        'src/meta/request-info: the subresource of %s %s is one segment',
      ),
      both('Virtual resources: a review is answered, not stored', 'identity: answer for oneself and for others'),
    ],
  },
  {
    title: 'Object metadata',
    sentences: [
      both(
        'uid, creationTimestamp and resourceVersion are set by the server',
        'objects: fills in what the server owns and answers 201 with fields in declared order',
      ),
      both(
        'generateName gives a unique random name',
        'objects: generates a name from generateName and tries again when it is taken',
      ),
      both(
        'resourceVersion is passed back; a stale one is refused',
        'objects: is refused when the version is stale, and does not write when nothing changes',
      ),
      differs('deletionTimestamp', 'deletionTimestamp is set to the current time by the first delete'),
      both(
        'Finalizers may be reordered and removed by any actor with permission',
        'deletion: leaves a name taken until the last finalizer is gone, and everything but finalizers free to change',
      ),
      both(
        'managedFields are maintained by the server',
        'writes: of managedFields: an entry says who, how, in which version, when and what',
      ),
    ],
  },
  {
    title: 'Collections, watch events, tables and protobuf',
    sentences: [
      both(
        'continue is empty on the last chunk; one resourceVersion for all',
        'lists: comes in pages that show one snapshot',
      ),
      both('remainingItemCount is omitted with a selector', 'lists: by a selector comes in pages without a count'),
      both(
        'An event has type and object',
        'watch: from a version reports what came after it, the deleted object with the version of its deletion',
      ),
      differs(
        'stateEnd',
        'A BOOKMARK carries only metadata.resourceVersion',
        'watch: sends a bookmark every minute to those who want them',
      ),
      differs(
        'bookmarkObject',
        'A BOOKMARK carries no other field of its kind',
        'both-dialects: a bookmark is an object in which nothing is set, or a version only',
      ),
      both('A table has columnDefinitions and rows', 'representations: have columns, and a row per object'),
      differs(
        'defaultTableColumn',
        'Kinds without columns show Name and Created At',
        'both-dialects: a custom resource without columns shows its age, or when it was created',
      ),
      both(
        'Protobuf begins with 6b 38 73 00 and is an Unknown message',
        'src/codec/render: as protobuf comes in its envelope',
        'src/codec/protobuf/message: a ConfigMap has the bytes that Kubernetes gives it',
      ),
      both(
        "Both vendors' protobuf media types are understood",
        'representations: is understood under either vendor, and lists and watches have it too',
      ),
    ],
  },
  {
    title: 'managedFields and merge markers',
    sentences: [
      both(
        'An entry has manager, operation, apiVersion, time, fieldsType, fieldsV1',
        'writes: of managedFields: an entry says who, how, in which version, when and what',
      ),
      both('An applied object must not carry managedFields', 'apply: with %j is refused'),
      both('Lists are atomic, sets or maps by key', 'src/apply/typed/topology: %s is %j'),
      both(
        'The atomic list type is recursive',
        'src/apply/typed/topology: the atomic list type is recursive: nothing in it has an owner of its own',
      ),
      both('Key values are unique in a list', 'src/apply/typed/topology: values that have to be unique may not repeat'),
      both(
        'Maps and structs are atomic or granular',
        'src/apply/typed/topology: the map or struct %s has one owner: %s',
      ),
      both(
        'Schemas carry x-cluster-list-type and the like, in the word of the dialect',
        'both-dialects: schemas spell their markers with the word of the dialect',
      ),
      both(
        'Custom resources may use either word',
        'both-dialects: so it is for custom resources, whose schemas may spell their keywords with cluster',
      ),
    ],
  },
  {
    title: 'Deletion',
    sentences: [
      both(
        'First delete: Terminating, deletionTimestamp set',
        'deletion: marks an object with finalizers, which goes with the last of them',
      ),
      both(
        'Last finalizer removed: the object is gone',
        'deletion: marks an object with finalizers, which goes with the last of them',
      ),
      both(
        'Without finalizers the object goes at once',
        'deletion: removes an object without finalizers at once and answers with a Status',
      ),
      both(
        'A namespace that is deleted takes its objects along',
        'namespaces: with two thousand objects goes in one go',
      ),
    ],
  },
  {
    title: 'Field ownership',
    sentences: [
      both(
        'Other value, no force: conflict, nothing changes',
        `${ownership}: apply by B, value differs, force not true: conflict error; nothing changes; A still owns`,
      ),
      both(
        'Other value, force: the applier is sole owner',
        `${ownership}: apply by B, value differs, force=true: value changed; B sole owner; gone from other managers' entries`,
      ),
      both('Same value: shared', `${ownership}: apply by B, same value: A and B share ownership`),
      both('A shared field that one changes: conflict', `${ownership}: apply by any owner, value changed: conflict`),
      both(
        'Dropped, owned by another too: the claim goes, the value stays',
        `${ownership}: applied by B, apply by B without the field, another manager owns it: value unchanged; B's claim removed`,
      ),
      both(
        'Dropped, owned by no other: deleted, or reset to its default',
        `${ownership}: is deleted from the live object`,
        `${ownership}: or reset to its default if it has one`,
      ),
      both(
        'A write that is no apply never conflicts and takes the field',
        `${ownership}: a write that is no apply changes the value: no conflict; the updater becomes owner`,
      ),
      both(
        'A manager without fields is dropped',
        `${ownership}: a manager with no remaining fields: the entry is deleted automatically`,
      ),
      both(
        'Topology made atomic: owners of elements own the whole',
        `${ownership}: the whole belongs to those who owned an element; later changes conflict`,
      ),
      both(
        'Topology made granular: ownership is not inferred',
        `${ownership}: new ownership not inferred; the field stays with its owner; sub-fields become changeable without conflict`,
      ),
    ],
  },
  {
    title: 'Endpoints and verbs',
    sentences: [
      both('Paths of collections, objects and sub-resources', 'src/meta/request-info: %s %s is %s'),
      both('A list across all namespaces', 'lists: of all namespaces contains those of each'),
      both(
        'PUT creates or updates by the state of the object',
        'objects: creates a missing object only where Kubernetes allows it',
      ),
      both('deletecollection acts on several', 'deletion: of a collection obeys selectors, limits and options'),
    ],
  },
  {
    title: 'Query parameters',
    sentences: [
      both('watch turns a GET into a watch', 'watch: without a version (%s) begins with what is there'),
      differs('invalidListOptions', 'resourceVersionMatch without resourceVersion is invalid', 'lists: refuses %s'),
      both('limit and continue', 'lists: comes in pages that show one snapshot'),
      both('allowWatchBookmarks', 'watch: sends a bookmark every minute to those who want them'),
      differs('emptyDryRun', 'dryRun: no value, or All', 'writes: of %s with another value than All is refused'),
      both(
        'fieldManager: from the parameter or the user agent',
        'apply: are recorded under the name they give, or the first word of the user agent',
      ),
      both(
        'force overrides conflicts',
        'apply-by-the-letter: a conflict is resolved by force, by dropping the field, or by matching the live value',
      ),
      both(
        'fieldValidation: Ignore, Warn, Strict; default Warn',
        'objects: unknown fields are dropped with a warning, refused, or dropped in silence',
        'writes: of a level that does not exist is refused',
      ),
      differs(
        'barePretty',
        'pretty: a flag or a boolean',
        'representations: gives people indented JSON and machines none',
      ),
    ],
  },
  {
    title: 'Content types',
    sentences: [
      both(
        'JSON is the default; the answer says what it is',
        'apply-by-the-letter: the answer says what it is written in',
      ),
      both('Protobuf bodies on POST and PUT', 'representations: round trips: what is read can be written back'),
      both('as=Table with a fallback', 'representations: falls through to what can be had, and refuses what cannot'),
      both(
        'Apply takes YAML and JSON under one type',
        'apply-by-the-letter: a configuration is applied as YAML and as JSON, under the same type',
      ),
      both('Merge patch and JSON patch', 'patches: by %s, %j, leaves the data %j'),
    ],
  },
  {
    title: 'Watching changes',
    sentences: [
      both(
        'From a version: every change after it',
        'watch: from a version reports what came after it, the deleted object with the version of its deletion',
      ),
      differs(
        'expiredWatch',
        '410 Gone for history that is no longer kept',
        'watch: from history that is gone gets an ERROR event with a 410',
      ),
      both(
        'Without a version, and at 0: synthetic ADDED events first',
        'watch: without a version (%s) begins with what is there',
      ),
      both('Bookmarks only for clients that ask', 'watch: that is too short for a bookmark has none'),
      both('A version still to come is waited for', 'watch: may begin at a version that is still to come'),
    ],
  },
  {
    title: 'Chunked lists and resourceVersion',
    sentences: [
      both('At most limit items, then continue', 'lists: comes in pages that show one snapshot'),
      both('Off with the gate APIListChunking', 'lists: without the gate APIListChunking a list is never in pages'),
      both('An expired token is 410', 'lists: is answered with a token to go on with what there is now'),
      both(
        'get and list: unset, 0, not older, exact',
        'lists: reads at the latest, at any, at a not older and at an exact version',
      ),
      differs('limitAtAnyVersion', 'limit with resourceVersion=0 is a chunk at any version'),
      differs('invalidResourceVersion', 'A version that is none is an invalid request'),
      both('continue with another resourceVersion is 400', 'lists: refuses %s'),
      both(
        'A version that is too large: 504, or when to come back',
        'lists: answers a version that is too large with 504 and when to come back',
      ),
    ],
  },
  {
    title: 'Dry-run',
    sentences: [
      both(
        'All stages but storage; the object that would be stored',
        'apply-by-the-letter: admission that changes, defaults and the answer of the real request',
        'apply-by-the-letter: a patch is merged',
      ),
      both(
        'No side effects',
        'writes: of every verb answers as the real request and leaves no trace, not even for a watch',
      ),
      both(
        'Refused where a webhook has side effects',
        'admission-webhooks: no dry run, where a webhook may have effects',
      ),
      both('Authorization is that of the real request', 'writes: needs the same rights as the real request'),
      both(
        'Generated values may differ',
        'writes: makes up a name, a uid and a time, and refuses what the real request would',
      ),
    ],
  },
  {
    title: 'Field validation',
    sentences: [
      both(
        'Wrong types are refused at every level',
        'writes: of level %j refuses a wrong type, and a required field that is missing',
      ),
      differs(
        'incompleteObject',
        'A missing required field is 400',
        'both-dialects: a custom resource of a wrong type, or without a required field, is 422, or 400',
        'both-dialects: has something invalid beside an unknown or repeated field: 422, or 400 at every level',
      ),
      both(
        'Unknown and repeated fields by level',
        'apply: ignores, warns of or refuses what repeats and what is unknown',
      ),
      differs('strictPatch', 'Strict rejects a patch with 400'),
      differs(
        'applyValidation',
        'The levels hold for apply too',
        'both-dialects: %s is an error of the server, or a bad request',
      ),
    ],
  },
  {
    title: 'Server-side apply',
    sentences: [
      both('fieldManager is required', 'both-dialects: the parameters of the request are no part of it'),
      both('Creates the object if it is absent', 'apply: creates, changes, and leaves alone what is the same'),
      both(
        'Resolved by force, by dropping, by matching',
        'apply-by-the-letter: a conflict is resolved by force, by dropping the field, or by matching the live value',
      ),
      differs(
        'managedFieldsReset',
        'Other writes record their manager; [{}] resets, [] does not',
        'apply-by-the-letter: are not reset by an empty list',
        'apply-by-the-letter: are reset before the other changes of the request, which are owned then',
      ),
      both(
        'Controllers apply with force and without reading',
        'apply-by-the-letter: a controller applies with force, without reading the object or its version first',
      ),
    ],
  },
  {
    title: 'Health endpoints',
    sentences: [
      both('/healthz, /livez, /readyz; 200 means well', 'discovery: %s is ok, one by one and in words'),
      both('exclude, repeatable', 'discovery: a check can be left out, and one that does not exist is pointed out'),
      differs('healthSummary', 'The last line is healthz check passed'),
      differs('singleHealthCheck', 'A single check, also verbose'),
    ],
  },
  {
    title: 'Errors and limits',
    sentences: [
      both(
        '406 for media types that are not supported',
        'representations: falls through to what can be had, and refuses what cannot',
      ),
      both('410 for exact versions that are gone', 'lists: is answered with a token to go on with what there is now'),
      both('Warning headers: unknown fields, deprecated versions', 'versions: warn, in the words clients know'),
    ],
  },
  {
    title: 'Versioning and deprecation',
    sentences: [
      differs('betaVersions', 'Beta versions are enabled by default'),
      both(
        '--runtime-config: keys with and without a value',
        'src/config/runtime-config: one resource can be switched, whatever holds for its version',
        'versions: %s answers %i',
      ),
      both('Objects convert without loss', 'src/registry/versions: loses nothing of what another version wrote'),
      both(
        'Deprecated versions: Warning header, audit annotation, gauge',
        'versions: are counted',
        'audit: marks the use of deprecated resources',
      ),
      both(
        'Hidden metrics come back by a flag',
        'src/config/options: metrics are those of this release, or of the one before',
      ),
      both('An unknown feature gate fails', 'src/config/options: an unknown gate is refused by name'),
    ],
  },
  {
    title: 'Removed API versions',
    sentences: [
      both(
        'Every row can be converted',
        'src/groups/removed-versions: %s %s can be converted, and says that it is gone',
      ),
      differs(
        'removedVersions',
        'Replacements as the table names them',
        'src/groups/removed-versions: the cluster dialect has every row of the table, and warnings name its replacement',
        'src/cli/convert: every row of the table of removed versions can be converted, also those that Kubernetes never had',
      ),
      differs(
        'endpointHost',
        'nodeName and zone replace two keys of topology',
        'src/cli/convert: node and zone of an endpoint leave the topology map, and come back',
      ),
      differs('endpointTopology', 'topology becomes non-writable deprecatedTopology'),
      both(
        'Events: fields are renamed',
        'src/cli/convert: events of v1beta1 come out with their fields, old ones included',
      ),
      both(
        'PodDisruptionBudget: the meaning of an empty selector',
        'src/cli/convert: select nothing in v1beta1, and still do in v1',
        'both-dialects: an empty selector of an old budget is marked in the domain of the dialect',
      ),
      both(
        'Webhook configurations: other defaults',
        'src/cli/convert: webhooks of v1beta1 ignore failures unless they say otherwise',
      ),
      both(
        'Definitions: schema and columns move below versions',
        'src/cli/convert: a definition of one version gets its schema and columns into that version',
      ),
      both('Access reviews: group renamed groups', 'src/cli/convert: groups of a review are called so'),
      both('Ingress: backends and path types', 'src/cli/convert: get backends with a service'),
      both(
        'Deployment: rollback, deadline, history, surge',
        'src/cli/convert: a deployment of extensions/v1beta1 keeps what was implied',
        'src/cli/convert: a deployment of apps/v1beta1 keeps two old replica sets',
      ),
      both(
        'DaemonSet and StatefulSet: OnDelete before apps/v1',
        'src/cli/convert: %s %s is updated when its pods are deleted',
      ),
      both(
        'A conversion command takes a file and --output-version',
        'cli: names everything it cannot read, and prints nothing then',
        'src/cli/convert: groups and labels have the domains of the dialect',
      ),
    ],
  },
];

const accessSentences: readonly Section[] = [
  {
    title: 'Admission plugins',
    sentences: [
      both(
        'Every plugin of the table can be turned on and off',
        'admission-plugins: all plugins of the table can be turned on',
        'admission-plugins: all plugins of the table can be turned off',
      ),
      both(
        'Those of the list are on by default',
        'src/admission/catalog: those that the specification lists are on by default',
      ),
      both(
        'The file of configurations: inline or by path',
        'admission: sets plugins up, inline or by another file',
        `${admission}: the file of configurations may name another file`,
      ),
      both('AlwaysAdmit admits all', 'admission-plugins: all plugins of the table can be turned on'),
      both(
        'AlwaysDeny rejects all',
        'admission-plugins: one that refuses everything stops every sort of write, leaves nothing behind, and lets reads pass',
      ),
      both('AlwaysPullImages', `${plugins}/off-by-default: images are pulled for every pod, in every container`),
      both(
        'CertificateApproval, CertificateSigning',
        `${plugins}/small-plugins: approving needs one, for the signer or for its domain`,
        `${plugins}/small-plugins: signing needs one, where the certificate or the conditions change`,
        `${access}: needs the right to %s of its signer`,
      ),
      both('CertificateSubjectRestriction', `${access}: of a client may not be for the group system:masters`),
      differs(
        'severalDefaultClasses',
        'DefaultIngressClass, DefaultStorageClass',
        `${plugins}/classes: are refused in the cluster dialect where there are several`,
      ),
      both(
        'DefaultTolerationSeconds: five minutes',
        `${admission}: pods tolerate a node that is not ready or cannot be reached for five minutes`,
      ),
      both('DenyServiceExternalIPs', `${plugins}/off-by-default: external addresses may go, and not come`),
      both(
        'EventRateLimit',
        `${plugins}/configured-plugins: are refused beyond what a bucket holds, until it fills again`,
      ),
      both(
        'ExtendedResourceToleration',
        `${plugins}/off-by-default: special resources are tolerated by those who ask for them, once`,
      ),
      differs(
        'imageReviewGroup',
        'ImagePolicyWebhook needs its API group',
        'image-policy: pods run images that the backend allows, also those of containers that are added',
      ),
      both(
        'LimitPodHardAntiAffinityTopology',
        `${plugins}/off-by-default: pods keep others off their node only`,
        `${admission}: plugins that are off by default go by the names of the dialect`,
      ),
      differs(
        'defaultCpuRequest',
        'LimitRanger: 0.1 CPU in the namespace default',
        `${plugins}/limit-ranger/limit-ranger: fill what containers leave out, and say so`,
      ),
      both(
        'NamespaceAutoProvision, NamespaceExists',
        `${plugins}/off-by-default: are made, but not on trial`,
        `${plugins}/off-by-default: are reported`,
      ),
      both(
        'NamespaceLifecycle',
        `${admission}: three namespaces cannot be deleted, and one that is missing takes nothing`,
        'deletion: become Terminating, refuse new content, and go with everything in them',
      ),
      differs(
        'agentLabels',
        'NodeRestriction',
        `${admission}: writes its own Node, and neither its taints nor its end`,
        `${admission}: ends pods that are bound to it, and no others`,
      ),
      differs(
        'ownNodeDeletion',
        'NodeRestriction forbids deleting the Node',
        `${plugins}/node-restriction/node-restriction: may delete themselves, but not in the dialect of the specification`,
      ),
      both(
        'OwnerReferencesPermissionEnforcement',
        `${plugins}/off-by-default: change only with the right to delete`,
        `${plugins}/off-by-default: are held up only with a right on their finalizers`,
      ),
      both('PersistentVolumeClaimResize', `${plugins}/classes: where its class lets it`),
      both(
        'PersistentVolumeLabel',
        `${plugins}/persistent-volume-label: a volume that was provisioned is used in its zones only`,
      ),
      both(
        'PodNodeSelector',
        `${admission}: plugins that are off by default go by the names of the dialect`,
        `${plugins}/configured-plugins: pods select what their namespace selects, and no more than is allowed`,
      ),
      both(
        'PodSecurity',
        `${plugins}/pod-security/pod-security: refuses, warns and notes as the namespace says`,
        `${admission}: the file of configurations may name another file`,
      ),
      both(
        'PodSecurityPolicy',
        'pod-security-policies: no pod is created before there is a policy',
        'pod-security-policies: pods get what their policy fills in, and those of mighty accounts may do more',
      ),
      differs(
        'conflictingTolerations',
        'PodTolerationRestriction rejects conflicts',
        `${plugins}/configured-plugins: pods tolerate what their namespace adds, and nothing that is not allowed`,
      ),
      both('Priority', `${plugins}/priority: gets the priority of %s`, `${plugins}/priority: is refused: %j`),
      both(
        'ResourceQuota',
        `${plugins}/resource-quota/resource-quota: is charged to every quota that limits it`,
        'admission: of many creates at once a quota lets in what it has',
      ),
      differs(
        'givenOverhead',
        'RuntimeClass rejects a pod that states its overhead',
        `${plugins}/classes: cost what it costs`,
      ),
      both('SecurityContextDeny', `${plugins}/off-by-default: pods do not choose the user they run as: %j`),
      both(
        'StorageObjectInUseProtection',
        `${admission}: claims, volumes and nodes begin with what protects them`,
        'controllers: a claim outlives its deletion while a pod uses it',
        'controllers: a volume outlives its deletion while it is bound',
      ),
      both(
        'TaintNodesByCondition',
        `${plugins}/small-plugins: a new node is tainted until it is ready, once`,
        `${admission}: claims, volumes and nodes begin with what protects them`,
      ),
      both(
        'Mutating webhooks one after the other, validating ones at once',
        'admission-webhooks: webhooks are called by the names of configurations, and each sees what those before it changed',
        'admission-webhooks: validating webhooks are asked at once, on the object as it will be stored',
      ),
    ],
  },
  {
    title: 'Reviews',
    sentences: [
      differs('reviewFlags', 'status.authenticated is required in responses'),
      both(
        'spec.audiences: the intersection is returned',
        'issuers: is reviewed with its audiences',
        'src/authn/token-webhook: that %s',
      ),
      both(
        'Access reviews of oneself, of others, of a namespace',
        'identity: answer for oneself and for others',
        'identity: stay in their namespace, and tell of selectors they cannot read',
        `${access}: reviews say who a token belongs to, and who may do what`,
      ),
      both(
        'SelfSubjectRulesReview lists rules',
        'identity: list the rules of the caller',
        `${access}: reviews say who a token belongs to, and who may do what`,
      ),
    ],
  },
  {
    title: 'Admission webhooks',
    sentences: [
      both(
        'AdmissionReview: uid, objects, options, user',
        `${admission}: no webhook is asked about reads, and one is asked in the versions and names of the dialect`,
        'admission-webhooks: a create, an update, a patch and a delete, each with objects, options and the caller',
      ),
      both(
        'subResource, namespace of a Namespace',
        'admission-webhooks: a namespace is in itself, and a subresource is named',
      ),
      both('CONNECT', 'admission-webhooks: a connection, with its options'),
      both(
        'The first version that both know',
        'admission-webhooks: in the first version that both know, with the time there is, and as the user for that host',
      ),
      both(
        'patch is a base64 JSON patch',
        'admission-webhooks: what a patch leaves open gets its defaults, and what it adds beyond the schema is dropped',
        'admission-webhooks: a patch %s fails the request',
      ),
      both(
        'objectSelector, namespaceSelector',
        'admission-webhooks: those whose objects have the labels, before or after',
        'src/admission/matching/match-request: of the object are about the new one or the old one',
        'src/admission/matching/match-request: of the namespace',
      ),
      both(
        'matchPolicy Equivalent converts',
        'admission-webhooks: a rule may name another version of the resource: the object is converted there and back',
      ),
      both(
        'failurePolicy Ignore or Fail',
        'admission-webhooks: a webhook that %s fails the request, or not, as its configuration says',
      ),
      both(
        'reinvocationPolicy',
        'admission-webhooks: a webhook that wants it is called again after a later one changed something, once',
      ),
      both(
        'Rules of configurations: names, URLs, timeouts, versions',
        'src/groups/admissionregistration/v1/webhook-rules: %s',
        'src/groups/admissionregistration/v1/webhook-rules: defaults of a webhook',
      ),
      both('status.code and status.message of a refusal', 'admission-webhooks: that say %s'),
      both(
        'Warnings: 256 each, 4096 in all',
        'admission-webhooks: warnings reach the client, long ones cut where there are many',
      ),
      both(
        'Audit annotations by round and index',
        `${admission}: no webhook is asked about reads, and one is asked in the versions and names of the dialect`,
        'admission-webhooks: audit knows what was called, what was changed and what failed',
      ),
      both(
        'The metric of rejections and its labels',
        'admission-webhooks: metrics count calls, refusals and failures',
        'admission-metrics: every metric of admission has the name, labels and bounds of the reference',
      ),
    ],
  },
  {
    title: 'Image policy',
    sentences: [
      both(
        'The backend decides; defaultAllow when it is down',
        'image-policy: pods run images that the backend allows, also those of containers that are added',
        'image-policy: without a backend, and with defaultAllow %s, a pod gets %i',
      ),
      both(
        'clientConfigFile names the file',
        `${plugins}/image-policy-webhook/image-policy-settings: the specification names the file differently`,
      ),
    ],
  },
  {
    title: 'CertificateSigningRequests',
    sentences: [
      both(
        'signerName, usages and request are required and checked',
        `${access}: with %s is refused`,
        'certificate-requests: %s is invalid, and says why',
        'src/groups/certificates/v1/signing-request-rules: the signer %j: %j',
      ),
      both(
        'Conditions: no duplicates; approval is not taken back',
        `${access}: gets %s`,
        'src/groups/certificates/v1/signing-request-rules: approves nothing and takes nothing back',
      ),
      both('Approved, then signed', 'certificate-signing: of a client gets a certificate that the server believes'),
      both(
        'Denied is not signed',
        'certificate-signing: a request that is denied, that failed, or that is for another signer',
      ),
      differs(
        'unsignableRequest',
        'What cannot be signed is only logged',
        'certificate-signing: to %s, %#, that it does not sign is marked as failed',
      ),
      differs('agentEncipherment', 'Node agents: key encipherment is exact', 'certificate-signing: for %s is signed'),
      differs(
        'unissuedRequestHours',
        'Garbage collection after 1 and 24 hours',
        'certificate-approval: requests go when they are done with, by the clock of the server',
        'src/controllers/certificates/cleaner: %s',
      ),
      both(
        "Only agents' client requests are approved by the controller",
        'certificate-approval: is approved and signed for a user who may have it',
        'certificate-approval: %s is not approved',
      ),
    ],
  },
  {
    title: 'Bootstrap tokens',
    sentences: [
      both(
        'A Secret of the system namespace, by id and secret',
        'identity: are Secrets of the system namespace',
        `${access}: tokens stand for a user, and every known user is of one group`,
        'src/authn/tokens: stand for a user of that id and its groups',
      ),
      both(
        'Expired: refused, and deleted by the cleaner',
        'src/authn/tokens: with %s are refused',
        'bootstrap-tokens: expired tokens go, where the cleaner was asked for',
      ),
      differs(
        'bootstrapSignatureKey',
        'cluster-info is signed with HS256 and the full token',
        'bootstrap-tokens: signatures come and go with tokens, at their end, and follow what is signed',
      ),
    ],
  },
  {
    title: 'Service accounts',
    sentences: [
      both(
        'Every active namespace has the account default',
        'service-accounts: %s has a default account',
        'service-accounts: the default account comes back when it is deleted',
      ),
      both(
        'A pod gets default, and a missing account is refused',
        `${admission}: pods get the account default, and its token by a volume with three sources`,
      ),
      both(
        'The projected volume, in every container',
        `${admission}: pods get the account default, and its token by a volume with three sources`,
        `${plugins}/service-account/service-account: every container gets the token, in one volume`,
      ),
      both(
        'automountServiceAccountToken',
        `${plugins}/service-account/service-account: what the pod says about mounting counts more than what the account says`,
      ),
      both(
        'imagePullSecrets',
        `${plugins}/service-account/service-account: secrets to pull images with come from the account, where the pod has none`,
      ),
      differs('podTokens', 'Bound tokens expire after an hour'),
      both('Tokens end with the pod', 'src/authn/tokens: end with the pod, secret or node they are bound to'),
      both(
        'The root CA is published in every namespace',
        'service-accounts: the CA is published, and put right when it is changed or deleted',
      ),
      differs(
        'tokenSecrets',
        'Every account gets a token Secret',
        'service-accounts: a token Secret goes with its account',
      ),
      differs('mountableSecrets', 'An account may limit its pods to its secrets'),
      both('References go with the Secret', 'service-accounts: an account forgets a token Secret that was deleted'),
    ],
  },
  {
    title: 'Authentication',
    sentences: [
      both(
        'Client certificates: common name and organizations',
        'identity: of any CA in the file name user and groups',
      ),
      both(
        'Static tokens: four columns',
        'src/authn/tokens: has users, uids and groups',
        `${access}: tokens stand for a user, and every known user is of one group`,
      ),
      both(
        'An invalid token is 401; none is system:anonymous',
        'identity: that are wrong are refused everywhere; no token at all is system:anonymous',
        `${access}: callers without credentials are one user of one group, and no wildcard means them`,
      ),
      both('Anonymous access is off under AlwaysAllow', 'identity: are refused even where the flag would let them in'),
      both(
        'Service account tokens',
        'identity: are issued, accepted, and end with the account',
        `${access}: tokens stand for a user, and every known user is of one group`,
      ),
      both(
        'OpenID Connect: names, prefixes, required claims',
        'issuers: stands for a user whose name says who vouches for it',
        'issuers: can be %s',
        'src/authn/jwt-issuers/issuers: need the claims that are required',
      ),
      both(
        'Token webhook: v1beta1 by default, kept for two minutes',
        'webhooks: says who a token belongs to, and is asked once',
        'src/authn/token-webhook: is believed for a while, by token and audiences',
      ),
      both(
        'Authenticating proxy: name, groups, extra; CA and names',
        'identity: say which user a request is for',
        'identity: are believed by name and CA only',
      ),
      differs(
        'impersonation',
        'Impersonation: a right for every part',
        `${access}: impersonation comes after authentication, and needs a right for every part`,
        'identity: is of a user first of all',
      ),
    ],
  },
  {
    title: 'Client credential plugin',
    sentences: [
      both(
        'The ExecCredential in CLUSTER_EXEC_INFO',
        'src/client/exec/exec-source: the neutral dialect has other names',
        'src/client/exec/exec-source: the object in the environment, arguments and variables',
      ),
      both('provideClusterInfo', 'src/client/exec/exec-source: the cluster, when it wants to know'),
      both(
        'interactiveMode',
        'src/client/exec/exec-source: %s with a user %s at a terminal %s',
        'src/client/kubeconfig/kubeconfig: v1beta1 plugins need not say how interactive they are',
      ),
      both(
        'Kept until the end, or a 401',
        'src/client/exec/exec-source: until they end',
        'src/client/exec/exec-source: until they are refused; one run answers all who were',
      ),
      both(
        'A new certificate makes a new connection',
        'src/client/exec/exec-source: a new certificate makes a new connection',
      ),
    ],
  },
  {
    title: 'Authorization',
    sentences: [
      both('Denied unless allowed: 403', 'rbac: is told who may not do what, where'),
      both(
        'Several modules, in order',
        'webhooks: is asked after the others, and its answer is kept',
        'rbac: ABAC goes by its file',
      ),
      both(
        'Verbs of requests',
        'src/meta/request-info: %s %s is %s',
        'src/meta/request-info: the verb is the method in lower case',
      ),
      both(
        'Bindings of a namespace and of the cluster',
        'src/authz/rbac/rbac: follow bindings of the cluster everywhere and those of a namespace inside it',
      ),
      both('roleRef cannot be changed', `${access}: mean the user of exactly that name, and keep their role`),
      both('resourceNames and lists', `${access}: that name objects are good for lists and watches of these alone`),
      both('Aggregated roles', 'rbac: are there, aggregated, and follow new parts'),
      both('escalate and bind', 'src/authz/rbac/rbac: the rights to escalate and to bind make up for it'),
    ],
  },
];

/** Sections of the documents, and then their tables row by row. */
export const coreSections: readonly Section[] = [...coreSentences, ...coreDetails];
export const accessSections: readonly Section[] = [...accessSentences, ...accessDetails];
