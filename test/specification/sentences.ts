// The sentences of the specification that a client can test, in the order of its sections, and the tests that show them.

import { accessDetails } from './access-details.ts';
import { objectSections } from './core-objects.ts';
import { requestSections } from './core-requests.ts';
import { versionSections } from './core-versions.ts';
import { both, differs, type Section } from './sentence.ts';

const plugins = 'src/admission/plugins';
const admission = 'specified-admission';
const access = 'specified-access';

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
      both(
        'AlwaysAdmit admits all',
        'admission-plugins: one that admits everything admits every sort of write, where no other plugin looks at it',
      ),
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
        `${plugins}/off-by-default: are made, and planned in a dry run`,
        `${plugins}/off-by-default: are reported`,
      ),
      both(
        'NamespaceLifecycle',
        `${admission}: three namespaces cannot be deleted, and one that is missing takes nothing`,
        'deletion: become Terminating, refuse new content, and go with everything in them',
        'specified-accounts: nothing is created in a namespace that goes',
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
        `${admission}: volumes of clouds get labels of their zone and region, and are used there only`,
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
      differs(
        'disallowedTolerations',
        'PodTolerationRestriction checks the result against the whitelist',
        'both-dialects: a toleration outside the whitelist is a bare error, or 403',
      ),
      both('Priority', `${plugins}/priority: gets the priority of %s`, `${plugins}/priority: is refused: %j`),
      both(
        'ResourceQuota',
        'spec-writes: is charged to no quota',
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
        'specified-webhooks: mutating webhooks are asked one after the other, by the names of configurations',
        'specified-webhooks: validating webhooks are asked at once',
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
        `${access}: a review returns the audiences of the token that were asked for, of which there is at least one`,
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
        'specified-webhooks: a review says what is asked for, by which user and with which objects',
      ),
      both(
        'subResource, namespace of a Namespace',
        'admission-webhooks: a namespace is in itself, and a subresource is named',
        'specified-webhooks: a review says what is asked for, by which user and with which objects',
      ),
      both('CONNECT', 'specified-webhooks: a connection is reviewed with its options'),
      both(
        'The first version that both know',
        'admission-webhooks: in the first version that both know, with the time there is, and as the user for that host',
        'specified-webhooks: the first version that both know is spoken, and another version of the resource is converted',
      ),
      both(
        'patch is a base64 JSON patch',
        'admission-webhooks: what a patch leaves open gets its defaults, and what it adds beyond the schema is dropped',
        'specified-webhooks: a patch changes the object, and a validating webhook may not patch',
        'admission-webhooks: a patch %s fails the request',
      ),
      both(
        'objectSelector, namespaceSelector',
        'specified-webhooks: a webhook is asked where the object or the old object has the labels, in namespaces with theirs',
        'admission-webhooks: those whose objects have the labels, before or after',
        'src/admission/matching/match-request: of the object are about the new one or the old one',
        'src/admission/matching/match-request: of the namespace',
      ),
      both(
        'matchPolicy Equivalent converts',
        'admission-webhooks: a rule may name another version of the resource: the object is converted there and back',
        'specified-webhooks: the first version that both know is spoken, and another version of the resource is converted',
      ),
      both(
        'failurePolicy Ignore or Fail',
        'admission-webhooks: a webhook that %s fails the request, or not, as its configuration says',
        'specified-webhooks: a webhook that gives no answer fails the request, or not, as its policy says',
      ),
      both(
        'reinvocationPolicy',
        'admission-webhooks: a webhook that wants it is called again after a later one changed something, once',
        'specified-webhooks: one that wants it is called again, and none with effects for a dry run',
      ),
      both(
        'Rules of configurations: names, URLs, timeouts, versions',
        'src/groups/admissionregistration/v1/webhook-rules: %s',
        'src/groups/admissionregistration/v1/webhook-rules: defaults of a webhook',
      ),
      both(
        'status.code and status.message of a refusal',
        'admission-webhooks: that say %s',
        'specified-webhooks: a refusal has the code and the message of the webhook, and is counted',
      ),
      both(
        'Warnings: 256 each, 4096 in all',
        'admission-webhooks: warnings reach the client, long ones cut where there are many',
        'specified-webhooks: warnings are headers of code 299, long ones cut where there are many',
      ),
      both(
        'Audit annotations by round and index',
        `${admission}: no webhook is asked about reads, and one is asked in the versions and names of the dialect`,
        'admission-webhooks: audit knows what was called, what was changed and what failed',
      ),
      both(
        'The metric of rejections and its labels',
        'admission-webhooks: metrics count calls, refusals and failures',
        'specified-webhooks: a refusal has the code and the message of the webhook, and is counted',
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
        'specified-certificates: a request that is denied gets no certificate, and one that is approved gets one',
        'src/groups/certificates/v1/signing-request-rules: approves nothing and takes nothing back',
      ),
      both(
        'Approved, then signed',
        'specified-certificates: a request that is denied gets no certificate, and one that is approved gets one',
        'certificate-signing: of a client gets a certificate that the server believes',
      ),
      both(
        'Denied is not signed',
        'specified-certificates: a request that is denied gets no certificate, and one that is approved gets one',
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
        'specified-certificates: a client certificate of a node agent is approved once its user may have it, no other',
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
        `${access}: tokens stand for a user, and every known user is of one group`,
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
        'specified-accounts: %s has an account and the root CA',
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
        'specified-accounts: %s has an account and the root CA',
      ),
      differs(
        'tokenSecrets',
        'Every account gets a token Secret',
        'specified-accounts: a Secret that names an account is filled, and every account gets one where the dialect says so',
        'service-accounts: a token Secret goes with its account',
        'specified-accounts: a token Secret goes with its account, or at once where there is none, and no reference to it stays',
      ),
      differs('mountableSecrets', 'An account may limit its pods to its secrets'),
      both(
        'References go with the Secret',
        'service-accounts: an account forgets a token Secret that was deleted',
        'specified-accounts: a token Secret goes with its account, or at once where there is none, and no reference to it stays',
      ),
    ],
  },
  {
    title: 'Authentication',
    sentences: [
      both(
        'Client certificates: common name and organizations',
        'specified-identity: a client certificate of any CA in the file names the user and its groups',
      ),
      both(
        'Static tokens: four columns',
        'src/authn/tokens: has users, uids and groups',
        `${access}: tokens stand for a user, and every known user is of one group`,
      ),
      both(
        'An invalid token is 401; none is system:anonymous',
        'identity: that are wrong are refused everywhere; no token at all is system:anonymous',
        'specified-accounts: an unknown token is 401, what no role allows 403, and a role of a namespace counts there only',
        `${access}: callers without credentials are one user of one group, and no wildcard means them`,
      ),
      both(
        'Anonymous access is off under AlwaysAllow',
        'specified-identity: where everything is allowed callers are known, and any name of a proxy will do',
      ),
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
        'specified-identity: a token webhook with the version %s is asked in %s, and an answer in %s is none',
        'specified-identity: answers of a token webhook are kept for two minutes, or as long as the option says',
        'webhooks: says who a token belongs to, and is asked once',
        'src/authn/token-webhook: is believed for a while, by token and audiences',
      ),
      both(
        'Authenticating proxy: name, groups, extra; CA and names',
        'specified-identity: says which user a request is for, by the first header that has one',
        'specified-identity: is believed by its name and its CA only',
      ),
      differs(
        'impersonation',
        'Impersonation: a right for every part',
        `${access}: impersonation comes after authentication, and needs a right for every part`,
        'specified-identity: of a group, a uid or extra fields needs a user',
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
        'src/client/kubeconfig/kubeconfig: refuses %j %j',
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
      both(
        'Denied unless allowed: 403',
        'rbac: is told who may not do what, where',
        'specified-accounts: an unknown token is 401, what no role allows 403, and a role of a namespace counts there only',
      ),
      both(
        'Several modules, in order',
        'specified-identity: modules are asked in order, and the first that allows or denies decides',
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
      both(
        'Aggregated roles',
        'rbac: are there, aggregated, and follow new parts',
        'specified-accounts: admin, edit and view gather the rules of roles that are labelled for them',
      ),
      both('escalate and bind', 'src/authz/rbac/rbac: the rights to escalate and to bind make up for it'),
    ],
  },
];

/** Sections of the documents, and then their tables row by row. */
export const coreSections: readonly Section[] = [...objectSections, ...requestSections, ...versionSections];
export const accessSections: readonly Section[] = [...accessSentences, ...accessDetails];
