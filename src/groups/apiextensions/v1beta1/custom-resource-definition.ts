// CustomResourceDefinition before v1: one schema, one set of columns and subresources for all versions.

import { isSameJson } from '../../../base/json/json.ts';
import { forbiddenField, invalidValue } from '../../../meta/field-errors.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { forAnyObject } from '../../../schema/define-kind.ts';
import type { KindDefinition } from '../../../schema/resource.ts';
import type { Strategy } from '../../../schema/strategy.ts';
import { bool, field, type Infer, int32, listOf, string, struct } from '../../../schema/types.ts';
import { convertedKind } from '../../converted-kind.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import type { ValidationErrors } from '../../rules.ts';
import { withHooks } from '../../same-shape.ts';
import { withServicePort } from '../../webhook-client-rules.ts';
import { customResourceDefinition } from '../v1/custom-resource-definition.ts';
import {
  type CustomResourceDefinition,
  customResourceDefinitionNames,
  customResourceDefinitionStatus,
  customResourceSubresources,
  customResourceValidation,
  selectableField,
  webhookClientConfig,
} from '../v1/custom-resource-definition-type.ts';
import { olderDefinitionRules, withAllNames, withStoredVersion } from '../v1/definition-rules.ts';

const home = 'apiextensions/v1beta1';

const column = struct(home, 'CustomResourceColumnDefinition', 'A column of the table form.', () => ({
  name: field(1, string, { always: true, required: true, about: 'Heading of the column.' }),
  type: field(2, string, { always: true, required: true, about: 'Type of its cells.' }),
  format: field(3, string, { about: 'Format of its cells.' }),
  description: field(4, string, { about: 'What the column shows.' }),
  priority: field(5, int32, { about: '0 is always shown, higher ones in wide output.' }),
  JSONPath: field(6, string, { always: true, required: true, about: 'Where in the object the cell is found.' }),
}));

const columns = listOf(column);

const version = struct(home, 'CustomResourceDefinitionVersion', 'One version of a custom resource.', () => ({
  name: field(1, string, { always: true, required: true, about: 'Name of the version.' }),
  served: field(2, bool, { always: true, required: true, about: 'Whether it is served.' }),
  storage: field(3, bool, { always: true, required: true, about: 'Whether objects are stored in it.' }),
  deprecated: field(7, bool, { about: 'Whether its use brings a warning.' }),
  deprecationWarning: field(8, string, { pointer: true, about: 'Text of the warning.' }),
  schema: field(4, customResourceValidation, { pointer: true, about: 'Its schema, if versions differ.' }),
  subresources: field(5, customResourceSubresources, { pointer: true, about: 'Its subresources, if versions differ.' }),
  additionalPrinterColumns: field(6, columns, { listType: 'atomic', about: 'Its columns, if versions differ.' }),
  selectableFields: field(9, listOf(selectableField), { listType: 'atomic', about: 'Fields that selectors may name.' }),
}));

const conversion = struct(home, 'CustomResourceConversion', 'How objects are converted between versions.', () => ({
  strategy: field(1, string, { always: true, required: true, about: 'None or Webhook.' }),
  webhookClientConfig: field(2, webhookClientConfig, { pointer: true, about: 'How the webhook is called.' }),
  conversionReviewVersions: field(3, listOf(string), { listType: 'atomic', about: 'Reviews the webhook understands.' }),
}));

const spec = struct(home, 'CustomResourceDefinitionSpec', 'What a custom resource looks like.', () => ({
  group: field(1, string, { always: true, required: true, about: 'API group of the resource.' }),
  version: field(2, string, { about: 'The only version, where versions is not given.' }),
  names: field(3, customResourceDefinitionNames, { always: true, required: true, about: 'Names of the resource.' }),
  scope: field(4, string, { always: true, required: true, about: 'Namespaced or Cluster.' }),
  validation: field(5, customResourceValidation, { pointer: true, about: 'Schema of all versions.' }),
  subresources: field(6, customResourceSubresources, { pointer: true, about: 'Subresources of all versions.' }),
  versions: field(7, listOf(version), { listType: 'atomic', about: 'The versions.' }),
  additionalPrinterColumns: field(8, columns, { listType: 'atomic', about: 'Columns of all versions.' }),
  selectableFields: field(11, listOf(selectableField), {
    listType: 'atomic',
    about: 'Selectable fields of all versions.',
  }),
  conversion: field(9, conversion, { pointer: true, about: 'How versions are converted.' }),
  preserveUnknownFields: field(10, bool, { pointer: true, about: 'Whether fields without a schema are kept.' }),
}));

