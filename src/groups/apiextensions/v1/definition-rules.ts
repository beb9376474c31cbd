// Defaults and rules of CustomResourceDefinitions.

import { isSameJson } from '../../../base/json/json.ts';
import { loadedOnce } from '../../../base/loaded-once.ts';
import { WorkMeter } from '../../../base/time/work-meter.ts';
import { invalidValue, required } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { checkLetterFirstLabel, checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { givenEmpty } from '../../../schema/given-empty.ts';
import type { ExpressionRun, Strategy, StrategyContext } from '../../../schema/strategy.ts';
import { marks, type Schema, schemaHas } from '../../../schema/structural/schema.ts';
import type { Infer } from '../../../schema/types.ts';
import { inReferenceForm } from '../../../wording/types/reference-form.ts';
import { expressionAge } from '../../expression-age.ts';
import { immutable, requiredOneOf, type ValidationErrors } from '../../rules.ts';
import { withServicePort } from '../../webhook-client-rules.ts';
import { validateApproval } from './approval.ts';
import { validateConversionStrategy, validateTrust } from './conversion-rules.ts';
import type {
  CustomResourceDefinition,
  customResourceDefinitionNames,
  customResourceSubresources,
} from './custom-resource-definition-type.ts';
import { beginDeletion, isUnmarked } from './deletion.ts';
import { formatWarnings } from './format-warnings.ts';
import { type RootRules, validateRootSchema, workOf } from './schema-rules.ts';
import { validateStructural } from './structural-rules.ts';
import { deprecationProblems, validateColumn, validateScale, validateSelectable } from './version-rules.ts';

type Spec = NonNullable<CustomResourceDefinition['spec']>;
type Version = NonNullable<Spec['versions']>[number];
type Names = Infer<typeof customResourceDefinitionNames>;

const specOf = (object: CustomResourceDefinition): Spec => object.spec ?? {};
/** A list that is always written is null when the client gave none. */
const versionsOf = ({ versions }: Spec): readonly Version[] => versions ?? [];

function defaults(object: CustomResourceDefinition): ApiObject {
  const spec = specOf(object);
  const { names = {}, conversion = { strategy: 'None' } } = spec;
  const { clientConfig } = conversion.webhook ?? {};
  const called = clientConfig && { webhook: { ...conversion.webhook, clientConfig: withServicePort(clientConfig) } };
  const withSpec = {
    ...object,
    spec: {
      ...spec,
      names: withAllNames(names),
      conversion: { ...conversion, ...called },
    },
  };
  // objects may be stored in one version at least
  return object.status && !object.status.storedVersions?.length ? withStoredVersion(withSpec) : withSpec;
}

export function withAllNames(names: Names): Names {
  const { kind = '' } = names;
  return {
    ...names,
    ...(names.singular ? {} : { singular: kind.toLowerCase() }),
    ...(names.listKind || kind === '' ? {} : { listKind: `${kind}List` }),
  };
}

/** The version that objects are written in counts as stored from the start; of several only the first. */
export function withStoredVersion(object: CustomResourceDefinition): ApiObject {
  const { status = {} } = object;
  const stored = status.storedVersions ?? [];
  const { name } = versionsOf(specOf(object)).find(({ storage }) => storage) ?? {};
  if (name === undefined || stored.includes(name)) return object;
  return { ...object, status: { ...status, storedVersions: [...stored, name] } };
}

/** The status has its own rules, so that who writes it is not told about the rest. */
function validate(object: CustomResourceDefinition, context: StrategyContext): ValidationErrors {
  const spec = specOf(object);
  return [
    ...validateGroup(spec.group ?? '', 'spec.group'),
    ...requiredOneOf('spec.scope', spec.scope, ['Cluster', 'Namespaced']),
    ...validateVersions(spec),
    ...requiredNames.filter((one) => !spec.names?.[one]).map((one) => required(`spec.names.${one}`)),
    ...validateNames(spec.names ?? {}, 'spec.names'),
    ...validateParts(spec, context),
    ...validateConversion(spec),
  ];
}

function validateName(object: CustomResourceDefinition): ValidationErrors {
  const { names, group = '' } = specOf(object);
  const wanted = `${names?.plural ?? ''}.${group}`;
  return (['generateName', 'name'] as const).flatMap((field) => {
    const { [field]: name = '' } = object.metadata;
    if (name === '' || name === wanted) return [];
    return [invalidValue(`metadata.${field}`, name, 'must be spec.names.plural+"."+spec.group')];
  });
}

const requiredNames = ['plural', 'singular', 'kind', 'listKind'] as const;

function validateGroup(group: string, at: string): ValidationErrors {
  if (group === '') return [required(at)];
  const problems = checkSubdomain(group);
  if (problems.length > 0) return [invalidValue(at, group, problems.join(','))];
  return group.includes('.') ? [] : [invalidValue(at, group, 'should be a domain with at least one dot')];
}

function validateVersions(spec: Spec): ValidationErrors {
  const versions = versionsOf(spec);
  const at = 'spec.versions';
  const names = versions.map(({ name = '' }) => name);
  const stored = versions.filter(({ storage }) => storage);
  // shown only where something is wrong: each schema has all fields in that form
  const refuse = (detail: string) => [invalidValue(at, shownVersions(spec), detail)];
  const problems = names[0] ? checkLetterFirstLabel(names[0]) : [];
  return [
    ...findEach(versions, (version, index) => validateVersion(version, `${at}[${index}]`, spec)),
    ...(new Set(names).size < names.length ? refuse('must contain unique version names') : []),
    ...(stored.length === 1 ? [] : refuse('must have exactly one version marked as storage version')),
    // compat: the first version is also the one that older versions of the kind name outside of the list
    ...(problems.length > 0 ? [invalidValue('spec.version', names[0], problems.join(','))] : []),
  ];
}

const shownVersions = (spec: Spec): unknown =>
  givenEmpty(spec, 'versions') ?? inReferenceForm('CustomResourceDefinitionVersion', ownPartsOf(spec));

/** The versions without their common part. */
function ownPartsOf(spec: Spec): readonly Version[] | undefined {
  const shared = new Set<string>(parts.filter((part) => isShared(spec, part)));
  return spec.versions?.map((version) =>
    Object.fromEntries(Object.entries(version).filter(([part]) => !shared.has(part))),
  );
}

function validateVersion(version: Version, at: string, spec: Spec): ValidationErrors {
  const { name = '', deprecated, deprecationWarning } = version;
  const problems = checkLetterFirstLabel(name);
  return [
    ...(spec.preserveUnknownFields ? [] : missingSchema(version, at)),
    ...(problems.length > 0 ? [invalidValue(`${at}.name`, name, problems.join(','))] : []),
    ...deprecationProblems(deprecated ?? false, deprecationWarning ?? undefined).map((detail) =>
      invalidValue(`${at}.deprecationWarning`, deprecationWarning, detail),
    ),
  ];
}

const missingSchema = ({ schema }: Version, at: string): ValidationErrors =>
  schema?.openAPIV3Schema ? [] : [required(`${at}.schema.openAPIV3Schema`)];

function validateNames(names: Names, at: string): ValidationErrors {
  const { kind = '', listKind = '' } = names;
  const problemsOf = (field: string, value: string) => {
    const problems = checkLetterFirstLabel(value);
    return problems.length > 0 ? [invalidValue(`${at}.${field}`, value, problems.join(','))] : [];
  };
  const named = (field: 'plural' | 'singular') => (names[field] ? problemsOf(field, names[field]) : []);
  const mixedCase = (field: string, value: string) => {
    const problems = value === '' ? [] : checkLetterFirstLabel(value.toLowerCase());
    const detail = `may have mixed case, but should otherwise match: ${problems.join(',')}`;
    return problems.length > 0 ? [invalidValue(`${at}.${field}`, value, detail)] : [];
  };
  return [
    ...named('plural'),
    ...named('singular'),
    ...mixedCase('kind', kind),
    ...mixedCase('listKind', listKind),
    ...findEach(names.shortNames ?? [], (one, index) => problemsOf(`shortNames[${index}]`, one)),
    ...(kind !== '' && kind === listKind
      ? [invalidValue(`${at}.listKind`, listKind, 'kind and listKind may not be the same')]
      : []),
    ...findEach(names.categories ?? [], (one, index) => problemsOf(`categories[${index}]`, one)),
  ];
}

const parts = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;
type Part = (typeof parts)[number];

interface PartPlace {
  readonly version: Version;
  readonly at: string;
}

/** compat: the common part of all versions is reported where older versions of the kind had it */
function placesOf(spec: Spec, part: Part): readonly PartPlace[] {
  const versions = versionsOf(spec);
  const [first] = versions;
  if (first !== undefined && isShared(spec, part))
    return [{ version: first, at: part === 'schema' ? 'spec.validation' : `spec.${part}` }];
  return versions
    .map((version, index) => ({ version, at: `spec.versions[${index}].${part}` }))
    .filter(({ version }) => isGiven(version[part]));
}

/** Whether all versions say something, and the same. */
function isShared(spec: Spec, part: Part): boolean {
  const [first, ...others] = versionsOf(spec).map((version) => version[part]);
  return isGiven(first) && others.every((one) => isSameJson(one, first));
}

const isGiven = (value: unknown) => value !== undefined && !(Array.isArray(value) && value.length === 0);

function validateParts(spec: Spec, { onLongWork }: StrategyContext): ValidationErrors {
  const meter = new WorkMeter(() => onLongWork?.());
  return [
    ...findEach(placesOf(spec, 'schema'), ({ version, at }) => {
      const schema = schemaOf(version);
      if (schema === undefined) return [];
      meter.add(workOf(schema));
      return validateRootSchema(schema, rootRules(version, spec, at), `${at}.openAPIV3Schema`);
    }),
    ...findEach(placesOf(spec, 'subresources'), ({ version: { subresources }, at }) =>
      subresources?.scale ? validateScale(subresources.scale, `${at}.scale`) : [],
    ),
    ...findEach(placesOf(spec, 'additionalPrinterColumns'), ({ version, at }) =>
      findEach(version.additionalPrinterColumns ?? [], (column, index) => validateColumn(column, `${at}[${index}]`)),
    ),
    ...findEach(placesOf(spec, 'selectableFields'), ({ version, at }) =>
      schemaOf(version) === undefined || isShared(spec, 'schema') !== (at === sharedFields)
        ? [invalidValue(at, '', `may only be set when ${at === sharedFields ? sharedSchema : ownSchema}`)]
        : validateSelectable(version.selectableFields ?? [], schemaOf(version), at),
    ),
  ];
}

const sharedFields = 'spec.selectableFields';
const sharedSchema = 'validations.schema is included';
// compat: fields to select by that lack a schema, or share no place with it, are told to need none
const ownSchema = '`version.schema.openAPIV3Schema` is not included';

const schemaOf = ({ schema }: Version) => schema?.openAPIV3Schema as Schema | undefined;
const offersStatus = (subresources: Infer<typeof customResourceSubresources> | undefined) =>
  subresources?.status !== undefined;

const schemasOf = (object: CustomResourceDefinition): readonly Schema[] => schemasIn(specOf(object));

const schemasIn = (spec: Spec): readonly Schema[] =>
  versionsOf(spec).flatMap((version): readonly Schema[] => {
    const schema = schemaOf(version);
    return schema ? [schema] : [];
  });

function rootRules(version: Version, spec: Spec, at: string): RootRules {
  return { hasStatus: hasStatus(version, spec, at), isStructural: isStructural(spec) };
}

/** Objects that keep every field need no schema that names each of them, unless they are filled in or merged by it. */
function isStructural(spec: Spec): boolean {
  return !spec.preserveUnknownFields || schemasIn(spec).some((schema) => schemaHas(schema, isExtended));
}

const extensions = [marks.embedded, marks.preserve, marks.intOrString, marks.listMapKeys, marks.listType];
const isExtended = (schema: Schema) => [...extensions, 'default'].some((keyword) => schema[keyword] !== undefined);

/** A schema that several versions share is held to what any of them needs. */
function hasStatus(version: Version, spec: Spec, at: string): boolean {
  return at === 'spec.validation'
    ? versionsOf(spec).some(({ subresources }) => offersStatus(subresources))
    : offersStatus(version.subresources);
}

const expressions = loadedOnce(() => import('./expression-rules.ts'));

/** Expressions in schemas. The language is loaded for definitions that have some. */
async function validateExpressions(
  next: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  { versions, ruleTimes }: StrategyContext,
  run: ExpressionRun = {},
): Promise<ValidationErrors> {
  const spec = specOf(next);
  const roots = placesOf(spec, 'schema').flatMap(({ version, at }) => {
    const schema = schemaOf(version);
    if (schema === undefined || !schemaHas(schema, hasRules)) return [];
    return [{ schema, at: `${at}.openAPIV3Schema`, isStored: isStored(version, old) }];
  });
  if (roots.length === 0) return [];
  const { ruleTexts, validateSchemaExpressions } = await expressions();
  const meter = new WorkMeter(() => run.moveIfPossible?.());
  const age = expressionAge(versions, old ? ruleTexts(schemasOf(old)) : []);
  return validateSchemaExpressions(roots, age, { times: ruleTimes, meter });
}

const hasRules = (schema: Schema) => ((schema[marks.validations] ?? []) as readonly unknown[]).length > 0;

function isStored(version: Version, old: CustomResourceDefinition | undefined): boolean {
  const stored = old && versionsOf(specOf(old)).find(({ name }) => name === version.name);
  return stored !== undefined && isSameJson(stored.schema, version.schema);
}

function validateConversion({ conversion = {}, preserveUnknownFields: preserves, ...spec }: Spec): ValidationErrors {
  const hasDefaults = versionsOf(spec).some((version) => {
    const schema = schemaOf(version);
    return schema !== undefined && schemaHas(schema, (one) => one.default !== undefined);
  });
  return [
    ...(preserves && hasDefaults
      ? [invalidValue('spec.preserveUnknownFields', true, 'must be false in order to use defaults in the schema')]
      : []),
    ...validateConversionStrategy(conversion, preserves ?? false),
  ];
}

/** A version in which objects may be stored stays, and the one in which they are stored is among these. */
function validateStoredVersions({ spec, status }: CustomResourceDefinition, at: string): ValidationErrors {
  const stored = status?.storedVersions ?? [];
  if (stored.length === 0) return [invalidValue(at, null, 'must have at least one stored version')];
  const versions = versionsOf(spec ?? {});
  const known = new Set(versions.map(({ name = '' }) => name));
  // of versions of one name only the first counts as stored
  const kept = new Set(stored);
  return [
    ...versions
      .filter(({ name = '', storage }) => !kept.delete(name) && storage)
      .map(({ name }) => invalidValue(at, stored, `must have the storage version ${name}`)),
    ...stored.flatMap((name, index) =>
      known.has(name) ? [] : [invalidValue(`${at}[${index}]`, name, missingVersion(name))],
    ),
  ];
}

const missingVersion = (name: string) =>
  `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;

function validateCreate(object: CustomResourceDefinition, context: StrategyContext): ValidationErrors {
  return [
    ...validateOlderCreate(object),
    ...validateApproval(object, undefined, context),
    ...validatePreserving(object, undefined),
  ];
}

function validateOlderCreate(object: CustomResourceDefinition): ValidationErrors {
  return validateStoredVersions(object, 'status.storedVersions');
}

function validateUpdate(
  next: CustomResourceDefinition,
  old: CustomResourceDefinition,
  context: StrategyContext,
): ValidationErrors {
  return [...validateOlderUpdate(next, old), ...validateApproval(next, old, context), ...validatePreserving(next, old)];
}

function validateOlderUpdate(next: CustomResourceDefinition, old: CustomResourceDefinition): ValidationErrors {
  const [spec, was] = [specOf(next), specOf(old)];
  return [
    ...(isEstablished(old)
      ? [
          ...immutable('spec.scope', spec.scope, was.scope),
          ...immutable('spec.names.kind', spec.names?.kind, was.names?.kind),
        ]
      : []),
    ...immutable('spec.group', spec.group, was.group),
    ...immutable('spec.names.plural', spec.names?.plural, was.names?.plural),
    ...validateStoredVersions(next, 'status.storedVersions'),
    ...(isEstablished(old) ? validateTrust(spec.conversion, was.conversion) : []),
  ];
}

/** Whether the resource is served: from then on objects depend on what it is. */
function isEstablished(object: CustomResourceDefinition): boolean {
  const { conditions } = object.status ?? {};
  return (conditions ?? []).some(({ type, status }) => type === 'Established' && status === 'True');
}

const preservingAdvice = `cannot set to true, set ${marks.preserve} to true in spec.versions[*].schema instead`;

function validatePreserving(
  next: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
): ValidationErrors {
  const isNew = specOf(next).preserveUnknownFields && !(old && specOf(old).preserveUnknownFields);
  if (!isNew) return [];
  const missing = versionsOf(specOf(next)).flatMap((one, index) => missingSchema(one, `spec.versions[${index}]`));
  return [...missing, invalidValue('spec.preserveUnknownFields', true, preservingAdvice)];
}

/** Nanoseconds of work for one schema that requests may wait for. */
const mostWork = 12_000_000;

/** What keeps schemas from being structural, as one text; undefined where nothing does. */
export function structuralProblems(object: CustomResourceDefinition): string | undefined {
  const spec = specOf(object);
  const preserving = spec.preserveUnknownFields
    ? [invalidValue('spec.preserveUnknownFields', true, 'must be false')]
    : [];
  const found = versionsOf(spec).flatMap((version, index) => {
    const schema = schemaOf(version);
    // large ones are left to the write, which may have its own thread
    if (schema === undefined || workOf(schema) > mostWork) return [];
    return validateStructural(schema, `spec.versions[${index}].schema.openAPIV3Schema`);
  });
  const lines = [...new Set([...preserving, ...found].map(({ field, message }) => `${field}: ${message}`))];
  return lines.length > 1 ? `[${lines.join(', ')}]` : lines[0];
}

/** What controllers say about the names. */
export function validateStatus(object: CustomResourceDefinition): ValidationErrors {
  const { acceptedNames } = object.status ?? {};
  return validateNames(acceptedNames ?? {}, 'status.acceptedNames');
}

export const definitionRules: Strategy<CustomResourceDefinition> = {
  updateChecks: { meta: 0 },
  defaults,
  prepareForCreate: withStoredVersion,
  prepareForUpdate: withStoredVersion,
  validateName,
  validate,
  validateCreate,
  validateUpdate,
  validateExpressions,
  isHeld: isUnmarked,
  beginDeletion,
  warnings: (next, old) => formatWarnings(schemasOf(next), old ? schemasOf(old) : []),
};

/** compat: the older version neither asks for approval nor for schemas, and objects may keep unknown fields */
export const olderDefinitionRules: Strategy<CustomResourceDefinition> = {
  ...definitionRules,
  validateCreate: validateOlderCreate,
  validateUpdate: validateOlderUpdate,
};
