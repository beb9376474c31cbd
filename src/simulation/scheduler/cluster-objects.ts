// What the scheduler follows besides pods: nodes, namespaces, claims with their volumes, and disruption budgets.

import type { ControllerContext } from '../../controllers/controller.ts';
import type { Node } from '../../groups/core/v1/node/node-type.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import type { PersistentVolumeClaim } from '../../groups/core/v1/volume/persistent-volume-claim-type.ts';
import type { PersistentVolume } from '../../groups/core/v1/volume/persistent-volume-type.ts';
import { selects } from '../../groups/meta/v1/label-selector.ts';
import type { PodDisruptionBudget } from '../../groups/policy/v1/pod-disruption-budget.ts';
import type { StorageClass } from '../../groups/storage/v1/storage-class.ts';
import { apiGroup } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import { simulationKeys } from '../keys.ts';
import { cacheOf, type ObjectCache } from '../object-cache.ts';
import type { ClusterState } from './cluster-state.ts';
import { type NodeFacts, nodeFactsOf } from './node-entry.ts';
import type { PodEntry } from './pod-entry.ts';
import type { DisruptionBudget } from './preemption.ts';
import type { VolumeObjects } from './volumes.ts';

export class ClusterObjects {
  readonly #claims: ObjectCache<PersistentVolumeClaim>;
  readonly #volumes: ObjectCache<PersistentVolume>;
  readonly #classes: ObjectCache<StorageClass>;
  readonly #budgets: ObjectCache<PodDisruptionBudget>;
  readonly #pods: ObjectCache<Pod>;
  readonly #nodes: ObjectCache<Node>;
  readonly #namespaces: ObjectCache<ApiObject>;
  readonly #state: ClusterState;
  readonly lookup: VolumeObjects;

  /** Keeps nodes and namespaces of `state`; `onChange` is called when pods that found no node may find one. */
  constructor(context: ControllerContext, state: ClusterState, onChange: () => void) {
    this.#state = state;
    this.#pods = cacheOf<Pod>(context, '', 'pods');
    this.#nodes = cacheOf<Node>(context, '', 'nodes');
    this.#namespaces = cacheOf<ApiObject>(context, '', 'namespaces');
    this.#claims = cacheOf<PersistentVolumeClaim>(context, '', 'persistentvolumeclaims');
    this.#volumes = cacheOf<PersistentVolume>(context, '', 'persistentvolumes');
    this.#classes = cacheOf<StorageClass>(context, apiGroup(context.dialect, 'storage'), 'storageclasses');
    this.#budgets = cacheOf<PodDisruptionBudget>(context, 'policy', 'poddisruptionbudgets');
    this.lookup = this.#lookup(context);
    for (const cache of [this.#claims, this.#volumes, this.#classes]) cache.subscribe({ onChange });
    this.#nodes.subscribe({ onChange: (current, previous) => this.#onNode(current, previous) && onChange() });
    this.#namespaces.subscribe({ onChange: (current, previous) => this.#onNamespace(current, previous) && onChange() });
  }

  /** Takes over everything that is there. */
  load(): void {
    for (const node of this.#nodes.all()) this.#onNode(node, undefined);
    for (const namespace of this.#namespaces.all()) this.#onNamespace(namespace, undefined);
  }

  budgets(): readonly DisruptionBudget[] {
    return [...this.#budgets.all()].map(({ metadata, spec = {}, status = {} }) => ({
      covers: ({ namespace, labels }: PodEntry) =>
        namespace === metadata.namespace && spec.selector !== undefined && selects(spec.selector, labels),
      allowed: status.disruptionsAllowed ?? 0,
    }));
  }

  /** Whether placement depends on what changed. */
  #onNode(current: Node | undefined, previous: Node | undefined): boolean {
    if (current === undefined) {
      this.#state.removeNode(previous?.metadata.name ?? '');
      return false;
    }
    const facts = nodeFactsOf(current);
    const before = this.#state.node(facts.name)?.facts;
    if (before !== undefined && areEqual(before, facts)) return false;
    this.#state.setNode(facts);
    return true;
  }

  #onNamespace(current: ApiObject | undefined, previous: ApiObject | undefined): boolean {
    const { name = '', labels = {} } = (current ?? previous)?.metadata ?? {};
    if (current === undefined) this.#state.namespaceLabels.delete(name);
    else this.#state.namespaceLabels.set(name, labels);
    return false;
  }

  #lookup({ dialect }: ControllerContext): VolumeObjects {
    return {
      keys: simulationKeys(dialect),
      claim: (namespace, name) => this.#claims.get(`${namespace}/${name}`),
      volume: (name) => this.#volumes.get(name),
      volumes: () => this.#volumes.all(),
      storageClass: (name) => this.#classes.get(name),
      isClaimUsed: (namespace, name, exceptUid) => this.#isClaimUsed(namespace, name, exceptUid),
    };
  }

  #isClaimUsed(namespace: string, name: string, exceptUid: string): boolean {
    for (const { metadata, spec = {}, status = {} } of this.#pods.inNamespace(namespace)) {
      if (metadata.uid === exceptUid || !spec.nodeName || isEnded(status.phase)) continue;
      if (spec.volumes?.some((volume) => volume.persistentVolumeClaim?.claimName === name)) return true;
    }
    return false;
  }
}

export const isEnded = (phase: string | undefined): boolean => phase === 'Succeeded' || phase === 'Failed';

const textOf = ({ allocatable, ...rest }: NodeFacts): string => JSON.stringify([rest, [...allocatable]]);

const areEqual = (a: NodeFacts, b: NodeFacts): boolean => textOf(a) === textOf(b);
