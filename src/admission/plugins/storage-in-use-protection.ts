// New claims and volumes get the finalizer that holds them while they are in use.

import { labelKey } from '../../meta/dialect.ts';
import { withMeta } from '../../meta/object.ts';
import type { AdmissionEngines } from '../engines.ts';
import { type AdmissionPlugin, creates } from '../plugin.ts';

export function storageInUseProtection({ dialect }: Pick<AdmissionEngines, 'dialect'>): AdmissionPlugin {
  return {
    name: 'StorageObjectInUseProtection',
    operations: creates,
    covers: ({ deletion }, subresource) => deletion?.heldInUse !== undefined && subresource === '',
    mutate({ object, definition }) {
      const { heldInUse } = definition.deletion ?? {};
      if (object === undefined || heldInUse === undefined) return object;
      const finalizer = labelKey(dialect, heldInUse);
      const { finalizers = [] } = object.metadata;
      return finalizers.includes(finalizer) ? object : withMeta(object, { finalizers: [...finalizers, finalizer] });
    },
  };
}
