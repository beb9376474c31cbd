// metrics.k8s.io for simulated nodes, for `kubectl top`: a group-version that is computed from pods and rules when it is
// read. It is part of discovery like one that another server serves, and a metrics server that is registered comes first.

import type { Clock } from '../../base/time/clock.ts';
import { json } from '../../discovery/routes.ts';
import type { RemoteVersion, RemoteVersions } from '../../discovery/shown-apis.ts';
import type { Node } from '../../groups/core/v1/node/node-type.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { apiGroup, type Dialect } from '../../meta/dialect.ts';
import type { ApiResponse, Exchange } from '../../meta/exchange.ts';
import { matchesLabels } from '../../meta/label-selector.ts';
import type { ApiObject } from '../../meta/object.ts';
import { methodNotSupported, notFound } from '../../meta/status.ts';
import type { ObjectAccess, ResourceOf } from '../../schema/object-access.ts';
import { metricsVersion, usageOfNode, usageOfPod } from '../../simulation/agent/usage.ts';
import { isSimulatedNode } from '../../simulation/nodes/addresses.ts';
import { planOf } from '../../simulation/nodes/pod-plan.ts';
import { InvalidBehaviour } from '../../simulation/nodes/read-behaviour.ts';
import { SimulationRules } from '../../simulation/nodes/rules.ts';
import type { SimulationConfig } from '../../simulation/simulation-config.ts';

const pods: ResourceOf<Pod> = { group: '', version: 'v1', resource: 'pods' };
const nodes: ResourceOf<Node> = { group: '', version: 'v1', resource: 'nodes' };

interface MetricsParts {
  readonly simulation: SimulationConfig;
  readonly clock: Clock;
  readonly dialect: Dialect;
  readonly objects: ObjectAccess;
}

const kinds = { nodes: 'NodeMetrics', pods: 'PodMetrics' } as const;
type Plural = keyof typeof kinds;

const isPlural = (resource: string): resource is Plural => Object.hasOwn(kinds, resource);

export class SimulatedMetrics {
  readonly #parts: MetricsParts;
  readonly #rules: SimulationRules;
  readonly #group: string;

  constructor(parts: MetricsParts) {
    this.#parts = parts;
    this.#rules = new SimulationRules(parts.simulation.rules);
    this.#group = apiGroup(parts.dialect, 'metrics');
  }

  get #isOn(): boolean {
    return this.#parts.simulation.nodes > 0;
  }

  /** What other servers serve, and this group-version unless one of them does. */
  besides(remote: RemoteVersions): RemoteVersions {
    if (!this.#isOn) return remote;
    const own = this.#shown();
    const isTaken = (versions: readonly RemoteVersion[]) => versions.some(({ group }) => group === own.group);
    let last: { readonly of: readonly RemoteVersion[]; readonly versions: readonly RemoteVersion[] } | undefined;
    return {
      get versions() {
        const of = remote.versions;
        if (last?.of !== of) last = { of, versions: isTaken(of) ? of : [...of, own] };
        return last.versions;
      },
      get localPriorities() {
        return remote.localPriorities;
      },
      get unlisted() {
        return remote.unlisted;
      },
    };
  }

  #shown(): RemoteVersion {
    const group = this.#group;
    const discovered = (Object.keys(kinds) as Plural[]).map((resource) => ({
      resource,
      responseKind: { group, version: metricsVersion, kind: kinds[resource] },
      scope: resource === 'pods' ? 'Namespaced' : 'Cluster',
      singularResource: '',
      verbs: ['get', 'list'],
    }));
    return {
      ...{ group, version: metricsVersion, discovered, freshness: 'Current' },
      priority: { group: 100, version: 100 },
      ...{ openApiHash: undefined, convertedOpenApi: undefined, openApi: undefined },
    };
  }

  /** Undefined for requests about anything else. */
  answer(exchange: Exchange): Promise<ApiResponse> | undefined {
    if (!this.#isOn) return undefined;
    const { info } = exchange;
    if (info.path.replace(/\/$/, '') === `/apis/${this.#group}/${metricsVersion}`) return Promise.resolve(this.#list());
    if (!info.isResource || info.group !== this.#group || info.version !== metricsVersion) return undefined;
    return this.#read(exchange);
  }

  #list(): ApiResponse {
    const resources = Object.entries(kinds).map(([name, kind]) => ({
      ...{ name, singularName: '', namespaced: name === 'pods', kind, verbs: ['get', 'list'] },
    }));
    const groupVersion = `${this.#group}/${metricsVersion}`;
    return json({ kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources });
  }

  async #read(exchange: Exchange): Promise<ApiResponse> {
    const { resource, verb, name, subresource } = exchange.info;
    const subject = { group: this.#group, resource, name };
    if (!isPlural(resource) || subresource !== '') throw notFound(subject);
    if (verb !== 'get' && verb !== 'list') throw methodNotSupported(subject, verb);
    const items = await (resource === 'pods' ? this.#pods(exchange) : this.#nodes(exchange));
    const type = { kind: kinds[resource], apiVersion: `${this.#group}/${metricsVersion}` };
    if (verb === 'list') return json({ ...type, kind: `${type.kind}List`, metadata: {}, items });
    const [item] = items;
    if (item === undefined) throw notFound(subject);
    return json({ ...type, ...item });
  }

  async #pods({ info, labelSelector }: Exchange): Promise<readonly object[]> {
    const all = await this.#parts.objects.list(pods, info.namespace);
    const selected = all.filter(
      ({ metadata }) => isWanted(metadata, info.name) && matchesLabels(labelSelector, metadata.labels),
    );
    return selected.flatMap((pod) => this.#usageOf(pod) ?? []);
  }

  async #nodes({ info, labelSelector }: Exchange): Promise<readonly object[]> {
    const { objects, simulation, clock } = this.#parts;
    const all = await objects.list(nodes, '');
    const selected = all.filter(
      ({ metadata }) =>
        isWanted(metadata, info.name) &&
        matchesLabels(labelSelector, metadata.labels) &&
        isSimulatedNode(metadata.name ?? '', simulation.nodes),
    );
    const running = await objects.list(pods, '');
    return selected.map(({ metadata: { name, labels, creationTimestamp } }) => {
      const own = running.filter(({ spec }) => spec?.nodeName === name).flatMap((pod) => this.#usageOf(pod) ?? []);
      return { metadata: { name, labels, creationTimestamp }, ...usageOfNode(own, clock.now()) };
    });
  }

  #usageOf(pod: Pod) {
    if (!isSimulatedNode(pod.spec?.nodeName ?? '', this.#parts.simulation.nodes)) return undefined;
    const now = this.#parts.clock.now();
    try {
      return usageOfPod(pod, planOf(pod, this.#rules), now);
    } catch (error) {
      if (error instanceof InvalidBehaviour) return usageOfPod(pod, planOf(pod, this.#rules, true), now);
      throw error;
    }
  }
}

const isWanted = (metadata: ApiObject['metadata'], name: string): boolean => name === '' || metadata.name === name;
