// Types of projected volume: SecretVolumeSource, KeyToPath, DownwardAPIVolumeSource and others.

import { bool, field, int32, int64, listOf, mapOf, string, struct, within } from '../../../../schema/types.ts';
import { labelSelector } from '../../../meta/v1/label-selector.ts';
import { objectFieldSelector, resourceFieldSelector } from '../pod/environment.ts';
import { localObjectReferenceFields } from '../references.ts';

const home = 'core/v1';

export const keyToPath = struct(home, 'KeyToPath', 'Maps one key to a file in the volume.', () => ({
  key: field(1, string, { always: true, required: true, about: 'Key of the ConfigMap or Secret to show.' }),
  path: field(2, string, {
    always: true,
    required: true,
    about: 'Relative path of the file in the volume; must not contain "..".',
  }),
  mode: field(3, int32, {
    pointer: true,
    about: 'Permission bits of this file, 0 to 0777; the volume default if left out.',
  }),
}));

export const secretVolumeSource = struct(home, 'SecretVolumeSource', 'Shows the keys of a Secret as files.', () => ({
  secretName: field(1, string, { about: 'Name of a Secret in the namespace of the pod.' }),
  items: field(2, listOf(keyToPath), {
    listType: 'atomic',
    about: 'Keys to show and their paths; all keys, named as they are, if left out.',
  }),
  defaultMode: field(3, int32, {
    pointer: true,
    about: 'Permission bits of the files, such as 0400 in YAML; 0644 by default.',
  }),
  optional: field(4, bool, { pointer: true, about: 'If true, a missing Secret or key is no error.' }),
}));

export const downwardAPIVolumeFile = struct(
  home,
  'DownwardAPIVolumeFile',
  'One file that shows a pod field or container resource.',
  () => ({
    path: field(1, string, {
      always: true,
      required: true,
      about: 'Relative path of the file in the volume; must not contain "..".',
    }),
    fieldRef: field(2, objectFieldSelector, {
      pointer: true,
      about: 'Pod field to show: name, namespace, uid, labels or annotations.',
    }),
    resourceFieldRef: field(3, resourceFieldSelector, {
      pointer: true,
      about: 'Container request or limit to show, such as limits.cpu.',
    }),
    mode: field(4, int32, {
      pointer: true,
      about: 'Permission bits of this file, 0 to 0777; the volume default if left out.',
    }),
  }),
);

export const downwardAPIVolumeSource = struct(
  home,
  'DownwardAPIVolumeSource',
  'Shows fields of the pod as files.',
  () => ({
    items: field(1, listOf(downwardAPIVolumeFile), {
      listType: 'atomic',
      about: 'The files to create and the field each one shows.',
    }),
    defaultMode: field(2, int32, { pointer: true, about: 'Permission bits of the files; 0644 by default.' }),
  }),
);

export const configMapVolumeSource = struct(
  home,
  'ConfigMapVolumeSource',
  'Shows the keys of a ConfigMap as files.',
  () => ({
    ...within(1, 'LocalObjectReference', localObjectReferenceFields),
    items: field(2, listOf(keyToPath), {
      listType: 'atomic',
      about: 'Keys to show and their paths; all keys, named as they are, if left out.',
    }),
    defaultMode: field(3, int32, {
      pointer: true,
      about: 'Permission bits of the files, such as 0400 in YAML; 0644 by default.',
    }),
    optional: field(4, bool, { pointer: true, about: 'If true, a missing ConfigMap or key is no error.' }),
  }),
);

const secretProjection = struct(home, 'SecretProjection', 'Shows keys of a Secret in a projected volume.', () => ({
  ...within(1, 'LocalObjectReference', localObjectReferenceFields),
  items: field(2, listOf(keyToPath), {
    listType: 'atomic',
    about: 'Keys to show and their paths; all keys if left out.',
  }),
  optional: field(4, bool, { pointer: true, about: 'If true, a missing Secret or key is no error.' }),
}));

const downwardAPIProjection = struct(
  home,
  'DownwardAPIProjection',
  'Shows pod fields as files in a projected volume.',
  () => ({
    items: field(1, listOf(downwardAPIVolumeFile), {
      listType: 'atomic',
      about: 'The files to create and the field each one shows.',
    }),
  }),
);

