// Every product name of the wire format lives here, and every behaviour in which the specification and
// Kubernetes differ is one named property. No other file spells these words out.

export interface DialectNames {
  /** Domain suffix of built-in API groups. */
  readonly apiDomain: string;
  /** Reserved domain of labels, annotations and signers. */
  readonly labelDomain: string;
  readonly systemNamespace: string;
  readonly publicNamespace: string;
  readonly nodeLeaseNamespace: string;
  /** The ConfigMap in every namespace that holds the CA of the server, and its description. */
  readonly rootCaConfigMap: string;
  readonly rootCaDescription: string;
  /** The word in media types, schema extensions and the namespace finalizer. */
  readonly vendor: string;
  /** The manager of fields that the server itself writes, and of those that controllers write which other servers run separately. */
  readonly serverName: string;
  readonly controllersName: string;
}

/** Differences between the specification and Kubernetes 1.36; see docs/guides/compatibility.md. */
export interface DialectRules {
  /** Last line of verbose health output: named after the endpoint, or always `healthz`. */
  readonly healthSummary: 'endpoint' | 'healthz';
  /** `verbose` for a single health check: no effect, or its line and the summary. */
  readonly singleHealthCheck: 'plain' | 'listed';
  /** `pretty` without a value: left to what the client is, or yes. */
  readonly barePretty: 'ignored' | 'indented';
  /** Items of a list of metadata that has none: null, or an empty list. */
  readonly emptyMetadataList: 'null' | 'list';
  /** `dryRun=` without a value: refused, or a normal request. */
  readonly emptyDryRun: 'invalid' | 'ignored';
  /** `limit` together with resourceVersion=0: whole list, or a page. */
  readonly limitAtAnyVersion: 'ignored' | 'honoured';
  /** Options of lists and watches that make no sense together: 422 on ListOptions, or 400. */
  readonly invalidListOptions: 422 | 400;
  /** An invalid resourceVersion in a get or a watch: a bare 500, or 400. */
  readonly invalidResourceVersion: 500 | 400;
  /** A watch from a version whose history was compacted: an ERROR event in a stream, or status 410. */
  readonly expiredWatch: 'event' | 'status';
  /** Bookmarks at the end of the initial state: for every client with bookmarks, or only if initial events were requested. */
  readonly stateEnd: 'marked' | 'whenAsked';
  /** The object of a bookmark: one of the kind in which nothing is set, or a version and nothing else. */
  readonly bookmarkObject: 'empty' | 'version';
  /** Unknown fields of a patch under Strict: 422 naming the patch, or 400 as everywhere else. */
  readonly strictPatch: 422 | 400;
  /** What does not fit its kind in a configuration that is applied: a bare 500, or as on other writes, by fieldValidation. */
  readonly applyValidation: 'typed' | 'fieldValidation';
  /** An object without a required field, or with unknown fields and other faults: 422, or 400. */
  readonly incompleteObject: 422 | 400;
  /**
   * A request that resets managedFields: an empty list will do, and no write is recorded until the next apply; or only a list
   * with an empty entry does it, and every write is recorded, also this one.
   */
  readonly managedFieldsReset: 'forgotten' | 'recorded';
  /** deletionTimestamp of an object with a grace period: the end of that, or the time of the first delete request. */
  readonly deletionTimestamp: 'end' | 'request';
  /** Versions of beta level that are not removed: served where they are turned on, or unless they are turned off. */
  readonly betaVersions: 'off' | 'on';
  /** Feature gates of beta level: as the release has them, or on. */
  readonly betaGates: 'asReleased' | 'on';
  /** Removed versions, and the advice in warnings about them: as in Kubernetes, or as in the table of the specification. */
  readonly removedVersions: 'asServed' | 'asListed';
  /** Tokens that pods did not ask for by themselves: valid for a year, so that old clients go on, or for their hour. */
  readonly podTokens: 'extended' | 'asAsked';
  /** The node that an endpoint of discovery v1beta1 names in its topology alone: stays there, or becomes its nodeName. */
  readonly endpointHost: 'topology' | 'nodeName';
  /** A write of discovery v1 that changes endpoints: drops all deprecatedTopology, or leaves it as it is stored. */
  readonly endpointTopology: 'dropped' | 'kept';
  /** What a review of a token or of access does not find to be so: left out of the answer, or `false`. */
  readonly reviewFlags: 'omitted' | 'stated';
  /** Whether every service account gets a Secret with a token, or only those for which a client creates one. */
  readonly tokenSecrets: 'onRequest' | 'always';
  /** What a bootstrap token signs public information with: its secret part alone, or all of it. */
  readonly bootstrapSignatureKey: 'secret' | 'token';
  /** Rights to act as another user: by kind of user and purpose, or `impersonate` alone. */
  readonly impersonation: 'constrained' | 'plain';
  /** Second column of the table of a kind that defines no columns. */
  readonly defaultTableColumn: 'Age' | 'Created At';
  /** Two classes marked as the default for ingresses or claims: the newest wins, or none of them is created at all. */
  readonly severalDefaultClasses: 'newest' | 'refused';
  /** What containers in the namespace `default` request of the processor when they do not say. */
  readonly defaultCpuRequest: 'none' | '100m';
  /** A new pod that states its overhead: held against its runtime class, or refused. */
  readonly givenOverhead: 'compared' | 'refused';
  /** Volumes that an account limits to secrets it lists: those of one secret, or also those that secrets are projected into. */
  readonly mountableSecrets: 'secretVolumes' | 'projectedToo';
  /** A new pod and its namespace say different things about the same taint: both count, or the pod is refused. */
  readonly conflictingTolerations: 'merged' | 'refused';
  /** A toleration that no whitelist has: a bare 500, or 403 as other refusals. */
  readonly disallowedTolerations: 500 | 403;
  /** Whether NodeRestriction lets a node delete its own Node, where an authorizer does. */
  readonly ownNodeDeletion: 'allowed' | 'refused';
  /** Labels about itself that a node agent sets: each under the domains that had it, or every one bare and as beta. */
  readonly agentLabels: 'asUsed' | 'asListed';
  /** Whether the backend of ImagePolicyWebhook is called whenever the plugin is on, or only if the group of reviews is on. */
  readonly imageReviewGroup: 'always' | 'turnedOn';
  /** An approved request that its signer does not sign: marked as failed, or only logged. */
  readonly unsignableRequest: 'failed' | 'logged';
  /** Whether certificates of node agents may do without key encipherment, which only RSA keys use. */
  readonly agentEncipherment: 'optional' | 'required';
  /** How long an approved request stays for which no certificate was issued, in hours. */
  readonly unissuedRequestHours: 24 | 1;
}

