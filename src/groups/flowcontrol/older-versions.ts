// Flow control before v1beta3: shares of a priority level were called assured.

import type { ApiObject } from '../../meta/object.ts';
import type { Deprecation } from '../../schema/resource.ts';
import { field, type Infer, int32, string, struct } from '../../schema/types.ts';
import { convertedKind } from '../converted-kind.ts';
import type { GroupVersionSpec } from '../group-version.ts';
import { objectMeta } from '../meta/v1/types.ts';
import { sameShape } from '../same-shape.ts';
import { flowSchema } from './v1/flow-schema.ts';
import { priorityLevelConfiguration } from './v1/priority-level-configuration.ts';
import {
  exemptPriorityLevelConfiguration,
  limitResponse,
  type PriorityLevelConfiguration,
  priorityLevelConfigurationStatus,
} from './v1/priority-level-configuration-type.ts';

const group = 'flowcontrol.apiserver';
const home = 'flowcontrol/v1beta2';

const limited = struct(
  home,
  'LimitedPriorityLevelConfiguration',
  'How requests of a limited level are throttled.',
  () => ({
    assuredConcurrencyShares: field(1, int32, {
      always: true,
      about: 'Weight of this level when seats are shared out.',
    }),
    limitResponse: field(2, limitResponse, {
      always: true,
      about: 'What happens to requests that cannot run at once.',
    }),
    lendablePercent: field(3, int32, { pointer: true, about: 'Part of the seats that others may borrow.' }),
    borrowingLimitPercent: field(4, int32, {
      pointer: true,
      about: 'How much may be borrowed, in percent of the seats.',
    }),
  }),
);

const spec = struct(home, 'PriorityLevelConfigurationSpec', 'How a priority level treats its requests.', () => ({
  type: field(1, string, { always: true, required: true, about: 'Exempt or Limited.' }),
  limited: field(2, limited, { pointer: true, about: 'Settings of a limited level.' }),
  exempt: field(3, exemptPriorityLevelConfiguration, { pointer: true, about: 'Settings of an exempt level.' }),
}));

const type = struct(home, 'PriorityLevelConfiguration', 'How requests of one priority are limited.', () => ({
  metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
  spec: field(2, spec, { always: true, about: 'What is wanted.' }),
  status: field(3, priorityLevelConfigurationStatus, { always: true, about: 'What was last seen.' }),
}));

type OldLevel = ApiObject & Infer<typeof type>;

function toStorage(object: OldLevel): ApiObject {
  const { spec: old } = object;
  if (old?.limited === undefined) return object;
  const { assuredConcurrencyShares: nominalConcurrencyShares, ...rest } = old.limited;
  return { ...object, spec: { ...old, limited: { nominalConcurrencyShares, ...rest } } };
}

function fromStorage(object: PriorityLevelConfiguration): ApiObject {
  const { spec: current } = object;
  if (current?.limited === undefined) return object;
  const { nominalConcurrencyShares: assuredConcurrencyShares, ...rest } = current.limited;
  return { ...object, spec: { ...current, limited: { assuredConcurrencyShares, ...rest } } };
}

/** compat: zero shares became thirty before zero could be meant */
function defaultShares(object: OldLevel): OldLevel {
  const { spec: old } = object;
  if (old?.limited === undefined || old.limited.assuredConcurrencyShares) return object;
  return { ...object, spec: { ...old, limited: { ...old.limited, assuredConcurrencyShares: 30 } } };
}

/** The two oldest versions differ in name only. */
export function olderFlowControl(version: 'v1beta1' | 'v1beta2', since: number, removed: number): GroupVersionSpec {
  const deprecated = (kind: string): Deprecation => ({
    since,
    removed,
    replacement: { group, version: 'v1beta3', kind },
    ...(version === 'v1beta1' ? { listedReplacement: { group, version: 'v1beta2', kind } } : {}),
  });
  return {
    group,
    version,
    priority: { group: 16100, version: version === 'v1beta1' ? 12 : 15 },
    offByDefault: true,
    kinds: [
      sameShape(flowSchema, `flowcontrol/${version}`, deprecated('FlowSchema')),
      convertedKind(priorityLevelConfiguration, {
        type,
        conversion: { toStorage, fromStorage },
        defaults: (object: OldLevel, context) => {
          const shared = defaultShares(object);
          const made = priorityLevelConfiguration.strategy?.defaults?.(toStorage(shared), context);
          return made === undefined ? shared : fromStorage(made as PriorityLevelConfiguration);
        },
        deprecated: deprecated('PriorityLevelConfiguration'),
      }),
    ],
  };
}
