// Which objects are needed on which node, kept current from pods, volumes and attachments.

import { bufferOf } from '../../base/bytes.ts';
import {
  claimOf,
  nodeOf,
  podReferences,
  type Referenced,
  volumeSecrets,
} from '../../groups/core/v1/pod/pod-references.ts';
import type { ApiObject } from '../../meta/object.ts';

export type NodeGraphPart = 'pods' | 'persistentvolumes' | Owned;
/** Objects that name their node. */
type Owned = 'volumeattachments' | 'resourceslices' | 'podcertificaterequests';

/** What one pod brings to its node, as `resource namespace/name`. */
interface Placed {
  readonly node: string;
  readonly needs: readonly string[];
}

interface Volume {
  readonly claim: string;
  readonly secrets: readonly string[];
}

/** A label may look like it; then the pod is parsed. */
const nodeField = Buffer.from('"nodeName":"');

const vertex = (resource: string, namespace: string, name: string) => `${resource} ${namespace}/${name}`;

export class NodeGraph {
  readonly #pods = new Map<string, Placed>();
  /** For each node, how many of its pods need an object. */
  readonly #needs = new Map<string, Map<string, number>>();
  readonly #volumes = new Map<string, Volume>();
  /** Where attachments, slices and requests are, and the node they are of. */
  readonly #owned: Readonly<Record<Owned, Map<string, string>>> = {
    volumeattachments: new Map(),
    resourceslices: new Map(),
    podcertificaterequests: new Map(),
  };
  readonly #mirrorAnnotation: string;

  constructor(mirrorAnnotation: string) {
    this.#mirrorAnnotation = mirrorAnnotation;
  }

  /** Whether a pod on the node needs the object, or a volume that such a pod uses. */
  needs(node: string, resource: Referenced | 'pods', namespace: string, name: string): boolean {
    const own = this.#needs.get(node);
    if (own === undefined) return false;
    if (own.has(vertex(resource, namespace, name))) return true;
    return (
      resource === 'secrets' && this.#volumesOf(own).some(({ secrets }) => secrets.includes(`${namespace}/${name}`))
    );
  }

  needsVolume(node: string, name: string): boolean {
    const claim = this.#volumes.get(name)?.claim ?? '';
    return claim !== '' && this.#needs.get(node)?.has(`persistentvolumeclaims ${claim}`) === true;
  }

  owns(node: string, part: Owned, namespace: string, name: string): boolean {
    return this.#owned[part].get(`${namespace}/${name}`) === node;
  }

  /** Pods without a node bring nothing to any: their text shows it. */
  concerns(part: NodeGraphPart, json: Uint8Array): boolean {
    return part !== 'pods' || bufferOf(json).includes(nodeField);
  }

  put(part: NodeGraphPart, object: ApiObject): void {
    const name = object.metadata.name ?? '';
    if (part === 'pods') this.#place(object);
    else if (part === 'persistentvolumes')
      this.#volumes.set(name, { claim: claimOf(object), secrets: volumeSecrets(object) });
    else this.#owned[part].set(keyOf(object), nodeOf(object));
  }

  remove(part: NodeGraphPart, object: ApiObject): void {
    const name = object.metadata.name ?? '';
    if (part === 'pods') this.#unplace(keyOf(object));
    else if (part === 'persistentvolumes') this.#volumes.delete(name);
    else this.#owned[part].delete(keyOf(object));
  }

  clear(part: NodeGraphPart): void {
    if (part === 'pods') {
      this.#pods.clear();
      this.#needs.clear();
    } else if (part === 'persistentvolumes') this.#volumes.clear();
    else this.#owned[part].clear();
  }

  #volumesOf(needs: ReadonlyMap<string, number>): Volume[] {
    return [...this.#volumes.values()].filter(
      ({ claim }) => claim !== '' && needs.has(`persistentvolumeclaims ${claim}`),
    );
  }

  #place(pod: ApiObject): void {
    const key = keyOf(pod);
    this.#unplace(key);
    const node = nodeOf(pod);
    if (node === '') return;
    const { namespace = '', name = '', annotations } = pod.metadata;
    // a node makes mirror pods itself: they must not open anything to it
    const references = annotations?.[this.#mirrorAnnotation] === undefined ? podReferences(pod) : [];
    const referencedVertices = references.map((reference) => vertex(reference.resource, namespace, reference.name));
    const needs = [...new Set([vertex('pods', namespace, name), ...referencedVertices])];
    this.#pods.set(key, { node, needs });
    const counts = this.#needs.get(node) ?? new Map<string, number>();
    this.#needs.set(node, counts);
    for (const need of needs) counts.set(need, (counts.get(need) ?? 0) + 1);
  }

  #unplace(key: string): void {
    const entry = this.#pods.get(key);
    if (entry === undefined) return;
    this.#pods.delete(key);
    const counts = this.#needs.get(entry.node);
    for (const need of entry.needs) {
      const left = (counts?.get(need) ?? 1) - 1;
      if (left > 0) counts?.set(need, left);
      else counts?.delete(need);
    }
    if (counts?.size === 0) this.#needs.delete(entry.node);
  }
}

const keyOf = ({ metadata: { namespace = '', name = '' } }: ApiObject) => `${namespace}/${name}`;