export interface Dialect extends DialectNames {
  readonly name: 'kubernetes' | 'cluster';
  readonly rules: DialectRules;
}

export const kubernetes: Dialect = {
  name: 'kubernetes',
  apiDomain: 'k8s.io',
  labelDomain: 'kubernetes.io',
  systemNamespace: 'kube-system',
  publicNamespace: 'kube-public',
  nodeLeaseNamespace: 'kube-node-lease',
  rootCaConfigMap: 'kube-root-ca.crt',
  rootCaDescription:
    'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.',
  vendor: 'kubernetes',
  serverName: 'kube-apiserver',
  controllersName: 'kube-controller-manager',
  rules: {
    healthSummary: 'endpoint',
    singleHealthCheck: 'plain',
    barePretty: 'ignored',
    emptyMetadataList: 'null',
    emptyDryRun: 'invalid',
    limitAtAnyVersion: 'ignored',
    invalidListOptions: 422,
    invalidResourceVersion: 500,
    expiredWatch: 'event',
    stateEnd: 'marked',
    bookmarkObject: 'empty',
    strictPatch: 422,
    applyValidation: 'typed',
    incompleteObject: 422,
    managedFieldsReset: 'forgotten',
    deletionTimestamp: 'end',
    betaVersions: 'off',
    betaGates: 'asReleased',
    removedVersions: 'asServed',
    podTokens: 'extended',
    endpointHost: 'topology',
    endpointTopology: 'dropped',
    reviewFlags: 'omitted',
    tokenSecrets: 'onRequest',
    bootstrapSignatureKey: 'secret',
    impersonation: 'constrained',
    defaultTableColumn: 'Age',
    severalDefaultClasses: 'newest',
    defaultCpuRequest: 'none',
    givenOverhead: 'compared',
    mountableSecrets: 'secretVolumes',
    conflictingTolerations: 'merged',
    disallowedTolerations: 500,
    ownNodeDeletion: 'allowed',
    agentLabels: 'asUsed',
    imageReviewGroup: 'always',
    unsignableRequest: 'failed',
    agentEncipherment: 'optional',
    unissuedRequestHours: 24,
  },
};

