// From a request to its flow: the first FlowSchema that matches, its priority level, and the queues that the flow may use.
// What was found is kept: the answer depends on few things, and clients repeat themselves.

import type { RequestInfo } from '../meta/request-info.ts';
import type { UserInfo } from '../meta/user.ts';
import type { FlowStats } from './flow-stats.ts';
import { matchesSchema, type SchemaObject } from './matching.ts';
import type { PriorityLevel } from './priority-level.ts';
import { dealHand, flowHash } from './shuffle-sharding.ts';

export interface Flow {
  readonly level: PriorityLevel;
  readonly stats: FlowStats;
  readonly distinguisher: string;
  /** Queues that the flow may use; empty where the level has none. */
  readonly hand: readonly number[];
  /** Of each answer. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Names of the headers that say where a request belongs. */
export interface FlowHeaders {
  readonly level: string;
  readonly schema: string;
}

/** A schema whose level exists. */
export interface UsableSchema {
  readonly schema: SchemaObject;
  readonly level: PriorityLevel;
}

/** Of all users together. */
const maxKept = 20_000;
const maxPathLength = 256;

type KeptFlows = Map<string, Flow>;

export class Classifier {
  readonly #schemas: readonly UsableSchema[];
  readonly #headers: FlowHeaders;
  #byUser = new WeakMap<UserInfo, KeptFlows>();
  #byName = new Map<string, KeptFlows>();
  #kept = 0;

  /** The last schema takes what matches no other. */
  constructor(schemas: readonly UsableSchema[], headers: FlowHeaders) {
    this.#headers = headers;
    this.#schemas = schemas.toSorted(byPrecedence);
  }

  get schemas(): readonly UsableSchema[] {
    return this.#schemas;
  }

  classify(user: UserInfo, info: RequestInfo): Flow {
    const key = info.isResource
      ? `${info.verb} ${info.group} ${info.resource}/${info.subresource} ${info.namespace}`
      : `${info.verb} ${info.path}`;
    const flows = this.#flowsOf(user);
    return flows.get(key) ?? this.#find(user, info, flows, key);
  }

  #find(user: UserInfo, info: RequestInfo, flows: KeptFlows, key: string): Flow {
    const usable = this.#schemas.find(({ schema }) => matchesSchema(schema, user, info)) ?? this.#schemas.at(-1);
    if (usable === undefined) throw new Error('there is no FlowSchema');
    const flow = flowOf(usable, user, info, this.#headers);
    if (info.path.length <= maxPathLength) {
      flows.set(key, flow);
      this.#count();
    }
    return flow;
  }

  #flowsOf(user: UserInfo): KeptFlows {
    const flows = this.#byUser.get(user);
    if (flows !== undefined) return flows;
    const name = JSON.stringify([user.name, user.groups]);
    const named = this.#byName.get(name) ?? new Map<string, Flow>();
    this.#byName.set(name, named);
    this.#byUser.set(user, named);
    this.#count();
    return named;
  }

  #count(): void {
    if (++this.#kept <= maxKept) return;
    this.#byUser = new WeakMap();
    this.#byName = new Map();
    this.#kept = 0;
  }
}

function byPrecedence({ schema: a }: UsableSchema, { schema: b }: UsableSchema): number {
  const order = precedence(a) - precedence(b);
  if (order !== 0) return order;
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;
}

const precedence = ({ spec }: SchemaObject) => spec?.matchingPrecedence ?? 0;

function flowOf(
  { schema: { metadata, spec }, level }: UsableSchema,
  user: UserInfo,
  info: RequestInfo,
  headers: FlowHeaders,
): Flow {
  const { queues, handSize } = level.settings;
  const method = queues > 1 ? spec?.distinguisherMethod?.type : undefined;
  const distinguisher = method === 'ByUser' ? user.name : method === 'ByNamespace' ? info.namespace : '';
  const name = metadata.name ?? '';
  return {
    level,
    stats: level.statsOf(name),
    distinguisher,
    hand: queues === 0 ? [] : dealHand(flowHash(name, distinguisher), queues, handSize),
    headers: {
      [headers.level]: level.uid,
      [headers.schema]: metadata.uid ?? '',
    },
  };
}
