// What may stand in a claim, what follows from it, and what may change.

import { isSameJson } from '../../../../base/json/json.ts';
import { type Dialect, apiGroup as groupOf, labelKey } from '../../../../meta/dialect.ts';
import { forbiddenField, invalidValue, notSupported, required, unchanged } from '../../../../meta/field-errors.ts';
import { findEach } from '../../../../meta/find-each.ts';
import { checkLabelName, checkQualifiedName, checkSubdomain } from '../../../../meta/names.ts';
import { compareQuantities, parseQuantity, type Quantity } from '../../../../meta/quantity.ts';
import type { FieldError } from '../../../../meta/status.ts';
import { shownField } from '../../../../schema/given-empty.ts';
import { meansSame } from '../../../../schema/same-meaning.ts';
import { changes } from '../../../changes.ts';
import { validateLabelSelector } from '../../../meta/v1/label-selector.ts';
import { checked, type ValidationErrors } from '../../../rules.ts';
import { validateAccessModes } from './access-modes.ts';
import { persistentVolumeClaimSpec } from './persistent-volume-claim-spec.ts';
import type { PersistentVolumeClaim } from './persistent-volume-claim-type.ts';
import { validateBasic, validatePositive, volumeModes } from './persistent-volume-rules.ts';

type ClaimSpec = NonNullable<PersistentVolumeClaim['spec']>;
interface Source {
  readonly apiGroup?: string | null;
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
}

/** `was` is what a claim that changes has had: a source of an odd group stays allowed. */
export function validateClaimSpec(spec: ClaimSpec, at = 'spec', was: ClaimSpec = {}): readonly FieldError[] {
  const { accessModes = [], storageClassName: name, volumeMode, volumeAttributesClassName: attributes } = spec;
  const className = (text: string | undefined, field: string) =>
    text ? checkSubdomain(text).map((e) => invalidValue(`${at}.${field}`, text, e)) : [];
  return [
    ...(accessModes.length === 0 ? [required(`${at}.accessModes`, 'at least 1 access mode is required')] : []),
    ...validateLabelSelector(spec.selector, `${at}.selector`),
    ...validateAccessModes(accessModes, `${at}.accessModes`),
    ...validateSize(spec, `${at}.resources[storage]`),
    ...className(name, 'storageClassName'),
    ...(volumeMode === undefined || volumeModes.includes(volumeMode)
      ? []
      : [notSupported(`${at}.volumeMode`, volumeMode, volumeModes)]),
    ...validateSources(
      spec,
      at,
      [was.dataSource, was.dataSourceRef].some((source) => typeof source?.apiGroup === 'string'),
    ),
    ...className(attributes, 'volumeAttributesClassName'),
  ];
}

function validateSize({ resources }: ClaimSpec, at: string): readonly FieldError[] {
  const size = resources?.requests?.['storage'];
  return size === undefined ? [required(at)] : validatePositive(size, at);
}

function validateSources({ dataSource, dataSourceRef }: ClaimSpec, at: string, anyGroup: boolean): ValidationErrors {
  return [
    ...(dataSource === undefined ? [] : validateSource(dataSource, `${at}.dataSource`, anyGroup)),
    ...(dataSourceRef === undefined ? [] : validateSource(dataSourceRef, `${at}.dataSourceRef`, anyGroup)),
    ...(dataSource === undefined || dataSourceRef === undefined ? [] : validateBoth(dataSource, dataSourceRef, at)),
  ];
}

/** compat: where two sources do not go together, the value that is shown is an empty object */
function validateBoth(source: Source, ref: Source, at: string): ValidationErrors {
  if (ref.namespace) return [invalidValue(at, {}, 'may not be specified when dataSourceRef.namespace is specified')];
  const parts = ({ apiGroup, kind, name }: Source) => [apiGroup ?? null, kind, name];
  return isSameJson(parts(source), parts(ref)) ? [] : [invalidValue(at, {}, 'must match dataSourceRef')];
}

function validateSource(source: Source, at: string, anyGroup: boolean): ValidationErrors {
  const { apiGroup, kind = '', name = '', namespace } = source;
  const detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
  return [
    ...(name === '' ? [required(`${at}.name`)] : []),
    ...(kind === '' ? [required(`${at}.kind`)] : []),
    ...(!apiGroup && kind !== 'PersistentVolumeClaim' ? [invalidValue(at, kind, detail)] : []),
    ...(apiGroup && !anyGroup ? checked(`${at}.apiGroup`, apiGroup, checkSubdomain) : []),
    ...(namespace ? checked(`${at}.namespace`, namespace, checkLabelName) : []),
  ];
}

/**
 * The older field alone knows claims and snapshots only; each of the two is filled from the other. A source in another
 * namespace is left out: that feature is off. What a claim has already stays.
 */
export function alignSources(spec: ClaimSpec, dialect: Dialect, was: ClaimSpec = {}): ClaimSpec {
  const { dataSource, dataSourceRef, ...rest } = spec;
  const given = dataSourceRef?.namespace && !was.dataSourceRef ? undefined : dataSourceRef;
  const isKept = dataSource && (given || was.dataSource || was.dataSourceRef || isOldSource(dataSource, dialect));
  const old = isKept ? dataSource : undefined;
  const ref = given ?? (old && { ...old });
  const { apiGroup = null, kind = '', name = '', namespace }: Source = ref ?? {};
  const source = old ?? (ref && !namespace ? { apiGroup, kind, name } : undefined);
  const named = source as ClaimSpec['dataSource'];
  return {
    ...rest,
    ...(named === undefined ? {} : { dataSource: named }),
    ...(ref === undefined ? {} : { dataSourceRef: ref as NonNullable<ClaimSpec['dataSourceRef']> }),
  };
}

