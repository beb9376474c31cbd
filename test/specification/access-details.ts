// The tables of the second document, row by row, as far as the sentences of their sections do not name each row.

import { both, differs, type Section } from './sentence.ts';

const plugins = 'src/admission/plugins';
const hooks = 'admission-webhooks';
const hookRules = 'src/groups/admissionregistration/v1/webhook-rules: %s';
const hookDefaults = 'src/groups/admissionregistration/v1/webhook-rules: defaults of a webhook';
const reviewed = `${hooks}: a create, an update, a patch and a delete, each with objects, options and the caller`;
const image = `${plugins}/image-policy-webhook/image-policy-webhook`;
const signingRules = 'certificate-requests: %s is invalid, and says why';
const cases = 'certificate-cases: %s';
const issuerTokens = 'src/authn/jwt-issuers/issuers: stand for the user they describe';
const tokens = 'src/authn/tokens';
const exec = 'src/client/exec/exec-source';
const bindings = 'src/groups/rbac/v1/roles-and-bindings';

export const accessDetails: readonly Section[] = [
  {
    title: 'What the service does, in detail',
    sentences: [
      both(
        'Authentication, authorization, admission, persistence: in order',
        'test/architecture: the architecture page lists the stages in the order in which they run',
      ),
      both(
        'Mutating, then schema, then validating plugins',
        `${hooks}: what a patch leaves open gets its defaults, and what it adds beyond the schema is dropped`,
        `${hooks}: validating webhooks are asked at once, on the object as it will be stored`,
      ),
      both('Admission is for create, update, delete and connect', reviewed, `${hooks}: a connection, with its options`),
      both('One rejection rejects the request', `${hooks}: that say %s`),
      both('Plugins with effects are reconciled', 'admission: of many creates at once a quota lets in what it has'),
      both(
        '--enable-admission-plugins, --disable-admission-plugins',
        'admission-plugins: all plugins of the table can be turned on',
        'admission-plugins: all plugins of the table can be turned off',
      ),
      both('--admission-control-config-file: path or inline', 'admission: sets plugins up, inline or by another file'),
    ],
  },
  {
    title: 'Admission plugins, clause by clause',
    sentences: [
      both(
        'CertificateApproval: approve on the signer, or its domain',
        `${plugins}/small-plugins: approving needs one, for the signer or for its domain`,
      ),
      both(
        'CertificateSigning: sign, where the certificate changes',
        `${plugins}/small-plugins: signing needs one, where the certificate or the conditions change`,
      ),
      both(
        'CertificateSubjectRestriction: system:masters',
        'certificate-cases: a client certificate for the group %s: %i',
      ),
      both(
        'DefaultStorageClass: no-op without a default',
        `${plugins}/classes: are for those who say nothing, in either way`,
      ),
      both('DefaultIngressClass', `${plugins}/classes: exist for ingresses too`),
      both(
        'DefaultTolerationSeconds: added when absent',
        `${plugins}/small-plugins: adds what is missing to a pod that tolerates %s`,
      ),
      both(
        'DenyServiceExternalIPs: removing is allowed',
        `${plugins}/off-by-default: external addresses may go, and not come`,
      ),
      both(
        'EventRateLimit: four types of buckets',
        `${plugins}/configured-plugins: are refused beyond what a bucket holds, until it fills again`,
        `${plugins}/configured-plugins: of one source about one object share a bucket`,
      ),
      both(
        'ExtendedResourceToleration',
        `${plugins}/off-by-default: special resources are tolerated by those who ask for them, once`,
      ),
      both('LimitPodHardAntiAffinityTopology', `${plugins}/off-by-default: pods keep others off their node only`),
      both(
        'LimitRanger: defaults and limits',
        `${plugins}/limit-ranger/limit-ranger: fill what containers leave out, and say so`,
        `${plugins}/limit-ranger/limit-ranger: limits %j hold for containers`,
      ),
      both('NamespaceAutoProvision: creates what is missing', `${plugins}/off-by-default: are made, but not on trial`),
      both('NamespaceExists', `${plugins}/off-by-default: are reported`),
      both('NamespaceLifecycle: three namespaces stay', 'deletion: %s cannot be deleted'),
      both(
        'NamespaceLifecycle: none is created in a terminating one',
        'deletion: become Terminating, refuse new content, and go with everything in them',
      ),
      both(
        'NodeRestriction: its own Node and Pods',
        `${plugins}/node-restriction/node-restriction: write themselves only, and not their taints`,
      ),
      both(
        'NodeRestriction: labels, each of the list',
        `${plugins}/node-restriction/node-restriction: label %s may be set by the node: %s`,
      ),
      both(
        'OwnerReferencesPermissionEnforcement: delete',
        `${plugins}/off-by-default: change only with the right to delete`,
      ),
      both(
        'OwnerReferencesPermissionEnforcement: finalizers',
        `${plugins}/off-by-default: are held up only with a right on their finalizers`,
      ),
      both('PersistentVolumeClaimResize', `${plugins}/classes: where its class lets it`),
      both(
        'PodNodeSelector: of the namespace, else of the cluster',
        `${plugins}/configured-plugins: pods select what their namespace selects, and no more than is allowed`,
      ),
      both(
        'PodTolerationRestriction: added and allowed ones',
        `${plugins}/configured-plugins: pods tolerate what their namespace adds, and nothing that is not allowed`,
      ),
      both(
        'Priority: filled in, a missing class is refused',
        `${plugins}/priority: gets the priority of %s`,
        `${plugins}/priority: is refused: %j`,
      ),
      both('RuntimeClass: overhead of the class', `${plugins}/classes: cost what it costs`),
      both('SecurityContextDeny', `${plugins}/off-by-default: pods do not choose the user they run as: %j`),
      both(
        'StorageObjectInUseProtection: claims and volumes',
        'controllers: a claim outlives its deletion while a pod uses it',
        'controllers: a volume outlives its deletion while it is bound',
      ),
      both('TaintNodesByCondition', `${plugins}/small-plugins: a new node is tainted until it is ready, once`),
    ],
  },
  {
    title: 'Reviews, row by row',
    sentences: [
      both('spec.token is needed', 'identity: need a token to review'),
      both('spec.audiences: at least one is meant', 'src/authn/tokens: are for their audiences'),
      differs('reviewFlags', 'status.authenticated', 'both-dialects: reviews leave out what is not so, or say false'),
      both(
        'status.user: username, uid, groups, extra',
        'src/authn/token-webhook: is asked with a TokenReview and says who it is',
      ),
      both('status.audiences', 'issuers: is reviewed with its audiences'),
      both(
        'status.error: the text of a refusal',
        'src/authn/token-webhook: says why a token is not good; that is not remembered, and the token is not repeated',
      ),
      both('SelfSubjectAccessReview, SubjectAccessReview', 'identity: answer for oneself and for others'),
      both('LocalSubjectAccessReview', 'identity: stay in their namespace, and tell of selectors they cannot read'),
      both('SelfSubjectRulesReview', 'granting: a rules review lists a role once, however often it is bound'),
      both('allowed and denied', 'webhooks: reviews tell the difference'),
    ],
  },
  {
    title: 'AdmissionReview, row by row',
    sentences: [
      both('uid, kind, resource, name, namespace, operation', reviewed),
      both('subResource', `${hooks}: a namespace is in itself, and a subresource is named`),
      both(
        'requestKind, requestResource with Equivalent',
        `${hooks}: a rule may name another version of the resource: the object is converted there and back`,
      ),
      both('userInfo', reviewed),
      both('object and oldObject, null where there is none', reviewed),
      both('options; dryRun', reviewed, `${hooks}: no dry run, where a webhook may have effects`),
      both(
        'response: uid and allowed are required',
        `${hooks}: a webhook that %s fails the request, or not, as its configuration says`,
        'webhook-answers: %s',
      ),
      both('response: status', `${hooks}: that say %s`),
      both('response: patchType and patch', `${hooks}: a patch %s fails the request`),
      both('response: warnings', `${hooks}: warnings reach the client, long ones cut where there are many`),
      both(
        'a validating webhook may not patch',
        `${hooks}: what is deleted cannot be changed, and a validating webhook may not try`,
      ),
      both('the bodies are those of 1.36.4', 'admission-reviews: %s'),
    ],
  },
  {
    title: 'Webhook configurations, row by row',
    sentences: [
      both('names are unique', 'src/groups/admissionregistration/v1/webhook-rules: names are unique'),
      both('rules: operations, groups, versions, resources, scope', hookRules),
      both('objectSelector: object or oldObject', `${hooks}: those whose objects have the labels, before or after`),
      both(
        'namespaceSelector',
        'src/admission/matching/match-request: of the namespace',
        'src/admission/matching/match-request: of a namespace itself are about the labels it gets, or had',
      ),
      both('matchPolicy, failurePolicy, timeoutSeconds, scope: defaults', hookDefaults),
      both('clientConfig.url: https, no user, fragment or query', hookRules),
      both('clientConfig.service: name and namespace, path, port', hookRules, hookDefaults),
      both(
        'the certificate is for <svc>.<ns>.svc, by caBundle',
        'src/webhooks/webhook-caller: the certificate has to be of the bundle, and for the host',
        'src/webhooks/webhook-caller: a service is called by its name, wherever it leads',
      ),
      both('admissionReviewVersions: one that is supported', hookRules),
      both('sideEffects: None or NoneOnDryRun', hookRules),
      both('timeoutSeconds: 1 to 30', hookRules),
      both(
        'reinvocationPolicy: mutating only',
        'src/groups/admissionregistration/v1/webhook-rules: only a mutating webhook is called again',
        `${hooks}: a webhook that wants it is called again after a later one changed something, once`,
      ),
      both(
        'take effect within seconds',
        `${hooks}: each of them calls a webhook within a second of its configuration, and stops with it`,
      ),
      both(
        'credentials by host, in the admission configuration',
        `${hooks}: in the first version that both know, with the time there is, and as the user for that host`,
      ),
    ],
  },
  {
    title: 'Image policy, field by field',
    sentences: [
      both(
        'containers, annotations, namespace',
        `${image}: the backend is asked about images, marked annotations and the namespace`,
      ),
      both('allowed, reason', `${image}: %j refuses the pod`),
      both('allowTTL, denyTTL', `${image}: allowed: %s, for %i ms`),
      both('retryBackoff', `${image}: is asked again, with pauses that grow`),
      both('defaultAllow', 'image-policy: without a backend, and with defaultAllow %s, a pod gets %i'),
      both(
        'the backend uses TLS',
        `${plugins}/image-policy-webhook/image-policy-settings: a backend with %j %j is refused`,
      ),
    ],
  },
  {
    title: 'CertificateSigningRequests, row by row',
    sentences: [
      both('spec.request: PEM of PKCS#10', signingRules),
      both('spec.signerName', 'src/groups/certificates/v1/signing-request-rules: %j is no name of a signer'),
      both('spec.expirationSeconds: 600 at least', 'certificate-cases: %i seconds are too short'),
      both('spec.usages: no duplicates, known ones', signingRules),
      both('status.conditions: types are unique, status is there', cases),
      both('status.certificate: PEM without headers', signingRules),
      both('created to Approved', 'certificate-signing: of a client gets a certificate that the server believes'),
      both(
        'created to Denied',
        'certificate-signing: a request that is denied, that failed, or that is for another signer',
      ),
      both('rights to approve and to sign', 'certificate-cases: the right to %s'),
      both(
        'garbage collection: each row',
        'src/controllers/certificates/cleaner: %s',
        'certificate-approval: requests go when they are done with, by the clock of the server',
      ),
      both(
        'auto-approval after an access review',
        'certificate-approval: is approved later, when the right was given later',
      ),
      both(
        'signer apiserver-client',
        'certificate-signing: for %s is signed',
        'certificate-signing: to %s, %#, that it does not sign is marked as failed',
      ),
      both('signer apiserver-client-nodeagent', 'certificate-approval: %s is not approved'),
      both('signer nodeagent-serving', 'certificate-signing: for %s is signed'),
      both(
        'signer legacy-unknown: not through v1',
        'certificate-signing: a request from before there were signers gets what it asks for, through the API that had it',
      ),
      both('the shorter of both lifetimes', 'certificate-signing: for %s is signed'),
      both(
        'create, get, list, watch, approval, status',
        'certificate-requests: requests go through all that clients do with them, in the order of the conformance test of 1.36',
      ),
    ],
  },
  {
    title: 'Roles and bindings, row by row',
    sentences: [
      both(
        'Role, ClusterRole: rules',
        'src/groups/rbac/v1/role-validation: a rule that says nothing is told what it lacks; its verbs are null then',
      ),
      both('paths in a ClusterRole only', `${bindings}: may speak of paths in a ClusterRole only`),
      both(
        'aggregationRule',
        `${bindings}: are aggregated from at least one valid selector`,
        'src/groups/rbac/v1/aggregation: rules come in the order of the selectors, then of names, each once',
      ),
      both(
        'RoleBinding: subjects and roleRef',
        `${bindings}: to subject %j are refused`,
        `${bindings}: get their API groups`,
      ),
      both('ClusterRoleBinding: a ClusterRole', `${bindings}: of a cluster grant ClusterRoles`),
      both('names are path segments', `${bindings}: %j is refused`),
      both('rules only add', 'src/authz/rbac/rule-set: allows what one of its rules allows'),
      both(
        'names of users are case-sensitive',
        'src/authz/rbac/rbac: know groups and accounts, and the newest subjects of a binding',
      ),
      both('resourceNames: not for create and deletecollection', 'src/authz/rbac/rbac: %j on %j'),
      both('admin, edit, view are aggregated', 'rbac: are there, aggregated, and follow new parts'),
    ],
  },
  {
    title: 'Authentication, rule by rule',
    sentences: [
      both(
        'the first authenticator that succeeds decides',
        `${tokens}: are asked until one knows; what they said is kept, the token is not`,
      ),
      both('system:authenticated is added', 'identity: stand for their users'),
      both('Bearer <token>', 'src/authn/credentials: in %j is %j'),
      both(
        'client certificates: name and organizations',
        'src/codec/distinguished-name: is the last common name, and groups are all organizations in their order',
      ),
      both('static tokens: columns, quoted groups', `${tokens}: has users, uids and groups`),
      both('bootstrap tokens: 6 and 16 characters', `${tokens}: %j is none`),
      both('bootstrap tokens: user and groups', `${tokens}: stand for a user of that id and its groups`),
      both('service accounts: name and two groups', `${tokens}: say who the account is, and carry an id`),
      both(
        '--service-account-key-file, repeatable',
        'service-accounts: tokens in Secrets may have a key of their own, and are believed',
      ),
      both('--service-account-lookup', `${tokens}: end with the account, also when another of that name comes`),
      both(
        'webhook: cached for two minutes',
        'src/authn/token-webhook: is believed for a while, by token and audiences',
      ),
      both(
        'anonymous: name and group',
        'src/authn/credentials: callers without credentials are let in where that is allowed',
      ),
      both(
        'an invalid token is 401',
        'identity: that are wrong are refused everywhere; no token at all is system:anonymous',
      ),
      both('wildcards do not include anonymous', 'src/authz/abac: %j on %j'),
    ],
  },
  {
    title: 'OpenID Connect and proxy flags, row by row',
    sentences: [
      both('--oidc-issuer-url: https', 'issuers: %j fails at start'),
      both('--oidc-client-id', 'src/authn/jwt-issuers/issuers: are for the audiences of this server'),
      both('--oidc-username-claim, -prefix', issuerTokens, 'issuers: can be %s'),
      both('--oidc-groups-claim, -prefix', issuerTokens),
      both('--oidc-required-claim', 'src/authn/jwt-issuers/issuers: need the claims that are required'),
      both('--oidc-ca-file', 'issuers: or whose certificate no CA vouches for is not believed'),
      both(
        'signature and expiry',
        'src/authn/jwt-issuers/issuers: with %s are refused',
        'src/authn/jwt-issuers/issuers: cover every part of a token',
      ),
      both(
        'the client refreshes with a refresh token',
        'src/client/oidc/oidc-source: is shown until ten seconds before its end, and then renewed once for all requests',
      ),
      both('without an id_token in the answer there is none', 'src/client/oidc/oidc-source: %j'),
      both('proxy: names, groups, extra from headers', 'identity: say which user a request is for'),
      both(
        'proxy: a certificate of the CA, of an allowed name',
        'identity: are believed by name and CA only',
        'identity: may have any name where the list of names is empty',
      ),
      both(
        'proxy: keys in lower case, decoded',
        'src/authn/credentials: may send any headers, and keys of any name are data',
      ),
    ],
  },
  {
    title: 'Impersonation, row by row',
    sentences: [
      both('Impersonate-User', 'identity: is of a user first of all'),
      both('Group, Extra, Uid need a user', 'identity: is of a user first of all'),
      both(
        'a right for users, groups, serviceaccounts, userextras, uids',
        'identity: needs a right for every part of the identity',
      ),
      both('a service account gets its groups', 'identity: makes a service account with its groups'),
      both('the caller is checked first', 'identity-lessons: is checked before any authorizer decides'),
      both('audit has both names', 'audit: a user who acts as another one is recorded with both names'),
    ],
  },
  {
    title: 'Client credential plugin, row by row',
    sentences: [
      both(
        'command: relative to the file, else by PATH',
        `${exec}: a bare name is looked for in PATH, never in the working folder`,
      ),
      both('apiVersion: answered in the same', `${exec}: answering with %s are named without what they wrote`),
      both('env, args', `${exec}: the object in the environment, arguments and variables`),
      both('installHint', `${exec}: failing, missing, or not a program`),
      both('provideClusterInfo', `${exec}: the cluster, when it wants to know`),
      both('interactiveMode Always without a terminal', `${exec}: a plugin that needs one is not run without`),
      both('token, or both parts of a certificate', `${exec}: answering with %s are named without what they wrote`),
      both('expirationTimestamp', `${exec}: until they end`),
      both('per-cluster data', `${exec}: what the cluster adds for it, large integers unchanged`),
    ],
  },
  {
    title: 'Bootstrap tokens and service accounts, clause by clause',
    sentences: [
      both('the Secret: type, name, keys', `${tokens}: have a form, a type and no end under way`),
      both('usage-bootstrap-authentication, expiration', `${tokens}: with %s are refused`),
      both(
        'cluster-info: kubeconfig and signatures',
        'bootstrap-tokens: signatures come and go with tokens, at their end, and follow what is signed',
      ),
      both(
        'what is in cluster-info is signed as it is',
        'bootstrap-tokens: information that another client wrote is signed as it is',
      ),
      both(
        'default where the pod names none',
        `${plugins}/service-account/service-account: every container gets the token, in one volume`,
      ),
      both(
        'a missing account',
        `${plugins}/service-account/service-account: an account that is not there is an error in the known words`,
      ),
      both(
        'three sources, 3607 seconds, mode 420',
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
      both('the token ends with the pod', `${tokens}: end with the pod, secret or node they are bound to`),
      both(
        'ca.crt in every namespace',
        'service-accounts: the CA is published, and put right when it is changed or deleted',
      ),
      both('token Secrets go with their account', 'service-accounts: a token Secret goes with its account'),
      both(
        'token Secrets for no account',
        'service-accounts: a token Secret for no account, or for an earlier account of that name, goes at once',
      ),
      both('references to deleted Secrets', 'service-accounts: an account forgets a token Secret that was deleted'),
      both('default in every active namespace', 'service-accounts: %s has a default account'),
    ],
  },
  {
    title: 'Authorization, rule by rule',
    sentences: [
      both(
        '1: modules in order; 403 where none allows',
        'webhooks: orders authorizers, and a failing webhook may deny',
        'rbac: is told who may not do what, where',
      ),
      both('1: AlwaysAllow, AlwaysDeny', 'rbac: without roles every known user may do everything, or nothing'),
      both('1: Node', 'src/authz/node/node: is a user of the right name and group'),
      both('1: ABAC', 'src/authz/abac: %j on %j'),
      both('1: Webhook', 'src/authz/webhook/webhook-module: a request for resources, with its selectors'),
      both('3: verbs of resource requests, each row', 'src/meta/request-info: %s %s is %s'),
      both('3: HEAD is get', 'src/meta/request-info: %s %s is %s'),
      both('3: paths use the method', 'src/meta/request-info: the verb is the method in lower case'),
      both('3: bind, escalate', 'src/authz/rbac/rbac: the rights to escalate and to bind make up for it'),
      both('4: roleRef stays', 'rbac: keep the role of a binding', `${bindings}: keep their role`),
      both('4: lists and watches by metadata.name', 'rbac: that name objects allow lists and watches of just these'),
      both(
        '4: bindings of a namespace grant there only',
        'rbac: of a namespace do not open resources of the cluster through it',
      ),
    ],
  },
  {
    title: 'Events, errors, limits and versions, row by row',
    sentences: [
      both(
        'audit annotations of mutation and patch',
        `${hooks}: audit knows what was called, what was changed and what failed`,
      ),
      both('the metric of rejections', `${hooks}: metrics count calls, refusals and failures`),
      both('Warning headers with code 299', `${hooks}: warnings reach the client, long ones cut where there are many`),
      both(
        'a webhook that fails: Ignore or Fail',
        `${hooks}: a webhook that %s fails the request, or not, as its configuration says`,
      ),
      both('a dry-run is not sent to a webhook with effects', `${hooks}: no dry run, where a webhook may have effects`),
      both('authenticated false: unauthenticated', 'webhooks: %s opens no door'),
      both(
        'warnings: 256 each, 4096 in all',
        'src/meta/exchange-warnings: from the first on that is too much, each is short',
        'src/meta/exchange-warnings: short ones are sent until the limit is reached',
      ),
      both(
        'v1 and v1beta1 of AdmissionReview, the first that both know',
        `${hooks}: in the first version that both know, with the time there is, and as the user for that host`,
      ),
      both('TokenReviews to webhooks: v1beta1 by default', 'src/authn/token-webhook: speaks v1beta1 as well'),
      both(
        'exec v1beta1 needs no interactiveMode',
        'src/client/kubeconfig/kubeconfig: v1beta1 plugins need not say how interactive they are',
      ),
      both('/metrics', 'discovery: requests are counted and timed, made-up resources under no name'),
      both(
        'credentials for webhooks: WebhookAdmissionConfiguration of v1',
        `${hooks}: in the first version that both know, with the time there is, and as the user for that host`,
      ),
    ],
  },
];
