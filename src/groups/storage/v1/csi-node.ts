// CSINode: lists the CSI drivers installed on a node; its name equals the node's name.

import { isSameJson } from '../../../base/json/json.ts';
import { duplicate, invalidValue, required } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { checkQualifiedName, checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { FieldError } from '../../../meta/status.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { field, type Infer, int32, listOf, string, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { inReferenceForm } from '../../../wording/types/reference-form.ts';
import { ageColumn } from '../../columns.ts';
import { validateDriverName } from '../../core/v1/volume/storage-source-rules.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { repeatsIn } from '../../rules.ts';

const home = 'storage/v1';

const volumeNodeResources = struct(home, 'VolumeNodeResources', 'Volume limits of a driver on one node.', () => ({
  count: field(1, int32, {
    pointer: true,
    about: 'Most volumes of the driver usable on the node at once; unset means no limit.',
  }),
}));

const csiNodeDriver = struct(home, 'CSINodeDriver', 'One CSI driver as installed on a node.', () => ({
  name: field(1, string, { always: true, required: true, about: 'Name of the driver, as in its CSIDriver object.' }),
  nodeID: field(2, string, { always: true, required: true, about: 'How the driver itself identifies this node.' }),
  topologyKeys: field(3, listOf(string), {
    always: true,
    listType: 'atomic',
    about: 'Node label keys that the driver uses to express where volumes are reachable.',
  }),
  allocatable: field(4, volumeNodeResources, {
    pointer: true,
    about: 'How many volumes the driver can serve on this node.',
  }),
}));

const csiNodeSpec = struct(home, 'CSINodeSpec', 'Drivers registered on a node.', () => ({
  drivers: field(1, listOf(csiNodeDriver), {
    always: true,
    required: true,
    listType: 'map',
    mapKeys: ['name'],
    patchStrategy: 'merge',
    patchMergeKey: 'name',
    about: 'One entry per driver name; may be empty when none is installed.',
  }),
}));

const csiNodeType = struct(
  home,
  'CSINode',
  "Lists the CSI drivers installed on a node; its name equals the node's name.",
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, csiNodeSpec, { always: true, required: true, about: 'The drivers registered on the node.' }),
  }),
);

type CSINode = ApiObject & Infer<typeof csiNodeType>;

type Driver = Infer<typeof csiNodeDriver>;

const maxNodeId = 256;
const driversOf = (object: CSINode): readonly Driver[] => object.spec?.drivers ?? [];

function validate(object: CSINode): readonly FieldError[] {
  const drivers = driversOf(object);
  const isRepeated = repeatsIn(drivers.map(({ name }) => name));
  return findEach(drivers, (driver, index) => {
    const at = `spec.drivers[${index}]`;
    return [...validateDriver(driver, at), ...(isRepeated(index) ? [duplicate(`${at}.name`, driver.name)] : [])];
  });
}

function validateDriver({ name = '', nodeID = '', topologyKeys, allocatable }: Driver, at: string) {
  const keys = topologyKeys ?? [];
  const isRepeated = repeatsIn(keys);
  const count = allocatable?.count ?? 0;
  const tooLongId = `must be ${maxNodeId} characters or less`;
  return [
    ...validateDriverName(name, `${at}.name`),
    ...(nodeID === '' ? [required(`${at}.nodeID`)] : []),
    ...(nodeID.length > maxNodeId ? [invalidValue(`${at}.nodeID`, nodeID, tooLongId)] : []),
    ...(count < 0 ? [invalidValue(`${at}.allocatable.count`, count, 'must be greater than or equal to 0')] : []),
    // compat: what is wrong with a topology key of a CSINode is reported at the driver
    ...findEach(keys, (key, index) => [
      ...(key === '' ? [required(at)] : []),
      ...(isRepeated(index) ? [duplicate(at, key)] : []),
      ...checkQualifiedName(key).map((e) => invalidValue(at, key, e)),
    ]),
  ];
}

/** Drivers come and go; of one that stays only the number of volumes changes. */
function validateUpdate(next: CSINode, old: CSINode): readonly FieldError[] {
  const fixed = ({ allocatable: _, ...driver }: Driver) => driver;
  const before = new Map(driversOf(old).map((driver) => [driver.name, driver]));
  return findEach(driversOf(next), (driver) => {
    const was = before.get(driver.name);
    if (was === undefined || isSameJson(fixed(driver), fixed(was))) return [];
    return [invalidValue('spec.drivers', inReferenceForm('CSINodeDriver', fixed(driver)), 'field is immutable')];
  });
}

export const csiNode = defineKind(csiNodeType, {
  kind: 'CSINode',
  plural: 'csinodes',
  namespaced: false,
  verbs: allVerbs,
  checkName: checkSubdomain,
  quirks: { returnsDeleted: true, conditionalUpdateOnly: true },
  columns: [
    nameColumn,
    {
      name: 'Drivers',
      type: 'integer',
      about: 'How many drivers the node has.',
      priority: 0,
      cell: (object) => driversOf(object).length,
    },
    ageColumn,
  ],
  strategy: { updateChecks: { metaChange: 0 }, validate, validateUpdate },
});
