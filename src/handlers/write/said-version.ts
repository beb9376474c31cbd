// What a patch makes of an object when it says another version of its kind.

import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json/json.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import { decodeObject } from '../../codec/decode-object.ts';
import type { Call } from '../call.ts';
import type { Unversioned } from './unversioned-object.ts';

/** The object as its own version has it, with the defaults of the version that it says; undefined for one of its own version. */
export function fromSaidVersion({ registry }: Call, value: JsonValue): MaybePromise<Unversioned | undefined> {
  const { definition, versions, context } = registry;
  if (!isJsonObject(value) || typeof value['apiVersion'] !== 'string') return undefined;
  const said = versions.find(value['apiVersion']);
  if (said === undefined || said.version === definition.version || said.type.is !== 'struct') return undefined;
  if (definition.scheme?.refusal(said, definition) !== undefined) return undefined;
  const { object, unknownFields } = decodeObject(said, value);
  const whole = said.strategy?.defaults?.(object, context) ?? object;
  return andThen(versions.convert(whole, definition), (own) => ({
    value: own as unknown as JsonObject,
    unknownFields,
  }));
}