const type = struct(home, 'CustomResourceDefinition', 'Adds a resource to the API.', () => ({
  metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
  spec: field(2, spec, { always: true, required: true, about: 'What is wanted.' }),
  status: field(3, customResourceDefinitionStatus, { always: true, about: 'What was last seen.' }),
}));

type OldDefinition = ApiObject & Infer<typeof type>;
type OldSpec = NonNullable<OldDefinition['spec']>;
type OldVersion = NonNullable<OldSpec['versions']>[number];
type Spec = NonNullable<CustomResourceDefinition['spec']>;
type Version = NonNullable<Spec['versions']>[number];

/** What all versions share moves into each of them. */
function toStorage(object: OldDefinition): ApiObject {
  const {
    version: single,
    validation,
    subresources,
    additionalPrinterColumns,
    selectableFields,
    preserveUnknownFields,
    ...rest
  } = object.spec ?? {};
  const shared = {
    ...(validation ? { schema: validation } : {}),
    ...(subresources ? { subresources } : {}),
    ...(additionalPrinterColumns ? { additionalPrinterColumns } : {}),
    ...(selectableFields ? { selectableFields } : {}),
  };
  const given = rest.versions ?? (single ? [{ name: single, served: true, storage: true }] : []);
  const versions = given.map((one): Version => newVersion({ ...shared, ...one }));
  const { conversion: old } = rest;
  // v1 leaves out what is false
  const kept = preserveUnknownFields ? { preserveUnknownFields } : {};
  return { ...object, spec: { ...rest, ...kept, versions, ...(old ? { conversion: newConversion(old) } : {}) } };
}

function newVersion({ additionalPrinterColumns, ...rest }: OldVersion): Version {
  if (additionalPrinterColumns === undefined) return rest;
  const moved = additionalPrinterColumns.map(({ JSONPath: jsonPath, ...one }) => ({ ...one, jsonPath }));
  return { ...rest, additionalPrinterColumns: moved as NonNullable<Version['additionalPrinterColumns']> };
}

function newConversion({
  strategy,
  webhookClientConfig: clientConfig,
  conversionReviewVersions,
}: NonNullable<OldSpec['conversion']>): object {
  if (clientConfig === undefined && conversionReviewVersions === undefined) return { strategy };
  return { strategy, webhook: { ...(clientConfig ? { clientConfig } : {}), conversionReviewVersions } };
}

/** What is the same in all versions moves out of them, where older clients look for it: each part by itself. */
function fromStorage(object: CustomResourceDefinition): ApiObject {
  const { versions, conversion: current, ...rest } = object.spec ?? {};
  const old = (versions ?? []).map(oldVersion);
  const [first] = old;
  const same = parts.filter((part) => old.every((one) => isSameJson(one[part], first?.[part])));
  const moved = same.flatMap((part) => {
    const value = first?.[part];
    return value === undefined ? [] : [[part === 'schema' ? 'validation' : part, value] as const];
  });
  return {
    ...object,
    spec: {
      ...rest,
      preserveUnknownFields: rest.preserveUnknownFields ?? false,
      ...(first ? { version: first.name } : {}),
      ...Object.fromEntries(moved),
      ...(first ? { versions: old.map((one) => without(one, same)) } : {}),
      ...(current ? { conversion: oldConversion(current) } : {}),
    },
  };
}

const parts = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;
type Part = (typeof parts)[number];

function oldVersion({ additionalPrinterColumns, ...rest }: Version): OldVersion {
  if (additionalPrinterColumns === undefined) return rest;
  const moved = additionalPrinterColumns.map(({ jsonPath: JSONPath, ...one }) => ({ ...one, JSONPath }));
  return { ...rest, additionalPrinterColumns: moved as NonNullable<OldVersion['additionalPrinterColumns']> };
}

