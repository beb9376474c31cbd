// The node that a pod is on, for plugins that cannot do without it.

import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Node } from '../../groups/core/v1/node/node-type.ts';
import type { Lookup } from '../lookup.ts';
import { type AdmissionRequest, refusal } from '../plugin.ts';

const nodes = { group: '', version: 'v1', resource: 'nodes' };

export function nodeOfPod(objects: Lookup, request: AdmissionRequest, name: string): MaybePromise<Node> {
  return andThen(objects.get(nodes, { namespace: '', name }), (node) => {
    if (node === undefined) throw refusal(request, `node ${JSON.stringify(name)} not found`);
    return node as Node;
  });
}
