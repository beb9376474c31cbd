// Type of CertificateSigningRequest: its fields, and what its rules need to know of it.

import type { ApiObject } from '../../../meta/object.ts';
import {
  bytes,
  dateTime,
  field,
  type Infer,
  int32,
  listOf,
  mapOf,
  string,
  struct,
  wrappedListOf,
} from '../../../schema/types.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { keyUsages } from './key-usages.ts';

const home = 'certificates/v1';

const certificateSigningRequestSpec = struct(
  home,
  'CertificateSigningRequestSpec',
  'What certificate is asked for, and by which user.',
  () => ({
    request: field(1, bytes, {
      always: true,
      required: true,
      about: 'Base64 of a PEM block "CERTIFICATE REQUEST" with the PKCS#10 request.',
    }),
    signerName: field(7, string, {
      always: true,
      required: true,
      about: 'Domain-style name of the signer, such as example.com/my-signer.',
    }),
    expirationSeconds: field(8, int32, {
      pointer: true,
      about: 'Wanted lifetime in seconds, at least 600; the signer may choose another.',
    }),
    usages: field(5, listOf(string), {
      goType: '[]KeyUsage',
      enum: keyUsages,
      listType: 'atomic',
      about: 'Key usages wanted, such as "digital signature" and "client auth".',
    }),
    username: field(2, string, { about: 'Name of the requesting user, filled in by the server.' }),
    uid: field(3, string, { about: 'UID of the requesting user, filled in by the server.' }),
    groups: field(4, listOf(string), {
      listType: 'atomic',
      about: 'Groups of the requesting user, filled in by the server.',
    }),
    extra: field(6, mapOf(wrappedListOf(string)), {
      goType: 'map[string]ExtraValue',
      about: 'Extra information about the requesting user, filled in by the server.',
    }),
  }),
);

const certificateSigningRequestCondition = struct(
  home,
  'CertificateSigningRequestCondition',
  'One decision or observation about a signing request.',
  () => ({
    type: field(1, string, {
      goType: 'RequestConditionType',
      always: true,
      required: true,
      about: 'Approved, Denied or Failed; a request cannot be both approved and denied.',
    }),
    status: field(6, string, {
      goType: 'v1.ConditionStatus',
      always: true,
      required: true,
      about: 'True, False or Unknown; Approved, Denied and Failed can only be True.',
    }),
    reason: field(2, string, { about: 'Short CamelCase word telling why status last changed.' }),
    message: field(3, string, { about: 'Readable details about the last change.' }),
    lastUpdateTime: field(4, dateTime, { always: true, about: 'When this entry was last written.' }),
    lastTransitionTime: field(5, dateTime, {
      always: true,
      about: 'When status last changed from one value to another.',
    }),
  }),
);

const certificateSigningRequestStatus = struct(
  home,
  'CertificateSigningRequestStatus',
  'Decision and result for a signing request.',
  () => ({
    conditions: field(1, listOf(certificateSigningRequestCondition), {
      listType: 'map',
      mapKeys: ['type'],
      about: 'Decisions made so far, such as Approved or Denied.',
    }),
    certificate: field(2, bytes, {
      about: 'Base64 of the issued PEM certificate chain, leaf first; set by the signer.',
    }),
  }),
);

export const certificateSigningRequestType = struct(
  home,
  'CertificateSigningRequest',
  'Asks a signer for an X.509 certificate, subject to approval.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, certificateSigningRequestSpec, {
      always: true,
      required: true,
      about: 'The request and the signer it is meant for; immutable after creation.',
    }),
    status: field(3, certificateSigningRequestStatus, {
      always: true,
      about: 'Approval decision and issued certificate.',
    }),
  }),
);

export type CertificateSigningRequest = ApiObject & Infer<typeof certificateSigningRequestType>;