const configMapProjection = struct(
  home,
  'ConfigMapProjection',
  'Shows keys of a ConfigMap in a projected volume.',
  () => ({
    ...within(1, 'LocalObjectReference', localObjectReferenceFields),
    items: field(2, listOf(keyToPath), {
      listType: 'atomic',
      about: 'Keys to show and their paths; all keys if left out.',
    }),
    optional: field(4, bool, { pointer: true, about: 'If true, a missing ConfigMap or key is no error.' }),
  }),
);

const serviceAccountTokenProjection = struct(
  home,
  'ServiceAccountTokenProjection',
  'Puts a service account token into a projected volume.',
  () => ({
    audience: field(1, string, { about: 'Recipient the token is meant for; the API server itself by default.' }),
    expirationSeconds: field(2, int64, {
      pointer: true,
      about: 'Requested lifetime in seconds, at least 600; 3600 by default, renewed before it ends.',
    }),
    path: field(3, string, { always: true, required: true, about: 'Relative path of the token file in the volume.' }),
  }),
);

const clusterTrustBundleProjection = struct(
  home,
  'ClusterTrustBundleProjection',
  'Puts CA certificates into a projected volume; pick them by name or by signer.',
  () => ({
    name: field(1, string, {
      pointer: true,
      about: 'Name of one ClusterTrustBundle; exclusive with signerName and labelSelector.',
    }),
    signerName: field(2, string, { pointer: true, about: 'Takes all bundles of this signer; exclusive with name.' }),
    labelSelector: field(3, labelSelector, {
      pointer: true,
      about: 'Narrows the bundles of signerName by label; unset matches none, empty matches all.',
    }),
    optional: field(5, bool, { pointer: true, about: 'If true, the pod starts even when no bundle is found.' }),
    path: field(4, string, { always: true, required: true, about: 'Relative path of the PEM file to write.' }),
  }),
);

const podCertificateProjection = struct(
  home,
  'PodCertificateProjection',
  'Puts an automatically issued key and certificate into a projected volume.',
  () => ({
    signerName: field(1, string, { required: true, about: 'Signer that the certificate is requested from.' }),
    keyType: field(2, string, {
      required: true,
      about: 'Kind of key to make: RSA3072, RSA4096, ECDSAP256, ECDSAP384, ECDSAP521 or ED25519.',
    }),
    maxExpirationSeconds: field(3, int32, {
      pointer: true,
      about: 'Longest accepted certificate lifetime in seconds, at least 3600; 86400 by default.',
    }),
    credentialBundlePath: field(4, string, {
      about: 'File that gets the key followed by the certificate chain, in PEM; the usual choice.',
    }),
    keyPath: field(5, string, { about: 'File that gets only the private key, in PEM.' }),
    certificateChainPath: field(6, string, { about: 'File that gets only the certificate chain, in PEM.' }),
    userAnnotations: field(7, mapOf(string), { about: 'Extra key and value pairs passed on to the signer.' }),
  }),
);

export const volumeProjection = struct(
  home,
  'VolumeProjection',
  'One source of a projected volume; set exactly one.',
  () => ({
    secret: field(1, secretProjection, { pointer: true, about: 'Keys of a Secret to show as files.' }),
    downwardAPI: field(2, downwardAPIProjection, { pointer: true, about: 'Pod fields to show as files.' }),
    configMap: field(3, configMapProjection, { pointer: true, about: 'Keys of a ConfigMap to show as files.' }),
    serviceAccountToken: field(4, serviceAccountTokenProjection, {
      pointer: true,
      about: "A token of the pod's service account, renewed automatically.",
    }),
    clusterTrustBundle: field(5, clusterTrustBundleProjection, {
      pointer: true,
      off: true,
      about: 'CA certificates from ClusterTrustBundle objects, kept up to date.',
    }),
    podCertificate: field(6, podCertificateProjection, {
      pointer: true,
      off: true,
      about: 'A private key and certificate issued for the pod, renewed automatically.',
    }),
  }),
);

export const projectedVolumeSource = struct(
  home,
  'ProjectedVolumeSource',
  'Combines several sources in one directory.',
  () => ({
    sources: field(1, listOf(volumeProjection), {
      always: true,
      listType: 'atomic',
      about: 'Sources to combine; each entry sets exactly one kind.',
    }),
    defaultMode: field(2, int32, {
      pointer: true,
      about: 'Permission bits of the files, unless a source sets its own; 0644 by default.',
    }),
  }),
);
