// The last part of the first document: maturity, deprecation and removed versions.

import { both, differs, type Section, type Sentence } from './sentence.ts';

const versions = (title: string) => `spec-versions: ${title}`;
const gates = (title: string) => `src/config/feature-gates: ${title}`;

const switched = versions('are turned on and off by name, and so is one resource');
const deprecatedUse = versions('the use of a deprecated version is told by a header, the audit log and a gauge');
const advised = versions('%s of %s, removed in 1.%i, are served where they are turned on, and %s is advised');
const kept = versions('%s of %s show an object of the version of today, and lose nothing of it');
const reviews = versions('%s of %s answer in v1beta1, and v1 is advised');
const lossless = 'src/registry/versions: loses nothing of what another version wrote';
const convert = (title: string) => `src/cli/commands/convert: ${title}`;
const gateWarnings = gates('gates that switch nothing here are told of, and those that go in a later release');
const deprecatedFlag = 'src/cli/flags/known-flags: --%s=%s is accepted, and the log says what to do instead';
const flagWarnings = 'src/cli/flags/parse-flags: what is to be told of flags is no option of a server';
const hiddenMetric =
  'src/metrics/request-metrics: a deprecated metric says so for three releases, and is hidden then, unless it is asked for';
const selectors = versions('%s have a selector, which does not change');
const appsDefaults = versions('%s of apps/%s: %s is %j by default');
const extensionsDefaults = versions('%s of extensions/v1beta1: %s is %j by default');
const webhooks = versions('webhooks with %s');
const definitions = versions('definitions with %s');
const events = versions('events with %s');
const renamed = versions(
  'fields of old events have a deprecated prefix in v1, and new ones no prefix in the core group',
);

/** A row of the table of removed versions: served, converted without loss, with the advice that is listed. */
const row = (says: string, ...tests: readonly string[]): Sentence =>
  differs('removedVersions', says, advised, kept, lossless, ...tests);

