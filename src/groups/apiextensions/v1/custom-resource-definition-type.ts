// Type of CustomResourceDefinition: its fields, and what its rules need to know of it.

import type { ApiObject } from '../../../meta/object.ts';
import { bool, field, type Infer, int32, int64, listOf, string, struct } from '../../../schema/types.ts';
import { webhookClientConfig as admissionClientConfig } from '../../admissionregistration/v1/webhook-client.ts';
import { observationFields, transitionFields } from '../../condition-fields.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { rehome } from '../../same-shape.ts';
import { jsonSchemaProps } from './json-schema-props.ts';

const home = 'apiextensions/v1';

/** Far more than any definition needs: each is served by itself, and rules compare them with each other. */
const mostVersions = 1000;

export const customResourceDefinitionNames = struct(
  home,
  'CustomResourceDefinitionNames',
  'Names under which a custom resource is known.',
  () => ({
    plural: field(1, string, {
      always: true,
      required: true,
      about: 'Lowercase plural used in URLs, such as "crontabs".',
    }),
    singular: field(2, string, { about: 'Lowercase singular; default is kind in lowercase.' }),
    shortNames: field(3, listOf(string), {
      listType: 'atomic',
      about: 'Lowercase abbreviations for command-line clients, such as "ct".',
    }),
    kind: field(4, string, { always: true, required: true, about: 'CamelCase singular kind, such as "CronTab".' }),
    listKind: field(5, string, { about: 'Kind of the list form; default is kind followed by List.' }),
    categories: field(6, listOf(string), {
      listType: 'atomic',
      about: 'Groups such as "all" in which command-line clients show this resource.',
    }),
  }),
);

export const customResourceValidation = struct(
  home,
  'CustomResourceValidation',
  'Holds the schema of a custom resource version.',
  () => ({
    openAPIV3Schema: field(1, jsonSchemaProps, {
      pointer: true,
      about: 'Structural OpenAPI v3 schema that objects are validated against.',
    }),
  }),
);

const customResourceSubresourceStatus = struct(
  home,
  'CustomResourceSubresourceStatus',
  'Turns on the status subresource; it has no fields, so write {}.',
  {},
);

export const customResourceSubresourceScale = struct(
  home,
  'CustomResourceSubresourceScale',
  'Where the scale subresource finds its values in the custom resource.',
  () => ({
    specReplicasPath: field(1, string, {
      always: true,
      required: true,
      about: 'Path of the wanted replica count, under .spec, such as ".spec.replicas".',
    }),
    statusReplicasPath: field(2, string, {
      always: true,
      required: true,
      about: 'Path of the observed replica count, under .status, such as ".status.replicas".',
    }),
    labelSelectorPath: field(3, string, {
      pointer: true,
      about: 'Path of the selector string, under .status or .spec; needed for horizontal autoscaling.',
    }),
  }),
);

export const customResourceSubresources = struct(
  home,
  'CustomResourceSubresources',
  'Subresources of a custom resource version.',
  () => ({
    status: field(1, customResourceSubresourceStatus, {
      pointer: true,
      about: 'Write {} to make status separately writable at the /status endpoint.',
    }),
    scale: field(2, customResourceSubresourceScale, {
      pointer: true,
      about: 'Offers a /scale endpoint that uses the given paths.',
    }),
  }),
);

export const customResourceColumnDefinition = struct(
  home,
  'CustomResourceColumnDefinition',
  'One extra column in tables.',
  () => ({
    name: field(1, string, { always: true, required: true, about: 'Heading shown above the column.' }),
    type: field(2, string, {
      always: true,
      required: true,
      about: 'Data type shown: integer, number, string, boolean or date.',
    }),
    format: field(3, string, { about: 'Optional refinement of type, such as int32, double, byte or date-time.' }),
    description: field(4, string, { about: 'Readable explanation of the column.' }),
    priority: field(5, int32, { about: '0 shows the column always; larger numbers only in wide output.' }),
    jsonPath: field(6, string, {
      always: true,
      required: true,
      about: 'Path to the value inside each object, such as ".spec.replicas".',
    }),
  }),
);

export const selectableField = struct(
  home,
  'SelectableField',
  'A field of a custom resource that may be used in field selectors.',
  () => ({
    jsonPath: field(1, string, {
      always: true,
      required: true,
      about: 'Simple path to a string, integer or boolean field, such as ".spec.color"; no arrays or metadata.',
    }),
  }),
);

