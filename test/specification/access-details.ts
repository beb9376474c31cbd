// The tables of the second document, row by row, as far as the sentences of their sections do not name each row.

import { both, differs, type Section } from './sentence.ts';

const plugins = 'src/admission/plugins';
const admission = 'specified-admission';
const access = 'specified-access';
const inNames = `${admission}: no webhook is asked about reads, and one is asked in the versions and names of the dialect`;
const denied =
  'admission-plugins: one that refuses everything stops every sort of write, leaves nothing behind, and lets reads pass';
const known = `${access}: tokens stand for a user, and every known user is of one group`;
const matched = 'src/admission/matching/match-request: %s';
const hooks = 'admission-webhooks';
const hookRules = 'src/groups/admissionregistration/v1/webhook-rules: %s';
const hookDefaults = 'src/groups/admissionregistration/v1/webhook-rules: defaults of a webhook';
const reviewedInBoth = 'specified-webhooks: a review says what is asked for, by which user and with which objects';
const reviewed = `${hooks}: a create, an update, a patch and a delete, each with objects, options and the caller`;
const image = `${plugins}/image-policy-webhook/image-policy-webhook`;
const settings = `${plugins}/image-policy-webhook/image-policy-settings: the specification names the file differently`;
const signingRules = 'certificate-requests: %s is invalid, and says why';
const issuerTokens = 'src/authn/jwt-issuers/issuers: stand for the user they describe';
const tokens = 'src/authn/tokens';
const acting = `${access}: impersonation comes after authentication, and needs a right for every part`;
const webhookVersion =
  'specified-identity: a token webhook with the version %s is asked in %s, and an answer in %s is none';
const exec = 'src/client/exec/exec-source';
const bindings = 'src/groups/rbac/v1/roles-and-bindings';