export const versionSections: readonly Section[] = [
  {
    title: 'Maturity, groups and enabling',
    sentences: [
      both('Alpha versions may be off by default: they are', switched),
      differs('betaVersions', 'Beta versions are enabled by default', switched),
      both('Stable versions are vX, and on', switched),
      both(
        '/api/v1 has apiVersion v1, /apis/<group>/<version> has <group>/<version>',
        versions('are at /api/v1 and /apis/<group>/<version>, and say so in apiVersion'),
      ),
      both('--runtime-config: <group>/<version>=false disables', switched),
      both(
        '--runtime-config: <group>/<version>/<resource> for one resource',
        switched,
        'src/config/runtime-config: one resource can be switched, whatever holds for its version',
      ),
      both(
        '--runtime-config: without a value it is true; comma-separated',
        'src/cli/flags/parse-flags: --runtime-config takes names with and without a value, several at once and one after the other',
      ),
    ],
  },
  {
    title: 'Deprecation rules',
    sentences: [
      both(
        '1: nothing is removed within a version: all its kinds and verbs are there',
        'catalog: goes through all its verbs',
        'src/groups/catalog-facts: no group-version is missing',
        'src/groups/catalog-facts: has every resource with its names, verbs and subresources',
      ),
      both('2: objects convert between versions without loss', kept, lossless),
      both(
        '3: no version is advised that is less stable',
        'src/groups/removed-versions: no version is deprecated in favour of a less stable one',
      ),
      both(
        '4a: versions persisted in storage stay decodable',
        'stored-values: what an older server stored as %s is completed by the defaults that came up since: %s',
      ),
      both(
        '4b: the storage version moves on',
        'stored-values: what an older server stored in another version is read, and written in the current one: %s',
      ),
      both('5a, 5b: deprecated flags keep working', deprecatedFlag),
      both('6: deprecated flags warn', deprecatedFlag, flagWarnings),
      both(
        '7: deprecated behaviour keeps working',
        'spec-versions: an event of the old version may leave out what the new one asks for',
      ),
      both(
        '8: gates stay functional after deprecation',
        gates('a deprecated gate can still be turned on and off'),
        gates('the gates are those of the release, with stage, default and lock'),
      ),
      both('9: a deprecated gate warns', gateWarnings),
      both('9a, 9b: deprecated metrics work for three releases', hiddenMetric),
    ],
  },
  {
    title: 'Feature gates and deprecated use',
    sentences: [
      differs(
        'betaGates',
        'Gates: alpha is off by default, beta is on',
        gates('alpha is off; beta is as released, or on in the dialect of the specification, unless it is turned off'),
      ),
      both('Gates: that of a stable feature is deprecated', gateWarnings),
      both('Gates: a removed one is refused', gates('%j')),
      both('Gates: disabling a non-operational one fails', gates('%j')),
      both(
        'Metrics: a deprecation prefix in the description, and a warning in the log',
        hiddenMetric,
        'logs: a deprecated metric is a warning, which is logged by default',
      ),
      both(
        'Metrics: hidden three releases later, unless --show-hidden-metrics-for-version',
        hiddenMetric,
        'src/config/options: metrics are those of this release, or of the one before',
      ),
      both('Deprecated endpoint: a Warning header', deprecatedUse),
      both('Deprecated endpoint: {api_domain}/deprecated in the audit event', deprecatedUse),
      both('Deprecated endpoint: the gauge apiserver_requested_deprecated_apis with its labels', deprecatedUse),
    ],
  },
  {
    title: 'Removed API versions',
    sentences: [
      row('1.27 CSIStorageCapacity storage v1beta1: v1'),
      row(
        '1.26 FlowSchema, PriorityLevelConfiguration v1beta1: v1beta2',
        convert('shares of flow control %s are assured ones'),
      ),
      row('1.26 HorizontalPodAutoscaler v2beta2: v2', convert('those of v2beta2 are the same')),
      row('1.25 CronJob v1beta1: v1'),
      row('1.25 EndpointSlice v1beta1: v1'),
      differs(
        'endpointHost',
        '1.25 EndpointSlice: nodeName and zone replace the topology keys',
        convert('node and zone of an endpoint leave the topology map, and come back'),
      ),
      differs(
        'endpointTopology',
        '1.25 EndpointSlice: topology becomes non-writable deprecatedTopology',
        'both-dialects: a PUT of discovery v1 drops the topology of endpoints, or leaves it as it is',
      ),
      row('1.25 Event v1beta1: v1'),
      both('1.25 Event: type only Normal or Warning', events),
      both(
        '1.25 Event: involvedObject renamed regarding',
        renamed,
        convert('events of v1beta1 come out with their fields, old ones included'),
      ),
      both('1.25 Event: action, reason, reportingController, reportingInstance required', events),
      both('1.25 Event: eventTime, series and reporting fields replace the old ones', events, renamed),
      both('1.25 Event: old fields have a deprecated prefix, and are not permitted on new events', events, renamed),
      row(
        '1.25 HorizontalPodAutoscaler v2beta1: v2',
        convert('flat metrics of v2beta1 get a target of their own, and lose it again'),
      ),
      row('1.25 PodDisruptionBudget v1beta1: v1'),
      both(
        '1.25 PodDisruptionBudget: an empty selector selects all in v1, none in v1beta1',
        versions('an empty selector of a budget selects all pods in v1, none in v1beta1'),
        convert('select nothing in v1beta1, and still do in v1'),
        'both-dialects: an empty selector of an old budget is marked in the domain of the dialect',
      ),
      row('1.25 PodSecurityPolicy policy v1beta1: pod-security admission or a webhook'),
      row('1.25 RuntimeClass v1beta1: v1'),
      row('1.22 webhook configurations v1beta1: v1'),
      both(
        '1.22 webhook configurations: failurePolicy, matchPolicy and timeoutSeconds by default',
        versions('webhooks of %s are %j by default'),
      ),
      both('1.22 webhook configurations: sideEffects required, None or NoneOnDryRun', webhooks),
      both('1.22 webhook configurations: admissionReviewVersions required; v1 and v1beta1', webhooks),
      both('1.22 webhook configurations: names unique in the list', webhooks),
      row('1.22 CustomResourceDefinition v1beta1: v1'),
      both('1.22 CustomResourceDefinition: scope has no default', definitions),
      both(
        '1.22 CustomResourceDefinition: version, validation, subresources, columns and JSONPath move',
        convert('a definition of one version gets its schema and columns into that version'),
      ),
      both('1.22 CustomResourceDefinition: a structural schema is required', definitions),
      both('1.22 CustomResourceDefinition: preserveUnknownFields true disallowed', definitions),
      row(
        '1.22 APIService apiregistration/v1beta1: v1',
        convert('every row of the table of removed versions can be converted, also those that Kubernetes never had'),
      ),
      both('1.22 TokenReview v1beta1: v1', reviews),
      both('1.22 access reviews v1beta1: v1', reviews),
      both(
        '1.22 access reviews: group renamed groups',
        versions('the groups of an access review are in group in v1beta1, and in groups in v1'),
        convert('groups of a review are called so'),
      ),
      row(
        '1.22 CertificateSigningRequest v1beta1: v1',
        versions('certificate requests of v1beta1: usages and signer of %s may be left out'),
      ),
      row('1.22 Lease v1beta1: v1'),
      row('1.22 Ingress extensions and networking v1beta1: networking v1'),
      both('1.22 Ingress: backends with a service', convert('get backends with a service'), convert('come back as %s')),
      both('1.22 Ingress: pathType required', versions('ingresses say what type a path is of')),
      row('1.22 IngressClass v1beta1: v1'),
      row('1.22 ClusterRole, ClusterRoleBinding, Role, RoleBinding v1beta1: v1'),
      row('1.22 PriorityClass v1beta1: v1'),
      row('1.22 CSIDriver, CSINode, StorageClass, VolumeAttachment v1beta1: v1'),
      row('1.16 NetworkPolicy extensions: networking v1'),
      row('1.16 DaemonSet extensions, apps/v1beta2: apps/v1'),
      row('1.16 Deployment extensions, apps/v1beta1, apps/v1beta2: apps/v1'),
      row('1.16 StatefulSet apps/v1beta1, apps/v1beta2: apps/v1'),
      row(
        '1.16 ReplicaSet extensions, apps/v1beta1, apps/v1beta2: apps/v1',
        'both-dialects: apps/v1beta1 has no ReplicaSets, or has them',
      ),
      both('1.16 workloads: selector required and immutable', selectors),
      both('1.16 DaemonSet, StatefulSet: updateStrategy RollingUpdate, was OnDelete', appsDefaults, extensionsDefaults),
      both('1.16 Deployment: progressDeadlineSeconds, revisionHistoryLimit, surge', appsDefaults, extensionsDefaults),
      both(
        '1.16 Deployment, DaemonSet: rollbackTo, templateGeneration removed',
        convert('fields that apps/v1 no longer has become annotations'),
        versions('the fields that %s of apps/v1 no longer have come back in extensions/v1beta1'),
      ),
      row('1.16 PodSecurityPolicy extensions: policy/v1beta1'),
      both(
        'Template labels can serve as the selector',
        versions('%s of an old version get their selector from the labels of their template'),
        'smallest-old-objects: the smallest %s of %s is created and replaced',
        convert('a deployment of extensions/v1beta1 keeps what was implied'),
      ),
      both('Persisted objects stay readable through the new version', kept, lossless),
      both('--runtime-config=<group>/<version>=false tests a removal', switched),
      both(
        'A conversion command takes a file and --output-version',
        'cli: converts a file to the version of --output-version: %s',
        convert('groups and labels have the domains of the dialect'),
      ),
    ],
  },
];
