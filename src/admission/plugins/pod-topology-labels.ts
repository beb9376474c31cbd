// PodTopologyLabels: a pod on a node says in which zone and region that is.

import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { topologyLabel } from '../../meta/dialect.ts';
import { type ApiObject, type Labels, withMeta } from '../../meta/object.ts';
import type { AdmissionEngines } from '../engines.ts';
import { type AdmissionPlugin, creates, objectsOf } from '../plugin.ts';

const nodes = { group: '', version: 'v1', resource: 'nodes' };

export function podTopologyLabels({
  dialect,
  objects,
  gates,
}: Pick<AdmissionEngines, 'dialect' | 'objects' | 'gates'>): AdmissionPlugin {
  const isAboutPods = objectsOf('', 'pods', 'binding');
  const keys = ['zone', 'region'].map((name) => topologyLabel(dialect, name));
  return {
    name: 'PodTopologyLabels',
    operations: creates,
    covers: (definition, subresource) => gates.PodTopologyLabelsAdmission && isAboutPods(definition, subresource),
    mutate({ object, subresource }) {
      const name = subresource === '' ? (object as Pod).spec?.nodeName : nodeOfBinding(object);
      if (object === undefined || !name) return object;
      return andThen(labelsOf(name), (labels) =>
        Object.keys(labels).length === 0
          ? object
          : withMeta(object, { labels: { ...object.metadata.labels, ...labels } }),
      );
    },
  };

  function labelsOf(name: string): MaybePromise<Labels> {
    return andThen(objects.get(nodes, { namespace: '', name }), (node) => {
      const found = keys.map((key) => [key, node?.metadata.labels?.[key]] as const);
      return Object.fromEntries(found.filter((one): one is readonly [string, string] => one[1] !== undefined));
    });
  }
}

/** What is bound to something else than a node gets no labels. */
function nodeOfBinding(object: ApiObject | undefined): string | undefined {
  const { target } = (object ?? {}) as { target?: { kind?: string; name?: string } };
  return target?.kind === 'Node' ? target.name : undefined;
}
