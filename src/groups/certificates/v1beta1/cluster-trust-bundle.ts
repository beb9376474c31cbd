// ClusterTrustBundle: a cluster-wide set of trusted root certificates that pods can mount.

import { type PemBlock, pemBlocks } from '../../../codec/pem.ts';
import { invalidValue, tooLong } from '../../../meta/field-errors.ts';
import { checkPathSegment, checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { field, type Infer, string, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { textColumn } from '../../columns.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { checked, immutable, type ValidationErrors } from '../../rules.ts';
import { validateSignerName } from '../v1/signer-name.ts';
import { readCertificate } from '../v1/signing-request-rules.ts';

const home = 'certificates/v1beta1';

const clusterTrustBundleSpec = struct(home, 'ClusterTrustBundleSpec', 'Content of a trust bundle.', () => ({
  signerName: field(1, string, {
    about: 'Signer whose roots these are; the object\'s name must then start with it, ":" for "/". Immutable.',
  }),
  trustBundle: field(2, string, {
    always: true,
    required: true,
    about: 'One or more different root certificates in PEM form; their order has no meaning.',
  }),
}));

const clusterTrustBundleType = struct(
  home,
  'ClusterTrustBundle',
  'A cluster-wide set of trusted root certificates that pods can mount.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, clusterTrustBundleSpec, {
      always: true,
      required: true,
      about: 'The signer concerned and the certificates.',
    }),
  }),
);

type ClusterTrustBundle = ApiObject & Infer<typeof clusterTrustBundleType>;

const specOf = (object: ClusterTrustBundle) => object.spec ?? {};
const maxBundleBytes = 1024 * 1024;

function validate(object: ClusterTrustBundle): ValidationErrors {
  const { signerName = '', trustBundle = '' } = specOf(object);
  return [
    ...checked('metadata.name', object.metadata.name ?? '', (name) => nameProblems(name, signerName)),
    ...(signerName === '' ? [] : validateSignerName(signerName, 'spec.signerName')),
    ...validateRoots(trustBundle, 'spec.trustBundle'),
  ];
}

function validateUpdate(next: ClusterTrustBundle, old: ClusterTrustBundle): ValidationErrors {
  return immutable('spec.signerName', specOf(next).signerName ?? '', specOf(old).signerName ?? '');
}

/** Bundles of a signer are named after it: `example.com:signer:name`. */
function nameProblems(name: string, signerName: string): readonly string[] {
  if (signerName === '') {
    if (name.includes(':')) return ['ClusterTrustBundle without signer name must not have ":" in its name'];
    return checkSubdomain(name);
  }
  const prefix = `${signerName.replaceAll('/', ':')}:`;
  if (name.startsWith(prefix)) return checkSubdomain(name.slice(prefix.length));
  return [`ClusterTrustBundle for signerName ${signerName} must be named with prefix ${prefix}`];
}

function validateRoots(pem: string, at: string): ValidationErrors {
  if (Buffer.byteLength(pem) > maxBundleBytes) return [tooLong(at, maxBundleBytes)];
  const blocks = pemBlocks(pem);
  const wrong = blocks.flatMap((block, index) => rootProblem(block, index) ?? []);
  const refuse = (detail: string) => invalidValue(at, '<value omitted>', detail);
  if (wrong.length > 0) return wrong.map(refuse);
  if (blocks.length === 0) return [refuse('at least one trust anchor must be provided')];
  return repeated(blocks).map((places) => refuse(`duplicate trust anchor (indices [${places.join(' ')}])`));
}

function rootProblem({ type, hasHeaders, bytes }: PemBlock, index: number): string | undefined {
  if (type !== 'CERTIFICATE') return `entry ${index} has bad block type: ${type}`;
  if (hasHeaders) return `entry ${index} has PEM block headers`;
  const certificate = readCertificate(bytes);
  if (certificate === undefined) return `entry ${index} does not parse as X.509`;
  return certificate.ca ? undefined : `entry ${index} does not have the CA bit set`;
}

/** Places of each certificate that is there more than once. */
function repeated(blocks: readonly PemBlock[]): readonly (readonly number[])[] {
  const places = new Map<string, number[]>();
  for (const [index, { bytes }] of blocks.entries()) {
    const key = bytes.toString('base64');
    places.set(key, [...(places.get(key) ?? []), index]);
  }
  return [...places.values()].filter((found) => found.length > 1);
}

export const clusterTrustBundle = defineKind(clusterTrustBundleType, {
  kind: 'ClusterTrustBundle',
  plural: 'clustertrustbundles',
  featureGate: 'ClusterTrustBundle',
  namespaced: false,
  verbs: allVerbs,
  deprecated: { since: 37, removed: 40 },
  // which names are right depends on the signer: see the rules
  checkName: checkPathSegment,
  quirks: { conditionalUpdateOnly: true },
  selectableFields: { 'spec.signerName': (object) => specOf(object).signerName ?? '' },
  columns: [
    nameColumn,
    textColumn('SignerName', 'Who signs with these roots.', (o) => specOf(o).signerName || '<none>'),
  ],
  strategy: { updateChecks: { newFirst: true }, validate, validateUpdate },
});
