// Every field of a value that was not there before, or is no longer. What is large is walked in steps: its node of the set
// is there at once, and filled later.

import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { Steps } from '../../base/steps.ts';
import { fieldElement } from '../fields/element.ts';
import { type FieldSet, leaf, self } from '../fields/field-set.ts';
import { elementOf } from './list-items.ts';
import { fieldValue, isAtomic, type KeyedList, type SetTopology, type Topology, untyped } from './topology.ts';

/** How many values a step looks at: about a millisecond. */
const stepValues = 2000;

type Node = Record<string, FieldSet>;

/** Members of one value that are still to be looked at. */
type Rest = () => boolean;

export class FieldWalk {
  #left = stepValues;
  readonly #rests: Rest[] = [];

  /** The value itself and every field in it; of large ones only what fits into a step. */
  allFields(topology: Topology, value: unknown): FieldSet {
    if (isAtomic(topology)) return leaf;
    const fields: Node = { [self]: leaf };
    if (topology.is === 'set' || topology.is === 'keyed') {
      const list = asList(value);
      if (list.length === 0) return leaf;
      this.#walk(list.length, (index) => addItem(this, topology, list[index], fields));
      return fields;
    }
    return isJsonObject(value) && this.#objectFields(topology, value, fields) ? fields : leaf;
  }

  /** Every field in a map or struct, without itself. */
  fieldsBelow(topology: Topology, value: JsonObject): FieldSet {
    const fields: Node = {};
    this.#objectFields(topology, value, fields);
    return fields;
  }

  /** Looks at what did not fit into the first step. */
  *rest(): Steps<void> {
    for (let rest = this.#rests.pop(); rest !== undefined; rest = this.#rests.pop()) {
      do {
        yield;
        this.#left = stepValues;
      } while (!rest());
    }
  }

  /** Whether there were any. They are not looked for afterwards: looking for one key of many takes as long as for all. */
  #objectFields(topology: Topology, value: JsonObject, fields: Node): boolean {
    let found = false;
    if (topology.is === 'struct') {
      for (const field of topology.tracked) {
        const member = fieldValue(value, field);
        if (member === undefined) continue;
        fields[field.element] = this.allFields(field.type, member);
        found = true;
      }
      if (topology.rest === undefined) return found;
    }
    const of = memberType(topology);
    const skip = topology.is === 'struct' ? topology.fields : undefined;
    const all = Object.keys(value);
    const keys = skip === undefined ? all : all.filter((key) => !skip.has(key));
    this.#walk(keys.length, (index) => {
      const key = keys[index] as string;
      fields[fieldElement(key)] = this.allFields(of, value[key]);
    });
    return found || keys.length > 0;
  }

  /** Looks at each of so many members, now or later. */
  #walk(count: number, look: (index: number) => void): void {
    let index = 0;
    const goOn: Rest = () => {
      for (; index < count && this.#left-- > 0; index++) look(index);
      return index === count;
    };
    if (!goOn()) this.#rests.push(goOn);
  }
}

function addItem(walk: FieldWalk, topology: KeyedList | SetTopology, item: unknown, fields: Node): void {
  const element = elementOf(topology, item);
  fields[element] = fields[element] === undefined ? walk.allFields(topology.of, item) : leaf;
}

/** Null and empty differ from each other, and from nothing else that has fields. */
export const isHollow = (value: unknown): boolean =>
  value === null || (Array.isArray(value) ? value.length === 0 : isJsonObject(value) && !hasKeys(value));

function hasKeys(object: object): boolean {
  for (const _ in object) return true;
  return false;
}

const noObject: JsonObject = {};
export const asObject = (value: unknown): JsonObject => (isJsonObject(value) ? value : noObject);
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The type of members that no struct declares. */
export function memberType(topology: Topology): Topology {
  if (topology.is === 'map') return topology.of;
  return (topology.is === 'struct' ? topology.rest : undefined) ?? untyped;
}
