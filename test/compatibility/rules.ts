// What the page on compatibility says of each rule in which the dialects differ, by area. The type holds that none is left out.

import type { DialectRules } from '../../src/meta/dialect.ts';

interface RuleRow {
  /** The field, parameter or path that it is about. */
  readonly where: string;
  readonly kubernetes: string;
  readonly cluster: string;
  /** A test that shows both. */
  readonly test: readonly [file: string, title: string];
}

const both = (title: string): RuleRow['test'] => ['test/integration/both-dialects.test.ts', title];

export const areas: readonly (readonly [area: string, rules: readonly (keyof DialectRules)[]])[] = [
  [
    'Reading, listing and watching',
    [
      'limitAtAnyVersion',
      'invalidListOptions',
      'invalidResourceVersion',
      'expiredWatch',
      'stateEnd',
      'bookmarkObject',
      'barePretty',
      'emptyMetadataList',
    ],
  ],
  ['Tables and health', ['defaultTableColumn', 'healthSummary', 'singleHealthCheck']],
  ['Writing', ['emptyDryRun', 'strictPatch', 'incompleteObject', 'deletionTimestamp']],
  ['Server-side apply', ['applyValidation', 'managedFieldsReset']],
  ['Versions of kinds', ['betaVersions', 'betaGates', 'removedVersions', 'endpointHost', 'endpointTopology']],
  ['Identity', ['tokenSecrets', 'podTokens', 'bootstrapSignatureKey', 'reviewFlags', 'impersonation']],
  [
    'Admission',
    [
      ...(['severalDefaultClasses', 'defaultCpuRequest', 'givenOverhead', 'mountableSecrets'] as const),
      ...([
        'conflictingTolerations',
        'disallowedTolerations',
        'ownNodeDeletion',
        'agentLabels',
        'imageReviewGroup',
      ] as const),
    ],
  ],
  ['Certificates', ['unsignableRequest', 'agentEncipherment', 'unissuedRequestHours']],
];

