// New claims and volumes get the finalizer that holds them while they are in use.

import { labelKey } from '../meta/dialect.ts';
import { withMeta } from '../meta/object.ts';
import type { StrategyContext } from '../schema/resource.ts';
import type { AdmissionPlugin } from './chain.ts';

export function storageInUseProtection({ dialect }: Pick<StrategyContext, 'dialect'>): AdmissionPlugin {
  return {
    name: 'StorageObjectInUseProtection',
    handles: (operation) => operation === 'CREATE',
    mutate({ object, definition, subresource }) {
      const { heldInUse } = definition;
      if (object === undefined || heldInUse === undefined || subresource !== '') return object;
      const finalizer = labelKey(dialect, heldInUse);
      const { finalizers = [] } = object.metadata;
      return finalizers.includes(finalizer) ? object : withMeta(object, { finalizers: [...finalizers, finalizer] });
    },
  };
}
