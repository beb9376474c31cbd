// Rules: which containers behave how. The first rules of a list are the weakest; later ones override them field by field.

import { isJsonObject } from '../../base/json/json.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { type Behaviour, limits } from './behaviour.ts';
import { globMatcher } from './glob.ts';
import { InvalidBehaviour, readAnnotations, readBehaviour } from './read-behaviour.ts';

interface RuleMatch {
  /** Globs: `*` stands for any characters, `?` for one. */
  readonly namespace?: string;
  readonly name?: string;
  readonly container?: string;
  readonly image?: string;
  /** Labels that the pod has. */
  readonly labels?: Readonly<Record<string, string>>;
}

export interface SimulationRule {
  /** Matches every container without it. */
  readonly match?: RuleMatch;
  readonly behaviour: Behaviour;
}

interface Target {
  readonly pod: Pod;
  readonly container: string;
  readonly image: string;
}

interface ReadyRule {
  readonly behaviour: Behaviour;
  matches(target: Target): boolean;
}

export class SimulationRules {
  readonly #rules: readonly ReadyRule[];

  constructor(rules: readonly SimulationRule[] = []) {
    this.#rules = rules.map(({ match = {}, behaviour }) => ({ behaviour, matches: matcherOf(match) }));
  }

  /** Rules in order, then the annotations of the pod. Throws an InvalidBehaviour where an annotation is wrong. */
  behaviourOf(target: Target): Behaviour {
    let behaviour: Behaviour = {};
    for (const rule of this.#rules) if (rule.matches(target)) behaviour = { ...behaviour, ...rule.behaviour };
    for (const { container, behaviour: annotated } of readAnnotations(target.pod.metadata.annotations))
      if (container === '' || container === target.container) behaviour = { ...behaviour, ...annotated };
    return behaviour;
  }

  /** What the rules alone say. */
  withoutAnnotations(target: Target): Behaviour {
    const { annotations: _, ...metadata } = target.pod.metadata;
    return this.behaviourOf({ ...target, pod: { ...target.pod, metadata } });
  }
}

function matcherOf({ namespace, name, container, image, labels = {} }: RuleMatch): (target: Target) => boolean {
  const matches = {
    namespace: globMatcher(namespace),
    name: globMatcher(name),
    container: globMatcher(container),
    image: globMatcher(image),
  };
  const pairs = Object.entries(labels);
  return (target) => {
    const { metadata } = target.pod;
    return (
      matches.namespace(metadata.namespace ?? '') &&
      matches.name(metadata.name ?? '') &&
      matches.container(target.container) &&
      matches.image(target.image) &&
      pairs.every(([key, value]) => metadata.labels?.[key] === value)
    );
  };
}

const maxRules = 1000;
const maxPatternLength = 256;
const matchFields = new Set(['namespace', 'name', 'container', 'image', 'labels']);

/** Rules from a file or an option. Throws an InvalidBehaviour that names the place. */
export function readRules(value: unknown): readonly SimulationRule[] {
  if (!Array.isArray(value)) throw new InvalidBehaviour('must be a list of rules');
  if (value.length > maxRules) throw new InvalidBehaviour(`has ${value.length} rules; at most ${maxRules} are allowed`);
  return value.map((rule: unknown, index) => readRule(rule, `[${index}]`));
}

function readRule(rule: unknown, at: string): SimulationRule {
  if (!isJsonObject(rule)) throw new InvalidBehaviour(`${at}: must have the fields match and behaviour`);
  const unknown = Object.keys(rule).find((field) => field !== 'match' && field !== 'behaviour');
  if (unknown !== undefined) throw new InvalidBehaviour(`${at}.${unknown}: is not a field; use match and behaviour`);
  const { match = {}, behaviour } = rule;
  if (!isJsonObject(behaviour)) throw new InvalidBehaviour(`${at}.behaviour: must be set`);
  return {
    match: readMatch(match, `${at}.match`),
    behaviour: atPlace(`${at}.behaviour`, () => readBehaviour(behaviour)),
  };
}

function atPlace<T>(at: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof InvalidBehaviour ? new InvalidBehaviour(`${at}.${error.message}`) : error;
  }
}

function readMatch(match: unknown, at: string): RuleMatch {
  if (!isJsonObject(match)) throw new InvalidBehaviour(`${at}: must be an object`);
  for (const [field, value] of Object.entries(match)) {
    if (!matchFields.has(field))
      throw new InvalidBehaviour(`${at}.${field}: is not a field; use one of ${[...matchFields].join(', ')}`);
    if (field === 'labels') checkLabels(value, `${at}.labels`);
    else if (typeof value !== 'string' || value.length > maxPatternLength)
      throw new InvalidBehaviour(`${at}.${field}: must be a text of at most ${maxPatternLength} characters`);
  }
  return match as RuleMatch;
}

function checkLabels(labels: unknown, at: string): void {
  const isRight = isJsonObject(labels) && Object.values(labels).every((value) => typeof value === 'string');
  if (!isRight) throw new InvalidBehaviour(`${at}: must be an object of texts`);
  if (Object.keys(labels).length > limits.textLength) throw new InvalidBehaviour(`${at}: has too many labels`);
}