function isOldSource({ apiGroup, kind }: Source, dialect: Dialect): boolean {
  if (!apiGroup) return kind === 'PersistentVolumeClaim';
  return kind === 'VolumeSnapshot' && apiGroup === `snapshot.${groupOf(dialect, 'storage')}`;
}

const immutable =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

/** A claim is what quota counted: only its size grows, and its volume is named once. */
export function validateClaimUpdate(
  next: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
  dialect: Dialect,
): readonly FieldError[] {
  const [spec, was] = [next.spec ?? {}, old.spec ?? {}];
  const annotation = `volume.beta.${labelKey(dialect, 'storage-class')}`;
  const before = old.metadata.annotations?.[annotation];
  const after = next.metadata.annotations?.[annotation];
  const bound = next.status?.phase === 'Bound';
  return [
    ...(before === after || (after === undefined && promoted(spec, was, before))
      ? []
      : [invalidValue(`metadata.annotations.${annotation}`, after ?? '', 'field is immutable')]),
    ...validateFixed(comparable(spec, was, bound, before), was),
    ...validateShrinking(spec, old),
    ...unchanged('volumeMode', spec.volumeMode, was.volumeMode),
    ...validateAttributes(spec, was, old.status?.currentVolumeAttributesClassName),
  ];
}

const validateFixed = (next: ClaimSpec, was: ClaimSpec): ValidationErrors =>
  meansSame(persistentVolumeClaimSpec, next, was)
    ? []
    : [forbiddenField('spec', `${immutable}\n${changes('PersistentVolumeClaimSpec', was, next)}`)];

/** A class that an annotation named moves to its field. */
const promoted = (spec: ClaimSpec, was: ClaimSpec, annotation: string | undefined) =>
  annotation !== undefined && was.storageClassName === undefined && spec.storageClassName === annotation;

/** The new spec with what may change put back. */
function comparable(spec: ClaimSpec, was: ClaimSpec, bound: boolean, annotation: string | undefined): ClaimSpec {
  const result: Record<string, unknown> = { ...spec };
  const keep = (field: keyof ClaimSpec) => {
    if (was[field] === undefined) delete result[field];
    else result[field] = was[field];
  };
  if (!was.volumeName) keep('volumeName');
  const unclassed = was.storageClassName === undefined && spec.storageClassName !== undefined;
  if (unclassed && (annotation === undefined || annotation === spec.storageClassName)) keep('storageClassName');
  const asked = spec.resources && shownField(spec.resources, 'requests');
  if (bound && asked) {
    const storage = was.resources?.requests?.['storage'];
    const requests = { ...asked, ...(storage === undefined ? {} : { storage }) };
    result['resources'] = { ...spec.resources, requests };
  }
  if (bound) keep('volumeAttributesClassName');
  return result;
}

/** Less may be asked for after an expansion that failed, but never less than there is. */
function validateShrinking(spec: ClaimSpec, { spec: was, status }: PersistentVolumeClaim): readonly FieldError[] {
  const amount = (text: string | undefined) => parseQuantity(text ?? '0') as Quantity;
  const size = amount(spec.resources?.requests?.['storage']);
  if (compareQuantities(size, amount(was?.resources?.requests?.['storage'])) >= 0) return [];
  if (compareQuantities(size, amount(status?.capacity?.['storage'])) > 0) return [];
  return [forbiddenField('spec.resources.requests.storage', 'field can not be less than status.capacity')];
}

/** A class that is in force cannot be taken away. */
function validateAttributes(spec: ClaimSpec, was: ClaimSpec, current: string | undefined): readonly FieldError[] {
  const { volumeAttributesClassName: now } = spec;
  if (current === undefined || now === was.volumeAttributesClassName || now) return [];
  const to = now === undefined ? 'nil' : 'empty string';
  const why = `update to ${to} is forbidden when status.currentVolumeAttributesClassName is not nil`;
  return [forbiddenField('spec.volumeAttributesClassName', why)];
}

const resizing = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
];

/** What controllers report: amounts are amounts, and growth is at a known stage. */
export function validateClaimStatus(next: PersistentVolumeClaim, dialect: Dialect): readonly FieldError[] {
  const { capacity = {}, allocatedResources = {}, allocatedResourceStatuses: stages = {} } = next.status ?? {};
  const stagesAt = 'status.allocatedResourceStatuses';
  const amountsAt = 'status.allocatedResources';
  return [
    ...findEach(Object.entries(capacity), ([name, amount]) => validateBasic(amount, `status.capacity[${name}]`)),
    ...findEach(Object.entries(stages), ([name, stage]) => [
      ...validateResourceKey(name, dialect, stagesAt),
      ...(resizing.includes(stage) ? [] : [notSupported(stagesAt, name, resizing)]),
    ]),
    ...findEach(Object.entries(allocatedResources), ([name, amount]) => {
      const wrong = validateResourceKey(name, dialect, amountsAt);
      return wrong.length > 0 ? wrong : validateBasic(amount, `${amountsAt}[${name}]`);
    }),
  ];
}

/** Of the resources without a domain of their own, a claim knows one. */
function validateResourceKey(name: string, dialect: Dialect, at: string): ValidationErrors {
  const wrong = checked(at, name, checkQualifiedName);
  const isNative = !name.includes('/') || name.includes(labelKey(dialect, ''));
  return wrong.length > 0 || !isNative || name === 'storage' ? wrong : [notSupported(at, name, ['storage'])];
}
