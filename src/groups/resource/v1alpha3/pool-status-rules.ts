// Requests for the state of resource pools: what may be asked, and what may be answered, once.

import { invalidValue, required, tooLong } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { checkSubdomain } from '../../../meta/names.ts';
import { validateConditionList } from '../../meta/v1/condition-rules.ts';
import { immutable, notNegative, requiredChecked, type ValidationErrors } from '../../rules.ts';
import { validateDriver, validatePoolName } from '../v1/device-names.ts';
import type { ResourcePoolStatusRequest } from './resource-pool-status-request-type.ts';

type Spec = NonNullable<ResourcePoolStatusRequest['spec']>;
type Pool = NonNullable<NonNullable<ResourcePoolStatusRequest['status']>['pools']>[number];

const mostPools = 1000;
const longestError = 256;

export function validatePoolStatusSpec({ driver, poolName, limit }: Spec): ValidationErrors {
  return [
    ...validateDriver(driver, 'spec.driver'),
    ...(poolName === undefined ? [] : validatePoolName(poolName, 'spec.poolName')),
    ...(limit === undefined || (limit >= 1 && limit <= mostPools)
      ? []
      : [
          invalidValue(
            'spec.limit',
            limit,
            limit < 1 ? 'must be greater than or equal to 1' : `must be less than or equal to ${mostPools}`,
          ),
        ]),
  ];
}

/** An answer is given once. */
export function validatePoolStatusUpdate(
  next: ResourcePoolStatusRequest,
  old: ResourcePoolStatusRequest,
): ValidationErrors {
  const { status } = next;
  const { status: was } = old;
  if (was !== undefined) return immutable('status', status, was);
  if (status === undefined) return [];
  const { pools = [], conditions, poolCount } = status;
  return [
    ...findEach(pools, (pool, index) => validatePool(pool, `status.pools[${index}]`)),
    ...validateConditionList(conditions, 'status.conditions'),
    ...(poolCount === undefined ? [required('status.poolCount')] : notNegative('status.poolCount', poolCount)),
  ];
}

const counts = ['totalDevices', 'allocatedDevices', 'availableDevices', 'unavailableDevices', 'generation'] as const;

function validatePool(pool: Pool, at: string): ValidationErrors {
  const { nodeName, resourceSliceCount: slices, validationError = '' } = pool;
  return [
    ...validateDriver(pool.driver, `${at}.driver`),
    ...validatePoolName(pool.poolName ?? '', `${at}.poolName`),
    ...(nodeName === undefined ? [] : requiredChecked(`${at}.nodeName`, nodeName, checkSubdomain)),
    ...counts.flatMap((name) => notNegative(`${at}.${name}`, pool[name])),
    ...(slices !== undefined && slices < 1
      ? [invalidValue(`${at}.resourceSliceCount`, slices, 'must be greater than or equal to 1')]
      : []),
    ...(Buffer.byteLength(validationError) > longestError ? [tooLong(`${at}.validationError`, longestError)] : []),
  ];
}
