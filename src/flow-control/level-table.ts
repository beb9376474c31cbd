// The priority levels and FlowSchemas that apply: those that are stored, and the mandatory ones where these are missing.

import { mandatorySpec } from '../groups/flowcontrol/v1/bootstrap.ts';
import { Classifier, type FlowHeaders, type UsableSchema } from './classifier.ts';
import { adjust } from './limits.ts';
import type { SchemaObject } from './matching.ts';
import { type LevelObject, type LevelParts, PriorityLevel } from './priority-level.ts';

const exempt = 'exempt';
const mandatoryNames = [exempt, 'catch-all'] as const;

interface TableParts {
  /** Seats of all levels together. */
  readonly serverSeats: number;
  readonly headers: FlowHeaders;
  /** Called when limits have changed. */
  onAdjusted(levels: readonly PriorityLevel[]): void;
  partsOf(level: string): LevelParts;
}

/** Objects by name. An object whose status changed is the same. */
class Objects<T extends LevelObject | SchemaObject> {
  readonly #objects = new Map<string, { readonly object: T; readonly text: string }>();

  /** Whether it differs from the object before. */
  put(object: T): boolean {
    const name = object.metadata.name ?? '';
    const text = JSON.stringify([object.metadata.uid, object.spec]);
    if (this.#objects.get(name)?.text === text) return false;
    this.#objects.set(name, { object, text });
    return true;
  }

  remove(name: string): void {
    this.#objects.delete(name);
  }

  clear(): void {
    this.#objects.clear();
  }

  has(name: string): boolean {
    return this.#objects.has(name);
  }

  get all(): readonly T[] {
    return [...this.#objects.values()].map(({ object }) => object);
  }
}

export class LevelTable {
  readonly #parts: TableParts;
  readonly #storedLevels = new Objects<LevelObject>();
  readonly #storedSchemas = new Objects<SchemaObject>();
  readonly #levels = new Map<string, PriorityLevel>();
  /** Undefined after a change of the objects. */
  #classifier: Classifier | undefined;
  #fairFraction = 0;

  constructor(parts: TableParts) {
    this.#parts = parts;
  }

  get levels(): readonly PriorityLevel[] {
    return [...this.#levels.values()];
  }

  get fairFraction(): number {
    return this.#fairFraction;
  }

  get classifier(): Classifier {
    this.#classifier ??= this.#digest();
    return this.#classifier;
  }

  putLevel(object: LevelObject): void {
    if (this.#storedLevels.put(object)) this.#classifier = undefined;
  }

  putSchema(object: SchemaObject): void {
    if (this.#storedSchemas.put(object)) this.#classifier = undefined;
  }

  removeLevel(name: string): void {
    this.#storedLevels.remove(name);
    this.#classifier = undefined;
  }

  removeSchema(name: string): void {
    this.#storedSchemas.remove(name);
    this.#classifier = undefined;
  }

  clearLevels(): void {
    this.#storedLevels.clear();
    this.#classifier = undefined;
  }

  clearSchemas(): void {
    this.#storedSchemas.clear();
    this.#classifier = undefined;
  }

  /** Moves seats to levels that need them. */
  adjust(): void {
    const { levels } = this;
    if (levels.some(({ isEnding, queues }) => isEnding && queues.isIdle)) this.#classifier = undefined;
    const { limits, targets, fairFraction } = adjust(levels.map((level) => level.takeDemand()));
    this.#fairFraction = fairFraction;
    for (const [at, level] of levels.entries()) {
      level.target = targets[at] as number;
      level.setLimit(limits[at] as number);
    }
    this.#parts.onAdjusted(levels);
  }

  #digest(): Classifier {
    this.#configureLevels();
    const shareSum = this.levels.reduce((sum, { shares }) => sum + shares.shares, 0);
    for (const level of this.levels) level.divide(shareSum, this.#parts.serverSeats);
    this.adjust();
    const schemas = this.#usableSchemas();
    for (const level of this.levels)
      level.forgetStats(new Set(schemas.map(({ schema }) => schema.metadata.name as string)));
    return new Classifier(schemas, this.#parts.headers);
  }

  #configureLevels(): void {
    const objects = this.#storedLevels.all.filter(isUsable);
    const names = new Set(objects.map(({ metadata }) => metadata.name));
    const absent = mandatoryNames.filter((name) => !names.has(name)).map(mandatoryLevel);
    for (const level of this.#levels.values()) level.isEnding = true;
    for (const object of [...objects, ...absent]) {
      const name = object.metadata.name as string;
      const level = this.#levels.get(name) ?? new PriorityLevel(name, name === exempt, this.#parts.partsOf(name));
      this.#levels.set(name, level);
      level.configure(object);
    }
    // requests of a deleted level end as they began
    for (const [name, { isEnding, queues }] of this.#levels) if (isEnding && queues.isIdle) this.#levels.delete(name);
  }

  /** Mandatory ones that are missing come first and last. A schema whose level does not exist is not used. */
  #usableSchemas(): readonly UsableSchema[] {
    const absent = mandatoryNames.filter((name) => !this.#storedSchemas.has(name)).map(mandatorySchema);
    return [...this.#storedSchemas.all, ...absent].flatMap((schema) => {
      const level = this.#levels.get(schema.spec?.priorityLevelConfiguration?.name ?? '');
      return level === undefined || level.isEnding ? [] : [{ schema, level }];
    });
  }
}

/** A level does not change between exempt and limited. */
function isUsable({ metadata, spec }: LevelObject): boolean {
  return (spec?.type === 'Exempt') === (metadata.name === exempt);
}

const mandatoryLevel = (name: string): LevelObject => ({
  metadata: { name },
  spec: mandatorySpec('prioritylevelconfigurations', name) as NonNullable<LevelObject['spec']>,
});

const mandatorySchema = (name: string): SchemaObject => ({
  metadata: { name },
  spec: mandatorySpec('flowschemas', name) as NonNullable<SchemaObject['spec']>,
});
