// Type of PodCertificateRequest: its fields, and what its rules need to know of it.

import type { ApiObject } from '../../../meta/object.ts';
import { bytes, dateTime, field, type Infer, int32, listOf, mapOf, string, struct } from '../../../schema/types.ts';
import { condition, objectMeta } from '../../meta/v1/types.ts';

const home = 'certificates/v1beta1';

const podCertificateRequestSpec = struct(
  home,
  'PodCertificateRequestSpec',
  'What certificate is asked for, and for which pod.',
  () => ({
    signerName: field(1, string, {
      always: true,
      required: true,
      about: 'Domain-style name of the signer that should issue the certificate.',
    }),
    podName: field(2, string, {
      always: true,
      required: true,
      about: 'Name of the pod that will use the certificate.',
    }),
    podUID: field(3, string, {
      goType: 'types.UID',
      always: true,
      required: true,
      about: 'UID of the pod that will use the certificate.',
    }),
    serviceAccountName: field(4, string, {
      always: true,
      required: true,
      about: 'Name of the service account the pod runs as.',
    }),
    serviceAccountUID: field(5, string, {
      goType: 'types.UID',
      always: true,
      required: true,
      about: 'UID of the service account the pod runs as.',
    }),
    nodeName: field(6, string, {
      goType: 'types.NodeName',
      always: true,
      required: true,
      about: 'Name of the node the pod was scheduled to.',
    }),
    nodeUID: field(7, string, {
      goType: 'types.UID',
      always: true,
      required: true,
      about: 'UID of the node the pod was scheduled to.',
    }),
    maxExpirationSeconds: field(8, int32, {
      pointer: true,
      default: 86400,
      about: 'Longest lifetime accepted, in seconds, 3600 to 7862400; default 86400.',
    }),
    pkixPublicKey: field(9, bytes, {
      always: true,
      about: 'Base64 of the DER public key to certify; older form, replaced by stubPKCS10Request.',
    }),
    proofOfPossession: field(10, bytes, {
      always: true,
      about: "Signature over the pod's UID proving ownership of the private key; replaced by stubPKCS10Request.",
    }),
    stubPKCS10Request: field(12, bytes, {
      always: true,
      required: true,
      about: 'Base64 of a DER PKCS#10 request that carries the public key and proves ownership of it.',
    }),
    unverifiedUserAnnotations: field(11, mapOf(string), {
      about: "Extra keys and values from the pod's author for the signer, which must not trust them blindly.",
    }),
  }),
);

const podCertificateRequestStatus = struct(
  home,
  'PodCertificateRequestStatus',
  "Result of a pod's certificate request.",
  () => ({
    conditions: field(1, listOf(condition), {
      listType: 'map',
      mapKeys: ['type'],
      patchStrategy: 'merge',
      patchMergeKey: 'type',
      about: 'Outcome, one of Issued, Denied or Failed, with a reason.',
    }),
    certificateChain: field(2, string, { about: 'Issued certificate and intermediates in PEM form, leaf first.' }),
    notBefore: field(4, dateTime, { pointer: true, about: "Start of the certificate's validity." }),
    beginRefreshAt: field(5, dateTime, {
      pointer: true,
      about: 'When the node agent should start asking for a new certificate.',
    }),
    notAfter: field(6, dateTime, { pointer: true, about: "End of the certificate's validity." }),
  }),
);

export const podCertificateRequestType = struct(
  home,
  'PodCertificateRequest',
  'Asks a signer for a certificate for a pod; normally created by the node agent.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, podCertificateRequestSpec, {
      always: true,
      required: true,
      about: 'The pod, key and signer concerned; immutable after creation.',
    }),
    status: field(3, podCertificateRequestStatus, {
      always: true,
      about: 'The issued certificate, or why there is none; set by the signer.',
    }),
  }),
);

export type PodCertificateRequest = ApiObject & Infer<typeof podCertificateRequestType>;
