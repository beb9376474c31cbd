// How long it takes to keep in mind what nodes may read, under kube-apiserver's names.

import type { NodeGraph, NodeGraphPart } from '../authz/node/node-graph.ts';
import type { ApiObject } from '../meta/object.ts';
import type { MetricSource } from './metric-source.ts';
import { SecondsTable } from './number-table.ts';

/** From a tenth of a millisecond, each twice the one before. */
const bounds = Array.from({ length: 12 }, (_, at) => (0.1 * 2 ** at) / 1000);

const labels: Readonly<Record<NodeGraphPart, string>> = {
  pods: 'Pod',
  persistentvolumes: 'PV',
  volumeattachments: 'VolumeAttachment',
  resourceslices: 'ResourceSlice',
  podcertificaterequests: 'PodCertificateRequest',
};

export class GraphMetrics {
  readonly #seconds = new SecondsTable('node_authorizer_graph_actions_duration_seconds', bounds);

  get source(): MetricSource {
    return this.#seconds.source;
  }

  /** Wraps a graph and measures the time of its changes. */
  timing(graph: NodeGraph): Pick<NodeGraph, 'clear' | 'concerns' | 'put' | 'remove'> {
    const timed = (operation: string, work: () => void) => {
      const began = performance.now();
      work();
      this.#seconds.observe({ operation }, (performance.now() - began) / 1000);
    };
    return {
      clear: (part) => graph.clear(part),
      concerns: (part, json) => graph.concerns(part, json),
      put: (part: NodeGraphPart, object: ApiObject) => timed(`Add${labels[part]}`, () => graph.put(part, object)),
      remove: (part, object) => timed(`Delete${labels[part]}`, () => graph.remove(part, object)),
    };
  }
}
