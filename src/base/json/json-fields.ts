// Reading decoded JSON or YAML whose shape is not trusted: every mistake is an error that names its place.

import { getOwn, isJsonObject, type JsonObject, type JsonValue } from './json.ts';

/** A value is of the wrong type. */
export class FieldTypeError extends Error {}

export class JsonFields {
  readonly path: string;
  readonly #object: JsonObject;

  private constructor(object: JsonObject, path: string) {
    this.#object = object;
    this.path = path;
  }

  /** What is absent or null has no fields; anything else that is no object is an error. */
  static of(value: unknown, path: string): JsonFields {
    if (value === undefined || value === null) return new JsonFields({}, path);
    if (!isJsonObject(value)) throw new FieldTypeError(`${path || 'the document'}: must be an object`);
    return new JsonFields(value, path);
  }

  get names(): readonly string[] {
    return Object.keys(this.#object);
  }

  /** The path of a field, for messages. */
  at(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }

  has(name: string): boolean {
    return this.value(name) !== undefined;
  }

  value(name: string): Exclude<JsonValue, null> | undefined {
    return getOwn(this.#object, name) ?? undefined;
  }

  /** Empty when absent. */
  text(name: string): string {
    return this.#typed(name, 'string', isText) ?? '';
  }

  flag(name: string): boolean {
    return this.#typed(name, 'boolean', isFlag) ?? false;
  }

  number(name: string): number | undefined {
    return this.#typed(name, 'number', isNumber);
  }

  /** Empty when absent. */
  texts(name: string): readonly string[] {
    return this.#list(name).map((item, index) => {
      if (typeof item === 'string') return item;
      throw new FieldTypeError(`${this.at(name)}[${index}]: must be a string`);
    });
  }

  object(name: string): JsonFields | undefined {
    const value = this.value(name);
    return value === undefined ? undefined : JsonFields.of(value, this.at(name));
  }

  objects(name: string): readonly JsonFields[] {
    return this.#list(name).map((item, index) => JsonFields.of(item, `${this.at(name)}[${index}]`));
  }

  #list(name: string): readonly JsonValue[] {
    return this.#typed(name, 'list', isList) ?? [];
  }

  #typed<T extends JsonValue>(name: string, type: string, is: (value: JsonValue) => value is T): T | undefined {
    const value = this.value(name);
    if (value === undefined || is(value)) return value;
    throw new FieldTypeError(`${this.at(name)}: must be a ${type}`);
  }
}

const isText = (value: JsonValue) => typeof value === 'string';
const isFlag = (value: JsonValue) => typeof value === 'boolean';
const isNumber = (value: JsonValue) => typeof value === 'number';
const isList = (value: JsonValue) => Array.isArray(value);