export const accessDetails: readonly Section[] = [
  {
    title: 'What the service does, in detail',
    sentences: [
      both(
        'Authentication, authorization, admission, persistence: in order',
        `${access}: callers are known first, then allowed, then admitted, and then the store is asked`,
      ),
      both(
        'Mutating, then schema, then validating plugins',
        `${hooks}: what a patch leaves open gets its defaults, and what it adds beyond the schema is dropped`,
        'specified-webhooks: a patch changes the object, and a validating webhook may not patch',
        `${hooks}: validating webhooks are asked at once, on the object as it will be stored`,
      ),
      both('Admission is for create, update, delete and connect', denied),
      both('Admission is not for reads', inNames, denied),
      both('One rejection rejects the request, and nothing is stored', denied),
      both(
        'Plugins with effects are reconciled',
        'src/controllers/resource-quota/reconcile: what is charged and not stored yet stays charged while its request may be under way',
      ),
      both(
        '--enable-admission-plugins, --disable-admission-plugins',
        'admission-plugins: all plugins of the table can be turned on',
        'admission-plugins: all plugins of the table can be turned off',
      ),
      both(
        '--admission-control-config-file: path or inline',
        'admission: sets plugins up, inline or by another file',
        `${admission}: the file of configurations may name another file`,
      ),
      both('--admission-control-config-file: wrong ones', 'admission: fails at start when it is wrong: %s'),
    ],
  },
  {
    title: 'Admission plugins, clause by clause',
    sentences: [
      both(
        'CertificateApproval: approve on the signer, or its domain',
        `${plugins}/small-plugins: approving needs one, for the signer or for its domain`,
        `${access}: needs the right to %s of its signer`,
      ),
      both(
        'CertificateSigning: sign, where the certificate changes',
        `${plugins}/small-plugins: signing needs one, where the certificate or the conditions change`,
        `${access}: needs the right to %s of its signer`,
      ),
      both(
        'CertificateSubjectRestriction: system:masters',
        'certificate-cases: a client certificate for the group %s: %i',
        `${access}: of a client may not be for the group system:masters`,
      ),
      both(
        'DefaultStorageClass: no-op without a default',
        `${plugins}/classes: are for those who say nothing, in either way`,
      ),
      both(
        'DefaultIngressClass: on creation, not on updates, no-op without a default',
        `${admission}: an ingress gets the default class when it is created, and not later`,
      ),
      both(
        'DefaultTolerationSeconds: added when absent, with the seconds of the flags',
        `${admission}: the seconds of both tolerations are options, and those that a pod has stay`,
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
        `${plugins}/configured-plugins: of one %s share a bucket`,
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
      both(
        'NamespaceAutoProvision: creates what is missing',
        `${plugins}/off-by-default: are made, and planned in a dry run`,
        'admission-plugins: a dry run in a missing namespace is answered as the real request is',
      ),
      both('NamespaceExists', `${plugins}/off-by-default: are reported`),
      both(
        'NamespaceLifecycle: three namespaces stay, missing ones take nothing',
        `${admission}: three namespaces cannot be deleted, and one that is missing takes nothing`,
      ),
      both(
        'NamespaceLifecycle: none is created in a terminating one',
        'deletion: become Terminating, refuse new content, and go with everything in them',
        'specified-accounts: nothing is created in a namespace that goes',
      ),
      both(
        'NodeRestriction: its own Node and Pods',
        `${admission}: writes its own Node, and neither its taints nor its end`,
        `${admission}: ends pods that are bound to it, and no others`,
        `${plugins}/node-restriction/node-restriction: are mirrors of what runs there (%#)`,
      ),
      differs('agentLabels', 'NodeRestriction: labels, each of the list'),
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
        `${admission}: plugins that are off by default go by the names of the dialect`,
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
        `${admission}: claims, volumes and nodes begin with what protects them`,
      ),
      both(
        'TaintNodesByCondition',
        `${admission}: claims, volumes and nodes begin with what protects them`,
        `${plugins}/small-plugins: a new node is tainted until it is ready, once`,
      ),
    ],
  },
  {
    title: 'Reviews, row by row',
    sentences: [
      both('spec.token is needed', 'identity: need a token to review', 'specified-accounts: a review needs a token'),
      both(
        'spec.audiences: at least one is meant, the intersection is returned',
        `${access}: a review returns the audiences of the token that were asked for, of which there is at least one`,
        'src/authn/tokens: are for their audiences',
        'src/authn/token-webhook: that %s',
      ),
      differs('reviewFlags', 'status.authenticated'),
      both(
        'status.user: username, uid, groups, extra',
        `${access}: reviews say who a token belongs to, and who may do what`,
        'webhooks: says who a token belongs to, and is asked once',
      ),
      both(
        'status.audiences; without them the token is for the server',
        `${access}: a review returns the audiences of the token that were asked for, of which there is at least one`,
        'issuers: is reviewed with its audiences',
        'src/authn/token-webhook: that %s',
      ),
      both(
        'status.error: the text of a refusal',
        'specified-identity: that does not know %s leaves the caller unknown',
        'src/authn/token-webhook: says why a token is not good; that is not remembered, and the token is not repeated',
        'webhooks: its verdicts are seen in a TokenReview',
      ),
      both(
        'SelfSubjectAccessReview, SubjectAccessReview',
        'identity: answer for oneself and for others',
        `${access}: reviews say who a token belongs to, and who may do what`,
      ),
      both(
        'LocalSubjectAccessReview',
        'identity: stay in their namespace, and tell of selectors they cannot read',
        `${access}: reviews say who a token belongs to, and who may do what`,
      ),
      both(
        'SelfSubjectRulesReview',
        'identity: list the rules of the caller',
        `${access}: reviews say who a token belongs to, and who may do what`,
      ),
      both(
        'resourceAttributes: group, name, namespace, verb, resource',
        `${access}: reviews say who a token belongs to, and who may do what`,
      ),
      both('allowed and denied', 'specified-identity: a review tells what is allowed, denied, or neither'),
    ],
  },
  {
    title: 'AdmissionReview, row by row',
    sentences: [
      both('uid, kind, resource, name, namespace, operation', reviewed, reviewedInBoth, inNames),
      both(
        'subResource, requestSubResource',
        `${hooks}: a namespace is in itself, and a subresource is named`,
        'specified-webhooks: a review says what is asked for, by which user and with which objects',
      ),
      both(
        'requestKind, requestResource with Equivalent',
        `${hooks}: a rule may name another version of the resource: the object is converted there and back`,
        'specified-webhooks: the first version that both know is spoken, and another version of the resource is converted',
      ),
      both('userInfo', reviewed, reviewedInBoth, 'admission-reviews: %s'),
      both(
        'object and oldObject, null where there is none',
        reviewed,
        reviewedInBoth,
        'specified-webhooks: a connection is reviewed with its options',
      ),
      both(
        'options, null for CONNECT; dryRun',
        reviewed,
        reviewedInBoth,
        inNames,
        'specified-webhooks: a connection is reviewed with its options',
      ),
      both(
        'response: uid and allowed are required',
        `${hooks}: a webhook that %s fails the request, or not, as its configuration says`,
        'specified-webhooks: a webhook that gives no answer fails the request, or not, as its policy says',
        'webhook-answers: %s',
      ),
      both(
        'response: status',
        `${hooks}: that say %s`,
        'specified-webhooks: a refusal has the code and the message of the webhook, and is counted',
      ),
      both(
        'response: patchType and patch',
        `${hooks}: a patch %s fails the request`,
        `${hooks}: what a patch leaves open gets its defaults, and what it adds beyond the schema is dropped`,
        'specified-webhooks: a patch changes the object, and a validating webhook may not patch',
      ),
      both(
        'response: warnings',
        `${hooks}: warnings reach the client, long ones cut where there are many`,
        'specified-webhooks: warnings are headers of code 299, long ones cut where there are many',
      ),
      both(
        'a validating webhook may not patch',
        `${hooks}: what is deleted cannot be changed, and a validating webhook may not try`,
        'specified-webhooks: a patch changes the object, and a validating webhook may not patch',
      ),
      both('the bodies are those of 1.36.4', 'admission-reviews: %s'),
    ],
  },
  {
    title: 'Webhook configurations, row by row',
    sentences: [
      both('the name of a configuration is a DNS subdomain', inNames),
      both('names are unique', 'src/groups/admissionregistration/v1/webhook-rules: names are unique'),
      both('rules: operations, groups, versions, resources, scope: values', hookRules),
      both('rules: what *, */*, pods/*, */status and each scope match', matched),
      both(
        'objectSelector: object or oldObject',
        'specified-webhooks: a webhook is asked where the object or the old object has the labels, in namespaces with theirs',
        `${hooks}: those whose objects have the labels, before or after`,
        'src/admission/matching/match-request: of the object are about the new one or the old one',
      ),
      both(
        'namespaceSelector',
        'src/admission/matching/match-request: of the namespace',
        'src/admission/matching/match-request: of a namespace itself are about the labels it gets, or had',
      ),
      both('matchPolicy, failurePolicy, timeoutSeconds, scope: defaults', hookDefaults),
      both(
        'matchPolicy: Exact or Equivalent',
        hookRules,
        'src/admission/matching/match-request: is matched as the rule names it, where versions are equivalent',
      ),
      both('clientConfig.url: https, no user, fragment or query', hookRules),
      both(
        'clientConfig.service: name and namespace, path, port',
        hookRules,
        hookDefaults,
        'src/webhooks/webhook-caller: a service is called by its name, wherever it leads',
      ),
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
        'specified-webhooks: only mutating webhooks have a policy of reinvocation',
        'src/groups/admissionregistration/v1/webhook-rules: only a mutating webhook is called again',
        hookDefaults,
        `${hooks}: a webhook that wants it is called again after a later one changed something, once`,
        'specified-webhooks: one that wants it is called again, and none with effects for a dry run',
      ),
      both(
        'take effect within seconds',
        `${hooks}: each of them calls a webhook within a second of its configuration, and stops with it`,
        'specified-webhooks: a patch changes the object, and a validating webhook may not patch',
      ),
      both(
        'credentials by host, in the admission configuration',
        'src/webhooks/webhook-caller: credentials are those of the host',
        `${hooks}: in the first version that both know, with the time there is, and as the user for that host`,
        'specified-webhooks: the first version that both know is spoken, and another version of the resource is converted',
      ),
    ],
  },
  {
    title: 'Image policy, field by field',
    sentences: [
      both(
        'containers, annotations, namespace',
        `${image}: the backend is asked about images, marked annotations and the namespace`,
        'image-policy: the cluster dialect wants the group of reviews turned on',
      ),
      both('allowed, reason', `${image}: %j refuses the pod`),
      both('allowTTL, denyTTL', `${image}: allowed: %s, for %i ms`, settings),
      both('retryBackoff', `${image}: is asked again, with pauses that grow`, settings),
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
      both('spec.request: PEM of PKCS#10', signingRules, `${access}: with %s is refused`),
      both(
        'spec.signerName',
        'src/groups/certificates/v1/signing-request-rules: %j is no name of a signer',
        `${access}: with %s is refused`,
      ),
      both(
        'spec.expirationSeconds: 600 at least',
        'certificate-cases: %i seconds are too short',
        `${access}: with %s is refused`,
      ),
      both('spec.usages: required, no duplicates, known ones', `${access}: with %s is refused`),
      both('status.conditions: types are unique, status is there', `${access}: gets %s`),
      both('status.certificate: PEM without headers, text around it', `${access}: gets %s`),
      both(
        'created to Approved',
        'specified-certificates: a request that is denied gets no certificate, and one that is approved gets one',
        'certificate-signing: of a client gets a certificate that the server believes',
      ),
      both(
        'created to Denied',
        'specified-certificates: a request that is denied gets no certificate, and one that is approved gets one',
        'certificate-signing: a request that is denied, that failed, or that is for another signer',
      ),
      both(
        'rights to approve and to sign',
        'certificate-cases: the right to %s',
        `${access}: needs the right to %s of its signer`,
      ),
      both(
        'garbage collection: each row',
        'src/controllers/certificates/cleaner: %s',
        'certificate-approval: requests go when they are done with, by the clock of the server',
      ),
      both(
        'auto-approval after an access review',
        'specified-certificates: a client certificate of a node agent is approved once its user may have it, no other',
      ),
      both(
        'signer apiserver-client',
        'specified-certificates: the signer %s keeps names of hosts, drops other extensions, and signs no CA',
        'certificate-signing: for %s is signed',
        'certificate-signing: to %s, %#, that it does not sign is marked as failed',
      ),
      both(
        'signer apiserver-client-nodeagent',
        'certificate-approval: %s is not approved',
        'certificate-signing: to %s, %#, that it does not sign is marked as failed',
      ),
      both(
        'signer nodeagent-serving',
        'specified-certificates: the signer %s keeps names of hosts, drops other extensions, and signs no CA',
        'certificate-signing: for %s is signed',
        'certificate-signing: to %s, %#, that it does not sign is marked as failed',
      ),
      both(
        'signer legacy-unknown: not through v1',
        `${access}: with %s is refused`,
        'certificate-signing: a request from before there were signers gets what it asks for, through the API that had it',
      ),
      both(
        'the shorter of both lifetimes',
        'specified-certificates: a certificate asked for with %s seconds lasts for the shorter of both times',
      ),
      both(
        'create, get, list, watch, approval, status',
        'specified-certificates: a request is created, read, listed and watched, then approved, and signed by its parts',
      ),
    ],
  },
  {
    title: 'Roles and bindings, row by row',
    sentences: [
      both(
        'Role, ClusterRole: rules',
        'src/groups/rbac/v1/role-rules: a rule that says nothing is told what it lacks; its verbs are null then',
        `${bindings}: %j is refused`,
        'src/authz/rbac/rbac: %j on %j',
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
      both('names are path segments', `${access}: have names that are segments of a path`),
      both('rules only add', 'src/authz/rbac/rule-set: allows what one of its rules allows'),
      both('names of users are case-sensitive', `${access}: mean the user of exactly that name, and keep their role`),
      both(
        'kinds of subjects: User, Group, ServiceAccount',
        'src/authz/rbac/rbac: know groups and accounts, and the newest subjects of a binding',
      ),
      both(
        'resourceNames: not for create and deletecollection',
        `${access}: that name objects are good for lists and watches of these alone`,
      ),
      both(
        'admin, edit, view are aggregated',
        'rbac: are there, aggregated, and follow new parts',
        'specified-accounts: admin, edit and view gather the rules of roles that are labelled for them',
      ),
    ],
  },
  {
    title: 'Authentication, rule by rule',
    sentences: [
      both(
        'the first authenticator that succeeds decides',
        `${tokens}: are asked until one knows; what they said is kept, the token is not`,
      ),
      both('system:authenticated is added', known),
      both('Bearer <token>', 'src/authn/credentials: in %j is %j'),
      both(
        'client certificates: name and organizations',
        'src/codec/distinguished-name: is the last common name, and groups are all organizations in their order',
      ),
      both('static tokens: columns, quoted groups', `${tokens}: has users, uids and groups`),
      both('bootstrap tokens: 6 and 16 characters', `${tokens}: have a form, a type and no end under way`, known),
      both('bootstrap tokens: user and groups', `${tokens}: stand for a user of that id and its groups`, known),
      both('service accounts: name and two groups', `${tokens}: say who the account is, and carry an id`, known),
      both(
        '--service-account-key-file, repeatable; else --tls-private-key-file',
        'specified-identity: tokens of accounts are believed by every key that is named, or else that of the server',
      ),
      both(
        '--service-account-lookup',
        `${tokens}: end with the account, also when another of that name comes`,
        'specified-identity: tokens of accounts are believed by every key that is named, or else that of the server',
      ),
      both(
        'webhook: cached for two minutes',
        'specified-identity: answers of a token webhook are kept for two minutes, or as long as the option says',
        'src/authn/token-webhook: is believed for a while, by token and audiences',
      ),
      both(
        'anonymous: name and group',
        'src/authn/credentials: callers without credentials are let in where that is allowed',
        `${access}: callers without credentials are one user of one group, and no wildcard means them`,
      ),
      both(
        'an invalid token is 401',
        'identity: that are wrong are refused everywhere; no token at all is system:anonymous',
        'specified-accounts: an unknown token is 401, what no role allows 403, and a role of a namespace counts there only',
      ),
      both(
        'wildcards do not include anonymous',
        'src/authz/abac: %j on %j',
        `${access}: callers without credentials are one user of one group, and no wildcard means them`,
      ),
    ],
  },
  {
    title: 'OpenID Connect and proxy flags, row by row',
    sentences: [
      both('--oidc-issuer-url: https', 'issuers: %j fails at start'),
      both(
        '--oidc-client-id',
        'issuers: is reviewed with its audiences',
        'src/authn/jwt-issuers/issuers: with %s are refused',
      ),
      both('--oidc-username-claim, -prefix', issuerTokens, 'issuers: can be %s'),
      both(
        '--oidc-groups-claim, -prefix',
        issuerTokens,
        'issuers: stands for a user whose name says who vouches for it',
      ),
      both(
        '--oidc-required-claim: repeatable',
        'src/authn/jwt-issuers/issuers: need the claims that are required',
        'issuers: every --oidc-required-claim counts',
      ),
      both('--oidc-ca-file', 'issuers: or whose certificate no CA vouches for is not believed: %s'),
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
      both(
        'proxy: names, groups, extra from headers',
        'specified-identity: says which user a request is for, by the first header that has one',
        'src/authn/credentials: names the user in the first header that has a value, and groups and extra in all of them',
      ),
      both(
        'proxy: a certificate of the CA, of an allowed name',
        'specified-identity: is believed by its name and its CA only',
        'specified-identity: where everything is allowed callers are known, and any name of a proxy will do',
      ),
      both(
        'proxy: keys in lower case, decoded',
        'src/authn/credentials: names the user in the first header that has a value, and groups and extra in all of them',
      ),
    ],
  },
  {
    title: 'Impersonation, row by row',
    sentences: [
      both('Impersonate-User', acting),
      both('Group, Extra, Uid need a user', 'specified-identity: of a group, a uid or extra fields needs a user'),
      both(
        'a right for users, groups, serviceaccounts, userextras, uids',
        'identity: needs a right for every part of the identity',
        acting,
      ),
      both(
        'extra: key in lower case, decoded; uid: any string',
        `${access}: keys of impersonated extra fields are in lower case and decoded, and a uid is any text`,
      ),
      both('resourceNames restrict the values', acting),
      both(
        'a service account gets its groups',
        'specified-identity: of a service account brings its groups, and both names are in the audit log',
      ),
      both('the caller is authenticated first', acting),
      both(
        'audit has both names',
        'specified-identity: of a service account brings its groups, and both names are in the audit log',
      ),
    ],
  },
  {
    title: 'Client credential plugin, row by row',
    sentences: [
      both(
        'command: relative to the file, else by PATH',
        'src/client/kubeconfig/kubeconfig: takes the files of KUBECONFIG, passes over missing ones, and resolves paths against each file',
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
      both('usage-bootstrap-authentication, expiration', `${tokens}: with %s are refused`, known),
      both(
        'cluster-info: kubeconfig and signatures',
        'bootstrap-tokens: in the %s dialect, a client can check where the server is',
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
        `${admission}: pods get the account default, and its token by a volume with three sources`,
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
        'specified-accounts: %s has an account and the root CA',
      ),
      both(
        'token Secrets go with their account',
        'service-accounts: a token Secret goes with its account',
        'specified-accounts: a token Secret goes with its account, or at once where there is none, and no reference to it stays',
      ),
      both(
        'token Secrets for no account',
        'service-accounts: a token Secret for no account, or for an earlier account of that name, goes at once',
        'specified-accounts: a token Secret goes with its account, or at once where there is none, and no reference to it stays',
      ),
      both(
        'references to deleted Secrets',
        'service-accounts: an account forgets a token Secret that was deleted',
        'specified-accounts: a token Secret goes with its account, or at once where there is none, and no reference to it stays',
      ),
      both(
        'default in every active namespace',
        'service-accounts: %s has a default account',
        'specified-accounts: %s has an account and the root CA',
      ),
    ],
  },
  {
    title: 'Authorization, rule by rule',
    sentences: [
      both(
        '1: modules in order; 403 where none allows',
        'webhooks: orders authorizers, and a failing webhook may deny',
        'rbac: is told who may not do what, where',
        'specified-accounts: an unknown token is 401, what no role allows 403, and a role of a namespace counts there only',
      ),
      both(
        '1: AlwaysAllow, AlwaysDeny',
        'specified-identity: where everything is allowed callers are known, and any name of a proxy will do',
        'specified-identity: where everything is denied the administrators go on, and no other user',
      ),
      both(
        '1: Node',
        'src/authz/node/node: reads what else the pod needs, and nothing besides',
        'src/authz/node/node: is a user of the right name and group',
      ),
      both('1: ABAC', 'src/authz/abac: %j on %j'),
      both('1: Webhook', 'src/authz/webhook/webhook-module: a request for resources, with its selectors'),
      both(
        '2: attributes of a request',
        'specified-identity: a module is asked with all attributes of a request: those of the caller, and what is requested',
        'src/authz/webhook/webhook-module: a request for resources, with its selectors',
        'src/authz/webhook/webhook-module: a path, in the older version',
      ),
      both('3: verbs of resource requests, each row', 'src/meta/request-info: %s %s is %s'),
      both('3: HEAD is get', 'src/meta/request-info: %s %s is %s'),
      both('3: paths use the method', 'src/meta/request-info: the verb is the method in lower case'),
      both('3: bind, escalate', 'src/authz/rbac/rbac: the rights to escalate and to bind make up for it'),
      both(
        '3: use of podsecuritypolicies',
        'pod-security-policies: pods get what their policy fills in, and those of mighty accounts may do more',
      ),
      both('3: approve and sign', `${access}: needs the right to %s of its signer`),
      both('3: impersonate', acting),
      both(
        '4: roleRef stays',
        `${access}: mean the user of exactly that name, and keep their role`,
        'rbac: keep the role of a binding',
        `${bindings}: keep their role`,
      ),
      both(
        '4: lists and watches by metadata.name',
        `${access}: that name objects are good for lists and watches of these alone`,
      ),
      both(
        '4: bindings of a namespace grant there only',
        'rbac: of a namespace do not open resources of the cluster through it',
        'specified-accounts: an unknown token is 401, what no role allows 403, and a role of a namespace counts there only',
      ),
      both(
        '6: auth can-i, also for others',
        'specified-identity: a user asks about its own rights, and an administrator about those of others',
        'test/interop/kubectl-auth: can-i follows roles and bindings',
      ),
    ],
  },
  {
    title: 'Events, errors, limits and versions, row by row',
    sentences: [
      both(
        'audit annotations of mutation and patch',
        inNames,
        `${hooks}: audit knows what was called, what was changed and what failed`,
      ),
      both(
        'the metric of rejections',
        `${hooks}: metrics count calls, refusals and failures`,
        'specified-webhooks: a refusal has the code and the message of the webhook, and is counted',
      ),
      both(
        'Warning headers with code 299',
        `${hooks}: warnings reach the client, long ones cut where there are many`,
        'specified-webhooks: warnings are headers of code 299, long ones cut where there are many',
      ),
      both(
        'a webhook that fails: Ignore or Fail',
        `${hooks}: a webhook that %s fails the request, or not, as its configuration says`,
        'specified-webhooks: a webhook that gives no answer fails the request, or not, as its policy says',
      ),
      both(
        'a dry-run is not sent to a webhook with effects',
        `${hooks}: no dry run, where a webhook may have effects`,
        'spec-writes: is refused where a webhook with side effects would be asked',
        'specified-webhooks: one that wants it is called again, and none with effects for a dry run',
      ),
      both(
        'authenticated false: unauthenticated',
        'specified-identity: that does not know %s leaves the caller unknown',
      ),
      both(
        'warnings: 256 each, 4096 in all',
        'src/meta/exchange-warnings: from the first on that is too much, each is short',
        'src/meta/exchange-warnings: short ones are sent until the limit is reached',
      ),
      both(
        'v1 and v1beta1 of AdmissionReview, the first that both know',
        `${hooks}: in the first version that both know, with the time there is, and as the user for that host`,
        'specified-webhooks: the first version that both know is spoken, and another version of the resource is converted',
      ),
      both('TokenReviews to webhooks: v1beta1 by default, v1 by flag', webhookVersion),
      both(
        'exec v1beta1 needs no interactiveMode',
        'src/client/kubeconfig/kubeconfig: refuses %j %j',
        'src/client/kubeconfig/kubeconfig: v1beta1 plugins need not say how interactive they are',
      ),
      both(
        '/metrics',
        'spec-versions: the use of a deprecated version is told by a header, the audit log and a gauge',
        'discovery: requests are counted and timed, made-up resources under no name',
      ),
      both('credentials for webhooks: WebhookAdmissionConfiguration of v1', inNames),
      both(
        'older forms of AdmissionConfiguration were replaced in 1.17: read with a warning',
        'src/config/admission-file: %s: %s %s is read with a warning, inline and from a file',
        'src/config/admission-file: AdmissionConfiguration in %s is read with a warning',
      ),
    ],
  },
];
