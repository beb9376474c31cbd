// TaintNodesByCondition: nothing is scheduled on a new node before it is ready.

import type { Node } from '../../groups/core/v1/node/node-type.ts';
import { nodeTaint } from '../../meta/dialect.ts';
import type { AdmissionEngines } from '../engines.ts';
import { type AdmissionPlugin, creates, objectsOf } from '../plugin.ts';

export function taintNodesByCondition({ dialect }: Pick<AdmissionEngines, 'dialect'>): AdmissionPlugin {
  const taint = { key: nodeTaint(dialect, 'not-ready'), effect: 'NoSchedule' };
  return {
    name: 'TaintNodesByCondition',
    operations: creates,
    covers: objectsOf('', 'nodes'),
    mutate({ object }) {
      const node = object as Node;
      const taints = node.spec?.taints ?? [];
      if (taints.some(({ key, effect }) => key === taint.key && effect === taint.effect)) return object;
      return { ...node, spec: { ...node.spec, taints: [...taints, taint] } };
    },
  };
}
