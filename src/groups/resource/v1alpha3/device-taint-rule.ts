// DeviceTaintRule: puts a taint on all devices that match a selector.

import { tooMany } from '../../../meta/field-errors.ts';
import { checkLabelName, checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { formatTime } from '../../../meta/time.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import type { StrategyContext } from '../../../schema/strategy.ts';
import { field, type Infer, listOf, string, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn } from '../../columns.ts';
import { validateConditionList } from '../../meta/v1/condition-rules.ts';
import { condition, objectMeta } from '../../meta/v1/types.ts';
import { checked, type ValidationErrors } from '../../rules.ts';
import { statusOnly } from '../../subresources.ts';
import { validateDriver, validatePoolName, validateTaint } from '../v1/device-names.ts';
import { deviceTaintFields } from '../v1/resource-slice-type.ts';

const home = 'resource/v1alpha3';

const deviceTaintSelector = struct(
  home,
  'DeviceTaintSelector',
  'Chooses devices by driver, pool and name; every field given must match.',
  () => ({
    driver: field(2, string, { pointer: true, about: 'Only devices of this driver are selected.' }),
    pool: field(3, string, {
      pointer: true,
      about: 'Only devices in this pool are selected; also give driver to be exact.',
    }),
    device: field(4, string, {
      pointer: true,
      about: 'Only devices with this name are selected; also give driver and pool to be exact.',
    }),
  }),
);

const aboutTaint = 'A mark on a device that keeps away claims not tolerating it.';
const deviceTaint = struct(home, 'DeviceTaint', aboutTaint, deviceTaintFields);

const deviceTaintRuleSpec = struct(home, 'DeviceTaintRuleSpec', 'Desired taint and the devices that get it.', () => ({
  deviceSelector: field(1, deviceTaintSelector, {
    pointer: true,
    about: 'Devices to taint; {} selects all devices, and leaving it out selects none.',
  }),
  taint: field(2, deviceTaint, { always: true, required: true, about: 'The taint that the selected devices get.' }),
}));

const deviceTaintRuleStatus = struct(home, 'DeviceTaintRuleStatus', 'Observed state of a taint rule.', () => ({
  conditions: field(1, listOf(condition), {
    listType: 'map',
    mapKeys: ['type'],
    patchStrategy: 'merge',
    patchMergeKey: 'type',
    about: 'Current observations, such as EvictionInProgress, at most one per type.',
  }),
}));

const deviceTaintRuleType = struct(
  home,
  'DeviceTaintRule',
  'Puts a taint on all devices that match a selector.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, deviceTaintRuleSpec, { always: true, required: true, about: 'The devices and the taint.' }),
    status: field(3, deviceTaintRuleStatus, {
      always: true,
      about: "Progress of the taint's effect, such as evictions; set by the controller.",
    }),
  }),
);

type DeviceTaintRule = ApiObject & Infer<typeof deviceTaintRuleType>;

type Spec = NonNullable<DeviceTaintRule['spec']>;
const specOf = (object: DeviceTaintRule): Spec => object.spec ?? {};

/** A taint counts from the moment it is there. */
function defaults(object: DeviceTaintRule, { clock }: StrategyContext): ApiObject {
  const spec = specOf(object);
  if (!spec.taint || spec.taint.timeAdded) return object;
  return { ...object, spec: { ...spec, taint: { ...spec.taint, timeAdded: formatTime(clock.now()) } } };
}

function validate(object: DeviceTaintRule): ValidationErrors {
  const { deviceSelector: selected = {}, taint = {} } = specOf(object);
  return [
    ...(selected.driver === undefined ? [] : validateDriver(selected.driver, 'spec.deviceSelector.driver')),
    ...(selected.pool === undefined ? [] : validatePoolName(selected.pool, 'spec.deviceSelector.pool')),
    ...(selected.device === undefined ? [] : checked('spec.deviceSelector.device', selected.device, checkLabelName)),
    ...validateTaint(taint, 'spec.taint'),
  ];
}

const mostConditions = 8;

function validateStatus(object: DeviceTaintRule): ValidationErrors {
  const { conditions = [] } = object.status ?? {};
  const at = 'status.conditions';
  return [
    ...validateConditionList(conditions, at),
    ...(conditions.length > mostConditions ? [tooMany(at, conditions.length, mostConditions)] : []),
  ];
}

export const deviceTaintRule = defineKind(deviceTaintRuleType, {
  kind: 'DeviceTaintRule',
  plural: 'devicetaintrules',
  namespaced: false,
  verbs: allVerbs,
  deprecated: { since: 36, removed: 39 },
  checkName: checkSubdomain,
  quirks: { returnsDeleted: true },
  columns: [nameColumn, ageColumn],
  generationIgnores: ['status'],
  subresources: [{ ...statusOnly, validateUpdate: validateStatus }],
  strategy: { updateChecks: { meta: 0 }, defaults, validate },
});