const neutralNames: DialectNames = {
  apiDomain: 'api.cluster.local',
  labelDomain: 'cluster.local',
  systemNamespace: 'cluster-system',
  publicNamespace: 'cluster-public',
  nodeLeaseNamespace: 'cluster-node-lease',
  rootCaConfigMap: 'cluster-root-ca.crt',
  rootCaDescription: 'The CA certificate by which clients inside the cluster recognise the API server.',
  vendor: 'cluster',
  serverName: 'apiserver',
  controllersName: 'controller-manager',
};

/** The specification to the letter, with domains and namespaces of the caller's choice. */
export function cluster(names: Partial<DialectNames> = {}): Dialect {
  return {
    name: 'cluster',
    ...neutralNames,
    ...names,
    rules: {
      healthSummary: 'healthz',
      singleHealthCheck: 'listed',
      barePretty: 'indented',
      emptyMetadataList: 'list',
      emptyDryRun: 'ignored',
      limitAtAnyVersion: 'honoured',
      invalidListOptions: 400,
      invalidResourceVersion: 400,
      expiredWatch: 'status',
      stateEnd: 'whenAsked',
      bookmarkObject: 'version',
      strictPatch: 400,
      applyValidation: 'fieldValidation',
      incompleteObject: 400,
      managedFieldsReset: 'recorded',
      deletionTimestamp: 'request',
      betaVersions: 'on',
      betaGates: 'on',
      removedVersions: 'asListed',
      podTokens: 'asAsked',
      endpointHost: 'nodeName',
      endpointTopology: 'kept',
      reviewFlags: 'stated',
      tokenSecrets: 'always',
      bootstrapSignatureKey: 'token',
      impersonation: 'plain',
      defaultTableColumn: 'Created At',
      severalDefaultClasses: 'refused',
      defaultCpuRequest: '100m',
      givenOverhead: 'refused',
      mountableSecrets: 'projectedToo',
      conflictingTolerations: 'refused',
      disallowedTolerations: 403,
      ownNodeDeletion: 'refused',
      agentLabels: 'asListed',
      imageReviewGroup: 'turnedOn',
      unsignableRequest: 'logged',
      agentEncipherment: 'required',
      unissuedRequestHours: 1,
    },
  };
}

/** Vendor words that are understood in every dialect. */
export const vendors: readonly string[] = ['kubernetes', 'cluster'];

/** Groups that carry no domain. */
const bareGroups = new Set(['', 'apps', 'autoscaling', 'batch', 'extensions', 'policy']);

/** The full name of a built-in group: `apps` stays, `coordination` becomes `coordination.k8s.io`. */
export function groupName(dialect: DialectNames, id: string): string {
  return bareGroups.has(id) ? id : apiGroup(dialect, id);
}

/** `coordination` becomes `coordination.k8s.io`. */
export function apiGroup(dialect: DialectNames, prefix: string): string {
  return `${prefix}.${dialect.apiDomain}`;
}

/** Groups below the product's own domains. */
export const isReservedGroup = ({ apiDomain, labelDomain }: DialectNames, group: string): boolean =>
  [apiDomain, labelDomain].some((domain) => group === domain || group.endsWith(`.${domain}`));

/** `metadata.name` becomes `kubernetes.io/metadata.name`. */
export function labelKey(dialect: DialectNames, name: string): string {
  return `${dialect.labelDomain}/${name}`;
}

/** A key of one part of the product: `deployment` and `revision` become `deployment.kubernetes.io/revision`. */
export const partKey = ({ labelDomain }: DialectNames, part: string, name: string): string =>
  `${part}.${labelDomain}/${name}`;

/** The label of namespaces whose claims may have administrators' access to devices. */
export const adminAccessLabel = ({ labelDomain }: DialectNames): string => `resource.${labelDomain}/admin-access`;

/** The extra key of a service account with the node of its pod. */
export const nodeNameExtra = ({ labelDomain }: DialectNames): string => `authentication.${labelDomain}/node-name`;

/** The type of Secrets that hold a bootstrap token. */
export const bootstrapTokenType = ({ labelDomain }: DialectNames): string => `bootstrap.${labelDomain}/token`;

/** How the volumes begin in which pods find the token of their service account; every dialect calls them so. */
export const apiAccessVolume = 'kube-api-access-';

/** Taints of nodes that are not ready, or cannot be reached. */
export const nodeTaint = ({ labelDomain }: DialectNames, condition: string): string =>
  `node.${labelDomain}/${condition}`;