const customResourceDefinitionVersion = struct(
  home,
  'CustomResourceDefinitionVersion',
  'One version of a custom resource.',
  () => ({
    name: field(1, string, {
      always: true,
      required: true,
      about: 'Version name as used in URLs, such as "v1" or "v2beta1".',
    }),
    served: field(2, bool, { always: true, required: true, about: 'Whether this version is offered in the API.' }),
    storage: field(3, bool, {
      always: true,
      required: true,
      about: 'Whether objects are stored in this version; true for exactly one version.',
    }),
    deprecated: field(7, bool, { about: 'When true, clients using this version get a warning.' }),
    deprecationWarning: field(8, string, {
      pointer: true,
      about: 'Own warning text for a deprecated version, replacing the standard one.',
    }),
    schema: field(4, customResourceValidation, {
      pointer: true,
      about: 'Schema that objects of this version are checked and pruned by.',
    }),
    subresources: field(5, customResourceSubresources, {
      pointer: true,
      about: 'Turns on the status and scale subresources for this version.',
    }),
    additionalPrinterColumns: field(6, listOf(customResourceColumnDefinition), {
      listType: 'atomic',
      about: 'Extra columns of tables; without any, just name and age appear.',
    }),
    selectableFields: field(9, listOf(selectableField), {
      listType: 'atomic',
      about: 'Fields that can be used in field selectors; at most 8.',
    }),
  }),
);

export const webhookClientConfig = rehome(admissionClientConfig, home);

const webhookConversion = struct(home, 'WebhookConversion', 'Settings for conversion by webhook.', () => ({
  clientConfig: field(2, webhookClientConfig, { pointer: true, about: 'How to reach the webhook server.' }),
  conversionReviewVersions: field(3, listOf(string), {
    always: true,
    required: true,
    listType: 'atomic',
    about: 'ConversionReview versions the webhook accepts, best first, such as ["v1"].',
  }),
}));

export const customResourceConversion = struct(
  home,
  'CustomResourceConversion',
  'How objects are converted between versions of a custom resource.',
  () => ({
    strategy: field(1, string, {
      goType: 'ConversionStrategyType',
      always: true,
      required: true,
      about: 'None only changes apiVersion; Webhook calls an outside server.',
    }),
    webhook: field(2, webhookConversion, {
      pointer: true,
      about: 'How to call the conversion webhook; required for strategy Webhook.',
    }),
  }),
);

const customResourceDefinitionSpec = struct(
  home,
  'CustomResourceDefinitionSpec',
  'Desired configuration of a custom resource type.',
  () => ({
    group: field(1, string, {
      always: true,
      required: true,
      about: 'API group of the resource, in domain form such as "stable.example.com".',
    }),
    names: field(3, customResourceDefinitionNames, {
      always: true,
      required: true,
      about: 'Plural, kind and other names of the resource.',
    }),
    scope: field(4, string, {
      goType: 'ResourceScope',
      always: true,
      required: true,
      about: 'Namespaced or Cluster; cannot be changed later.',
    }),
    versions: field(7, listOf(customResourceDefinitionVersion, mostVersions), {
      always: true,
      required: true,
      listType: 'atomic',
      about: 'All versions of the resource; exactly one must be the storage version.',
    }),
    conversion: field(9, customResourceConversion, {
      pointer: true,
      about: 'How objects are converted between versions; default is strategy None.',
    }),
    preserveUnknownFields: field(10, bool, {
      about: 'Old switch for keeping unknown fields; must be false, say so in the schema instead.',
    }),
  }),
);

const customResourceDefinitionCondition = struct(
  home,
  'CustomResourceDefinitionCondition',
  'One named observation about a CustomResourceDefinition.',
  () => ({
    ...observationFields('Kind of observation, such as Established, NamesAccepted or Terminating.', {
      type: 'CustomResourceDefinitionConditionType',
    }),
    ...transitionFields(3),
    observedGeneration: field(6, int64, { about: 'The metadata.generation that this observation was made for.' }),
  }),
);

export const customResourceDefinitionStatus = struct(
  home,
  'CustomResourceDefinitionStatus',
  'Observed state of a CustomResourceDefinition.',
  () => ({
    conditions: field(1, listOf(customResourceDefinitionCondition), {
      always: true,
      listType: 'map',
      mapKeys: ['type'],
      about: 'Current observations, at most one entry per type.',
    }),
    acceptedNames: field(2, customResourceDefinitionNames, {
      always: true,
      about: 'Names actually in use; may differ from spec when names clash.',
    }),
    storedVersions: field(3, listOf(string), {
      always: true,
      listType: 'atomic',
      about: 'Versions in which objects may still be stored; these cannot be dropped from spec.',
    }),
    observedGeneration: field(4, int64, { about: 'The metadata.generation that the controller handled last.' }),
  }),
);

export const customResourceDefinitionType = struct(
  home,
  'CustomResourceDefinition',
  'Adds a new resource type to the API; it must be named <plural>.<group>.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, customResourceDefinitionSpec, {
      always: true,
      required: true,
      about: 'Names, versions and schemas of the new resource.',
    }),
    status: field(3, customResourceDefinitionStatus, {
      always: true,
      about: 'Whether the names were accepted and the resource is served; read-only for users.',
    }),
  }),
);

export type CustomResourceDefinition = ApiObject & Infer<typeof customResourceDefinitionType>;
