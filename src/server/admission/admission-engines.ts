// What admission plugins use of the rest of the server.

import type { AdmissionEngines } from '../../admission/engines.ts';
import type { Clock } from '../../base/time/clock.ts';
import { decodeObject } from '../../codec/decode-object.ts';
import type { Resources } from '../../registry/resources.ts';
import type { ResourceDefinition } from '../../schema/resource.ts';
import { ResourceFollower } from '../resource-follower.ts';

/** Those who keep something in memory equal to what is stored. */
export class Followers {
  readonly #resources: Resources;
  readonly #clock: Clock;
  readonly #followers: ResourceFollower[] = [];
  #isFollowing = false;

  constructor(resources: Resources, clock: Clock) {
    this.#resources = resources;
    this.#clock = clock;
  }

  readonly follow: AdmissionEngines['follow'] = ({ group, version, resource }, follower) => {
    const served = this.#resources.find(group, version, resource);
    if (served !== undefined) this.#followers.push(new ResourceFollower(served.registry, this.#clock, follower));
  };

  /** Resolves when everything that is stored has been told; a second start does nothing. */
  async start(): Promise<void> {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    await Promise.all(this.#followers.map((follower) => follower.start()));
  }

  close(): void {
    for (const follower of this.#followers) follower.close();
  }
}

type ObjectEngines = Pick<AdmissionEngines, 'resourceOf' | 'equivalents' | 'convert' | 'complete' | 'onServedChange'>;

export function objectEngines(resources: Resources): ObjectEngines {
  let equivalents = new Map<string, readonly ResourceDefinition[]>();
  resources.onChange(() => {
    equivalents = new Map();
  });
  return {
    resourceOf: (group, version, kind) =>
      resources.findGroupVersion(group, version)?.resources.find((one) => one.kind === kind),
    equivalents(definition, subresource) {
      const key = `${definition.group}/${definition.version}/${definition.plural}/${subresource}`;
      const known = equivalents.get(key) ?? equivalentsOf(resources, definition, subresource);
      equivalents.set(key, known);
      return known;
    },
    convert: (object, to, during) => resources.versionsOf(to).convert(object, to, during),
    complete(definition, value, known) {
      const { object, unknownFields } = decodeObject(definition, value, { known });
      const served = resources.find(definition.group, definition.version, definition.plural);
      const { strategy = {}, context } = served?.registry ?? {};
      return { object: context && strategy.defaults ? strategy.defaults(object, context) : object, unknownFields };
    },
    onServedChange: (listener) => void resources.onChange(listener),
  };
}

/** What is kept in one place is one resource, in whatever group and version it is served. */
function equivalentsOf(
  resources: Resources,
  definition: ResourceDefinition,
  subresource: string,
): readonly ResourceDefinition[] {
  const all = [...resources.all()].filter(
    (one) => one.definition !== definition && one.definition.storagePrefix === definition.storagePrefix,
  );
  const having = subresource === '' ? all : all.filter((one) => one.subresource(subresource) !== undefined);
  return having.map((one) => one.definition);
}