/** Labels that say where a node is: `zone`, `region`. */
export const topologyLabel = ({ labelDomain }: DialectNames, name: string): string => `topology.${labelDomain}/${name}`;

/** The ConfigMap in the public namespace with the address of the cluster. */
export const clusterInfoName = 'cluster-info';

/** The annotation with the last object of client-side apply. */
export const lastAppliedAnnotation = ({ labelDomain }: DialectNames): string =>
  `kubectl.${labelDomain}/last-applied-configuration`;

const isKubernetes = ({ vendor }: DialectNames) => vendor === 'kubernetes';

/** A component of the control plane: `scheduler` becomes `kube-scheduler`. */
export const componentName = (dialect: DialectNames, part: string): string =>
  `${isKubernetes(dialect) ? 'kube' : dialect.vendor}-${part}`;

/** Marks registrations of APIs that the server keeps by itself. */
export const automanagedLabel = ({ name, labelDomain }: Dialect): string =>
  `${name === 'kubernetes' ? 'kube-aggregator' : 'aggregator'}.${labelDomain}/automanaged`;

export const metaGroup = (dialect: DialectNames): string => apiGroup(dialect, 'meta');

/** Name of the header that names the priority level or the FlowSchema of a request. */
export const flowHeader = (dialect: Dialect, kind: 'prioritylevel' | 'flowschema'): string =>
  `x-${isKubernetes(dialect) ? 'kubernetes-' : ''}pf-${kind}-uid`;

/** Name of a schema keyword of custom resources that plain JSON schema does not have. */
export const schemaExtension = (name: string): string => `x-kubernetes-${name}`;

/** No pod has this label: selectors that name it stand for the other meaning of an empty selector. */
export const emptySelectorMark = ({ labelDomain }: DialectNames): string =>
  `pdb.${labelDomain}/deprecated-v1beta1-empty-selector-match`;

/** The label with the name of a node. */
export const hostnameLabel = (dialect: DialectNames): string => labelKey(dialect, 'hostname');

/** The word for the program that runs on every node. */
export const nodeAgent = (dialect: DialectNames): string => (isKubernetes(dialect) ? 'kubelet' : 'nodeagent');

/** What Kubernetes calls by its own name, such as `kube-aggregator`, in the words of the dialect. */
export function inOwnWords(dialect: DialectNames, text: string): string {
  if (isKubernetes(dialect)) return text;
  const words: Readonly<Record<string, string>> = { kubelet: nodeAgent(dialect), Kubernetes: `the ${dialect.vendor}` };
  return text.replace(/kubelet|[Kk]ubernetes|kube/g, (word) => words[word] ?? dialect.vendor);
}

/** Where the makers of Kubernetes agreed on how groups of its domains are approved; no other product has such a page. */
export const approvalPage = (dialect: DialectNames): string | undefined =>
  isKubernetes(dialect) ? 'https://github.com/kubernetes/enhancements/pull/1111' : undefined;

/** The word for this server in names of signers. */
export const apiserverWord = (dialect: DialectNames): string =>
  isKubernetes(dialect) ? 'kube-apiserver' : 'apiserver';

/** Signers of certificates that the control plane itself answers for: of clients, of agents as clients and as servers, of anything. */
export type SignerRole = 'legacyUnknown' | 'client' | 'agentClient' | 'agentServing';

export function signerNames(dialect: DialectNames): Readonly<Record<SignerRole, string>> {
  const client = `${apiserverWord(dialect)}-client`;
  const agent = nodeAgent(dialect);
  return {
    legacyUnknown: labelKey(dialect, 'legacy-unknown'),
    client: labelKey(dialect, client),
    agentClient: labelKey(dialect, `${client}-${agent}`),
    agentServing: labelKey(dialect, `${agent}-serving`),
  };
}

export const builtInSigners = (dialect: DialectNames): readonly string[] => Object.values(signerNames(dialect));

/** The environment variable with the request to credential plugins. */
export const execInfoVariable = ({ vendor }: DialectNames): string => `${vendor.toUpperCase()}_EXEC_INFO`;

/** Protocols over which clients talk to a running pod; clients know them by these names in any dialect. */
export const streamProtocols = {
  /** Versions of the channels of a command over a WebSocket, the best first. */
  channels: ['v5.channel.k8s.io', 'v4.channel.k8s.io'],
  /** The streams of a command over SPDY. */
  command: 'v4.channel.k8s.io',
  forwardedPorts: 'portforward.k8s.io',
} as const;
