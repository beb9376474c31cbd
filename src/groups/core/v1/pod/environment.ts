// Types of environment: ObjectFieldSelector, ResourceFieldSelector, EnvFromSource and others.

import { bool, field, quantity, string, struct, within } from '../../../../schema/types.ts';
import { localObjectReferenceFields } from '../references.ts';

const home = 'core/v1';

export const objectFieldSelector = struct(
  home,
  'ObjectFieldSelector',
  'Points at one field of the pod itself.',
  () => ({
    apiVersion: field(1, string, { about: 'API version the field path is written for; v1 by default.' }),
    fieldPath: field(2, string, {
      always: true,
      required: true,
      about: "Path of the field, such as metadata.labels['app'] or status.hostIP.",
    }),
  }),
  { mapType: 'atomic' },
);

export const resourceFieldSelector = struct(
  home,
  'ResourceFieldSelector',
  'Points at a resource request or limit of a container.',
  () => ({
    containerName: field(1, string, {
      about: 'Container to look at; required in volumes, optional in environment variables.',
    }),
    resource: field(2, string, {
      always: true,
      required: true,
      about: 'Which value to take, such as limits.cpu or requests.memory.',
    }),
    divisor: field(3, quantity, {
      always: true,
      about: 'Unit in which the value is output, such as 1m or 1Mi; 1 by default.',
    }),
  }),
  { mapType: 'atomic' },
);

const configMapEnvSource = struct(
  home,
  'ConfigMapEnvSource',
  'A ConfigMap whose entries all become environment variables.',
  () => ({
    ...within(1, 'LocalObjectReference', localObjectReferenceFields),
    optional: field(2, bool, {
      pointer: true,
      about: 'If true, the container starts even when the ConfigMap is missing.',
    }),
  }),
);

const secretEnvSource = struct(
  home,
  'SecretEnvSource',
  'A Secret whose entries all become environment variables.',
  () => ({
    ...within(1, 'LocalObjectReference', localObjectReferenceFields),
    optional: field(2, bool, {
      pointer: true,
      about: 'If true, the container starts even when the Secret is missing.',
    }),
  }),
);

export const envFromSource = struct(
  home,
  'EnvFromSource',
  'A ConfigMap or Secret from which a whole set of environment variables is taken.',
  () => ({
    prefix: field(1, string, { about: 'Text put in front of every key to form the variable name.' }),
    configMapRef: field(2, configMapEnvSource, { pointer: true, about: 'ConfigMap whose keys become variables.' }),
    secretRef: field(3, secretEnvSource, { pointer: true, about: 'Secret whose keys become environment variables.' }),
  }),
);

const configMapKeySelector = struct(
  home,
  'ConfigMapKeySelector',
  'Picks one key of a ConfigMap.',
  () => ({
    ...within(1, 'LocalObjectReference', localObjectReferenceFields),
    key: field(2, string, { always: true, required: true, about: 'Key of the ConfigMap to read.' }),
    optional: field(3, bool, { pointer: true, about: 'If true, a missing ConfigMap or key is no error.' }),
  }),
  { mapType: 'atomic' },
);

const secretKeySelector = struct(
  home,
  'SecretKeySelector',
  'Picks one key of a Secret.',
  () => ({
    ...within(1, 'LocalObjectReference', localObjectReferenceFields),
    key: field(2, string, { always: true, required: true, about: 'Key of the Secret to read.' }),
    optional: field(3, bool, { pointer: true, about: 'If true, a missing Secret or key is no error.' }),
  }),
  { mapType: 'atomic' },
);

const fileKeySelector = struct(
  home,
  'FileKeySelector',
  'Picks one variable from an env file that lies in a volume.',
  () => ({
    volumeName: field(1, string, {
      always: true,
      required: true,
      about: 'Name of the pod volume that contains the env file.',
    }),
    path: field(2, string, {
      always: true,
      required: true,
      about: 'Path of the env file relative to the volume root; must not contain "..".',
    }),
    key: field(3, string, { always: true, required: true, about: 'Variable name to look up in the env file.' }),
    optional: field(4, bool, {
      pointer: true,
      default: false,
      about: 'If true, a missing file or key is no error and the variable stays unset; false by default.',
    }),
  }),
  { mapType: 'atomic' },
);

export const envVarSource = struct(
  home,
  'EnvVarSource',
  'Where the value of an environment variable comes from; set exactly one.',
  () => ({
    fieldRef: field(1, objectFieldSelector, {
      pointer: true,
      about: 'A field of the pod, such as metadata.name, status.podIP or spec.nodeName.',
    }),
    resourceFieldRef: field(2, resourceFieldSelector, {
      pointer: true,
      about: 'A resource request or limit of a container, such as limits.memory.',
    }),
    configMapKeyRef: field(3, configMapKeySelector, {
      pointer: true,
      about: 'One key of a ConfigMap in the namespace of the pod.',
    }),
    secretKeyRef: field(4, secretKeySelector, {
      pointer: true,
      about: 'One key of a Secret in the namespace of the pod.',
    }),
    fileKeyRef: field(5, fileKeySelector, {
      pointer: true,
      gate: 'EnvFiles',
      about: 'One key of an env file stored in an emptyDir volume of the pod.',
    }),
  }),
);

export const envVar = struct(home, 'EnvVar', 'One environment variable of a container.', () => ({
  name: field(1, string, {
    always: true,
    required: true,
    about: 'Name of the variable; any printable ASCII characters other than "=".',
  }),
  value: field(2, string, {
    about: 'Literal value, with $(VAR) references to earlier variables expanded; empty by default.',
  }),
  valueFrom: field(3, envVarSource, {
    pointer: true,
    about: 'Takes the value from elsewhere; cannot be combined with a non-empty value.',
  }),
}));