export const rules: Readonly<Record<keyof DialectRules, RuleRow>> = {
  limitAtAnyVersion: {
    where: '`limit` with `resourceVersion=0`',
    kubernetes: 'the whole list',
    cluster: 'a page, with `continue`',
    test: ['test/integration/embedding.test.ts', '%s: limit at any version gives %i items'],
  },
  invalidListOptions: {
    where: '`resourceVersionMatch`, `sendInitialEvents`',
    kubernetes: 'a wrong combination is 422',
    cluster: '400',
    test: both('?%s is %i, or 400'),
  },
  invalidResourceVersion: {
    where: '`resourceVersion=abc`, get and watch',
    kubernetes: '500 without reason',
    cluster: '400',
    test: both('a get at a version that is none is 500, or 400'),
  },
  expiredWatch: {
    where: 'Watch whose history is gone',
    kubernetes: '200 with an ERROR event of code 410',
    cluster: 'status 410',
    test: both('history that is gone is an event, or the status of the answer'),
  },
  stateEnd: {
    where: '`allowWatchBookmarks=true`',
    kubernetes: 'a BOOKMARK marks the end of the state',
    cluster: 'only with `sendInitialEvents=true`',
    test: both('a bookmark carries only a version, unless initial events were asked for'),
  },
  bookmarkObject: {
    where: 'Object of a BOOKMARK',
    kubernetes: 'one of the kind in which nothing is set, such as `"spec":{"containers":null}`',
    cluster: 'a version only',
    test: both('a bookmark is an object in which nothing is set, or a version only'),
  },
  barePretty: {
    where: '`?pretty` without a value',
    kubernetes: 'left to the user agent',
    cluster: 'yes',
    test: both('pretty without a value says nothing, or yes'),
  },
  emptyMetadataList: {
    where: '`items` of a PartialObjectMetadataList without any',
    kubernetes: '`null`',
    cluster: '`[]`',
    test: both('a list of metadata without items has null for them, or an empty list'),
  },
  defaultTableColumn: {
    where: 'Tables of kinds without columns',
    kubernetes: '`Name`, `Age`',
    cluster: '`Name`, `Created At`',
    test: ['src/codec/render.test.ts', 'in the %s dialect has a name and when it was made'],
  },
  healthSummary: {
    where: 'Last line of `/livez?verbose`',
    kubernetes: '`livez check passed`',
    cluster: '`healthz check passed`',
    test: ['test/integration/discovery.test.ts', 'the cluster dialect keeps the old last line'],
  },
  singleHealthCheck: {
    where: '`/livez/ping?verbose`',
    kubernetes: '`ok`',
    cluster: 'the line of the check and the summary',
    test: both('a single health check is told plainly, or as the specification lists checks'),
  },
  emptyDryRun: {
    where: '`dryRun=`',
    kubernetes: '422',
    cluster: 'a normal request',
    test: ['test/integration/embedding.test.ts', '%s: empty dryRun %i, invalid list options %i, strict patch %i'],
  },
  strictPatch: {
    where: 'Patch with `fieldValidation=Strict`',
    kubernetes: 'unknown fields are 422 at `patch`',
    cluster: '400, as for other writes',
    test: ['test/integration/embedding.test.ts', '%s: empty dryRun %i, invalid list options %i, strict patch %i'],
  },
  incompleteObject: {
    where: 'Required field missing, or invalid next to unknown fields',
    kubernetes: '422; a few may be missing',
    cluster: '400, also with `Ignore`',
    test: both('lacks a required field: 422, or 400'),
  },
  deletionTimestamp: {
    where: '`metadata.deletionTimestamp` of pods',
    kubernetes: 'the end of the grace period',
    cluster: 'the time of the first delete',
    test: both('deletionTimestamp is the end of the grace period, or the time of the first delete'),
  },
  applyValidation: {
    where: 'Apply: unknown fields, wrong types',
    kubernetes: '500 without reason',
    cluster: 'by `fieldValidation`; wrong types 400',
    test: both('unknown fields are an error of the server, or ignored, told and refused by level'),
  },
  managedFieldsReset: {
    where: '`metadata.managedFields`: `[]`, `[{}]`',
    kubernetes: 'both reset; no write counts until an apply',
    cluster: 'only `[{}]`; all writes are recorded',
    test: both('writes after a reset of managedFields are recorded with the next apply, or from the first'),
  },
  betaVersions: {
    where: 'Group-versions such as `v1beta1`',
    kubernetes: 'off until `--runtime-config` turns them on',
    cluster: 'on, unless they are removed',
    test: both('beta versions are served when they are turned on, or unless they are turned off'),
  },
  betaGates: {
    where: 'Feature gates of beta level',
    kubernetes: 'as in 1.36.4, some off',
    cluster: 'on',
    test: both('gates of beta level are as released, or on'),
  },
  removedVersions: {
    where: 'Warnings about removed versions',
    kubernetes: 'advise what Kubernetes advised',
    cluster: "as the specification's table",
    test: both('warnings about %s v1beta1 advise what was served, or what the table lists'),
  },
  endpointHost: {
    where: '`topology` of endpoints, discovery v1beta1',
    kubernetes: 'a host stays in `deprecatedTopology`',
    cluster: 'a host becomes `nodeName`',
    test: both('the topology of endpoints loses nothing, in the domain of the dialect'),
  },
  endpointTopology: {
    where: '`deprecatedTopology`, changed endpoints',
    kubernetes: 'dropped',
    cluster: 'stays as it is stored',
    test: both('a PUT of discovery v1 drops the topology of endpoints, or leaves it as it is'),
  },
  tokenSecrets: {
    where: 'Secrets of service accounts',
    kubernetes: 'where a client creates one',
    cluster: 'one for every account',
    test: [
      'src/server/controllers.test.ts',
      'are made for every account where the dialect says so, and made again when deleted',
    ],
  },
  podTokens: {
    where: 'Tokens bound to pods, 3607 seconds',
    kubernetes: 'valid for a year',
    cluster: 'valid for their hour',
    test: both('their tokens are valid for a year, or for the hour that they are made for'),
  },
  bootstrapSignatureKey: {
    where: '`jws-kubeconfig-…` of `cluster-info`',
    kubernetes: 'signed with the secret of a token',
    cluster: 'signed with the whole token',
    test: ['test/integration/bootstrap-tokens.test.ts', 'in the %s dialect, a client can check where the server is'],
  },
  reviewFlags: {
    where: '`status.authenticated`, `status.denied`',
    kubernetes: 'left out where false',
    cluster: 'always there',
    test: both('reviews leave out what is not so, or say false'),
  },
  impersonation: {
    where: '`Impersonate-User` and the like',
    kubernetes: 'also by `impersonate:…`, `impersonate-on:…`',
    cluster: 'by the right `impersonate` only',
    test: ['test/integration/constrained-impersonation.test.ts', 'the specification knows no other right'],
  },
  severalDefaultClasses: {
    where: 'Two default IngressClasses or StorageClasses',
    kubernetes: 'the newest counts',
    cluster: 'no ingress, or claim, is created',
    test: [
      'src/admission/plugins/classes.test.ts',
      'that are two refuse all ingresses in the cluster dialect, and none elsewhere',
    ],
  },
  defaultCpuRequest: {
    where: '`resources.requests.cpu`, namespace `default`',
    kubernetes: 'as given',
    cluster: '`100m` where none is given',
    test: [
      'src/admission/plugins/limit-ranger/limit-ranger.test.ts',
      'where there are no limits depend on the dialect (%#)',
    ],
  },
  givenOverhead: {
    where: '`spec.overhead` of new pods',
    kubernetes: 'must be that of the RuntimeClass',
    cluster: 'refused',
    test: ['src/admission/plugins/classes.test.ts', 'may not say what they cost in the cluster dialect'],
  },
  mountableSecrets: {
    where: 'Annotation `enforce-mountable-secrets`',
    kubernetes: 'passes projected volumes',
    cluster: 'limits projected volumes too',
    test: [
      'src/admission/plugins/service-account/service-account.test.ts',
      'secrets in projected volumes are limited in the dialect of the specification',
    ],
  },
  conflictingTolerations: {
    where: 'PodTolerationRestriction',
    kubernetes: 'pod and namespace are merged',
    cluster: 'a contradicting pod is refused',
    test: both('conflicting tolerations are merged, or refused; what the server adds itself is no conflict'),
  },
  disallowedTolerations: {
    where: 'PodTolerationRestriction, a toleration outside the whitelist',
    kubernetes: '500 without reason',
    cluster: '403',
    test: both('a toleration outside the whitelist is a bare error, or 403'),
  },
  ownNodeDeletion: {
    where: 'NodeRestriction',
    kubernetes: 'a node may delete its own Node',
    cluster: 'no node deletes a Node',
    test: [
      'src/admission/plugins/node-restriction/node-restriction.test.ts',
      'may delete themselves, but not in the dialect of the specification',
    ],
  },
  imageReviewGroup: {
    where: 'ImagePolicyWebhook',
    kubernetes: 'needs no switch',
    cluster: 'needs `--runtime-config=imagepolicy.…`',
    test: ['test/integration/image-policy.test.ts', 'the cluster dialect wants the group of reviews turned on'],
  },
  unsignableRequest: {
    where: 'CSR that its signer cannot sign',
    kubernetes: 'gets the condition `Failed`',
    cluster: 'is logged only',
    test: [
      'test/integration/certificate-signing.test.ts',
      'is only logged in the cluster dialect, where key encipherment is required',
    ],
  },
  agentLabels: {
    where: 'NodeRestriction: labels `instance-type`, `beta.…/hostname`',
    kubernetes: 'are not for a node agent to set',
    cluster: 'may be set: four labels, bare and as beta',
    test: ['test/integration/specified-admission.test.ts', 'sets the label %s: %i'],
  },
  agentEncipherment: {
    where: 'CSR of node agents: `key encipherment`',
    kubernetes: 'may be left out',
    cluster: 'is required',
    test: [
      'test/integration/certificate-signing.test.ts',
      'is only logged in the cluster dialect, where key encipherment is required',
    ],
  },
  unissuedRequestHours: {
    where: 'Approved CSR without a certificate',
    kubernetes: 'deleted after 24 hours',
    cluster: 'deleted after one hour',
    test: [
      'src/controllers/certificates/cleaner.test.ts',
      'an hour after it was approved in the cluster dialect, issued or not',
    ],
  },
};
