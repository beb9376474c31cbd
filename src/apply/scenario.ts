// A story of writes to one object: who applies or updates what, and who owns what afterwards. Runs the engine alone.

import { expect } from 'vitest';
import type { JsonObject, JsonValue } from '../base/json/json.ts';
import { isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import { decodeObject } from '../codec/decode-object.ts';
import { deployment } from '../groups/apps/v1/deployment.ts';
import { configMap } from '../groups/core/v1/config-map.ts';
import type { ApiObject } from '../meta/object.ts';
import { ApiError } from '../meta/status.ts';
import type { ObjectType } from '../schema/object-type.ts';
import { FieldManager, type GivenManagers } from './field-manager.ts';
import { type FieldSet, showPaths } from './fields/field-set.ts';
import type { Versions } from './merge/ownership.ts';

interface ScenarioOptions {
  readonly type: ObjectType;
  readonly group?: string;
  readonly version?: string;
  readonly ignored?: readonly string[];
  readonly versions?: Versions;
  readonly tracksAlways?: boolean;
}

interface WireManager {
  readonly manager: string;
  readonly operation: string;
  readonly apiVersion: string;
  readonly time?: string;
  readonly fieldsV1: FieldSet;
  readonly subresource?: string;
}

/** No conversion of a scenario waits for a webhook. */
function present<T>(value: MaybePromise<T>): T {
  if (isPromise(value)) throw new Error('the write waits');
  return value;
}

export class Scenario {
  object: ApiObject | undefined;
  #minute = 0;
  readonly #options: ScenarioOptions;

  constructor(options: ScenarioOptions) {
    this.#options = options;
  }

  apply(manager: string, fields: object, how: { readonly force?: boolean; readonly through?: string } = {}): this {
    const config = { ...this.#typeMeta(), metadata: { name: 'x' }, ...fields } as JsonObject;
    const input = { live: this.object, config, manager, force: how.force ?? false, now: this.#now() };
    this.object = this.#decoded(present(this.#manager(how.through).apply(input)) as unknown as JsonValue);
    return this;
  }

  /** What the apply answers when it is refused. */
  refusal(manager: string, fields: object): ApiError {
    const before = JSON.stringify(this.object);
    try {
      this.apply(manager, fields);
    } catch (error) {
      expect(JSON.stringify(this.object)).toBe(before);
      if (error instanceof ApiError) return error;
      throw error;
    }
    throw new Error('the apply was not refused');
  }

  /** Replaces the fields of the object, as PUT does. */
  update(
    manager: string,
    fields: object,
    how: { readonly given?: GivenManagers; readonly through?: string } = {},
  ): this {
    const { given = 'none', through } = how;
    const next = this.#decoded({ ...this.#typeMeta(), metadata: { name: 'x' }, ...fields } as unknown as JsonValue);
    const input = { live: this.object, next, given, manager, now: this.#now() };
    this.object = present(this.#manager(through).update(input));
    return this;
  }

  /** Changes some fields of the object and leaves the others. */
  change(manager: string, fields: object, through?: string): this {
    const { metadata, ...rest } = this.object ?? { metadata: {} };
    return this.update(
      manager,
      { ...rest, metadata: { ...metadata, managedFields: undefined }, ...fields },
      { ...(through ? { through } : {}) },
    );
  }

  get managers(): readonly WireManager[] {
    return (this.object?.metadata.managedFields ?? []) as readonly WireManager[];
  }

  /** Manager and operation to the paths they own. */
  get owners(): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries(
      this.managers.map(({ manager, operation, fieldsV1 }) => [`${manager} ${operation}`, showPaths(fieldsV1)]),
    );
  }

  expectOwners(owners: Readonly<Record<string, readonly string[]>>): this {
    expect(this.owners).toEqual(owners);
    return this;
  }

  expectFields(fields: object): this {
    const { kind: _, apiVersion: __, metadata: ___, ...rest } = this.object ?? {};
    expect(rest).toEqual(fields);
    return this;
  }

  #typeMeta() {
    const { group = '', version = 'v1', type } = this.#options;
    return { apiVersion: group === '' ? version : `${group}/${version}`, kind: type.name };
  }

  #manager(through = ''): FieldManager {
    const { type, ignored = [], versions, tracksAlways = false } = this.#options;
    const { apiVersion } = this.#typeMeta();
    const common = { type, apiVersion, subresource: through, ignored, tracksAlways, lastAppliedAnnotation: 'last' };
    return new FieldManager({ ...common, ...(versions ? { versions } : {}) });
  }

  #decoded(value: JsonValue): ApiObject {
    const { group = '', version = 'v1', type } = this.#options;
    return decodeObject({ group, version, kind: type.name, type }, value).object;
  }

  /** Every step takes a minute. */
  #now(): string {
    return new Date(Date.UTC(2026, 0, 1) + this.#minute++ * 60_000).toISOString().replace('.000', '');
  }
}

export const configMaps = () => new Scenario({ type: configMap.type });
export const deployments = () => new Scenario({ type: deployment.type, group: 'apps', ignored: ['status'] });

/** The least that a Deployment has. */
const labels = { app: 'a' };
export const container = { name: 'c', image: 'img:1' };
export const template = { metadata: { labels }, spec: { containers: [container] } };
export const spec = { selector: { matchLabels: labels }, template };