const without = (one: OldVersion, some: readonly Part[]): OldVersion =>
  Object.fromEntries(Object.entries(one).filter(([field]) => !some.includes(field as Part)));

function oldConversion({ strategy, webhook }: NonNullable<Spec['conversion']>): object {
  const { clientConfig, conversionReviewVersions } = webhook ?? {};
  return {
    strategy,
    ...(clientConfig ? { webhookClientConfig: clientConfig } : {}),
    ...(conversionReviewVersions ? { conversionReviewVersions } : {}),
  };
}

/** The scope could be left out, and the first version stood for all. */
function defaults(object: OldDefinition): ApiObject {
  const { spec: given = {} } = object;
  return {
    ...object,
    spec: {
      ...given,
      names: withAllNames(given.names ?? {}),
      scope: given.scope || 'Namespaced',
      conversion: defaultConversion(given.conversion),
      preserveUnknownFields: given.preserveUnknownFields ?? true,
      ...defaultVersions(given),
    },
  };
}

function defaultVersions({ version: single = '', versions = [] }: OldSpec): OldSpec {
  if (versions.length === 0 && single !== '') return { versions: [{ name: single, served: true, storage: true }] };
  return single === '' && versions[0]?.name ? { version: versions[0].name } : {};
}

function defaultConversion(given: OldSpec['conversion']): NonNullable<OldSpec['conversion']> {
  const { strategy, webhookClientConfig: called, conversionReviewVersions = [] } = given ?? { strategy: 'None' };
  return {
    ...given,
    strategy: strategy as string,
    ...(called ? { webhookClientConfig: withServicePort(called) } : {}),
    ...(strategy === 'Webhook' && conversionReviewVersions.length === 0
      ? { conversionReviewVersions: ['v1beta1'] }
      : {}),
  };
}

const shared = [
  { above: 'validation', below: 'schema', told: 'schemas', instead: 'validation' },
  { above: 'subresources', below: 'subresources', told: 'subresources', instead: 'subresources' },
  {
    above: 'additionalPrinterColumns',
    below: 'additionalPrinterColumns',
    told: 'additionalPrinterColumns',
    instead: 'additionalPrinterColumns',
  },
] as const;

const isGiven = (value: unknown) => value !== undefined && !(Array.isArray(value) && value.length === 0);

/** What all versions share is said once, above them or in each. */
function validateShape({ spec: given = {} }: OldDefinition): ValidationErrors {
  const { version: single = '', versions = [] } = given;
  const [first] = versions;
  return [
    ...shared.flatMap(({ above, below, told }) =>
      isGiven(given[above]) && versions.some((one) => isGiven(one[below]))
        ? [forbiddenField(`spec.${above}`, `top-level and per-version ${told} are mutually exclusive`)]
        : [],
    ),
    ...shared.flatMap(({ below, told, instead }) => {
      const isSame = versions.every((one) => isGiven(one[below]) && isSameJson(one[below], first?.[below]));
      const detail = `per-version ${told} may not all be set to identical values (top-level ${instead} should be used instead)`;
      return versions.length > 0 && isSame ? [invalidValue('spec.versions', versions, detail)] : [];
    }),
    ...(single !== '' && first !== undefined && first.name !== single
      ? [invalidValue('spec.version', single, 'must match the first version in spec.versions')]
      : []),
  ];
}

const rules = forAnyObject({ strategy: olderDefinitionRules }).strategy as Strategy;

const converted = convertedKind(
  { ...customResourceDefinition, strategy: rules },
  {
    type,
    conversion: { toStorage, fromStorage },
    defaults,
    deprecated: {
      since: 16,
      removed: 22,
      replacement: { group: 'apiextensions', version: 'v1', kind: 'CustomResourceDefinition' },
    },
  },
);

const { validate } = converted.strategy ?? {};

export const customResourceDefinitionV1beta1: KindDefinition = withHooks<OldDefinition>(converted, {
  // as they are: conversion would move what versions share before the rules can see where it stood
  prepareForCreate: (object) => withStoredVersion(object as CustomResourceDefinition),
  prepareForUpdate: (object) => withStoredVersion(object as CustomResourceDefinition),
  validate: (object, context) => [...(validate?.(object, context) ?? []), ...validateShape(object)],
});
