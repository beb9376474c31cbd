// The object that a client sends: its body parsed, decoded, defaulted, and put into the namespace of the URL.

import type { GivenManagers } from '../../apply/field-manager.ts';
import type { JsonValue } from '../../base/json/json.ts';
import { parseBody } from '../../codec/body.ts';
import {
  type Decoded,
  type DecodeOptions,
  decodeObject,
  OtherVersionError,
  UndecodableError,
} from '../../codec/decode-object.ts';
import { type Parsed, strictErrors } from '../../codec/strict.ts';
import type { ApiObject } from '../../meta/object.ts';
import { missingField } from '../../schema/missing-fields.ts';
import { isBuiltIn, type ObjectType } from '../../schema/object-type.ts';
import { restored } from '../../wording/types/restore-problem.ts';
import type { Call } from '../call.ts';
import { sentManagers } from './field-management.ts';
import { inScope } from './url-match.ts';
import { type FieldValidation, refuseBody, reportStrictErrors } from './write-parameters.ts';

/** The body as plain values; formats that need a type to be read use this one. */
export async function readBodyAs({ exchange, services }: Call, type: ObjectType): Promise<Parsed> {
  const bytes = await exchange.readBody(services.maxBodyBytes);
  exchange.bodyBytes = bytes.length;
  return parseBody(exchange.request.header('content-type'), bytes, type, services.dialect, exchange);
}

export interface Input extends Decoded {
  /** What the client says about managedFields. */
  readonly managers: GivenManagers;
}

/** A value as an object of the resource's kind, defaulted, in the scope the URL names. */
export function decodeInput(call: Call, value: JsonValue, given: DecodeOptions): Input {
  const { definition } = call.resource;
  const { known, isMerged = false, isPatched = false } = given;
  const options = { known, isMerged, isPatched, isPart: call.subresource !== undefined, urlName: call.ref.name };
  const { object, unknownFields } = decodeObject(definition, value, options);
  const managers = sentManagers(value, object, call.services.dialect, isBuiltIn(definition.type));
  return defaulted(call, { object: inScope(object, call.ref.namespace), unknownFields, managers });
}

/** Of what was put together from values instead of read from a text: it fits also where its numbers are too large. */
export function decodeRestored(call: Call, value: JsonValue, given: DecodeOptions): Input {
  try {
    return decodeInput(call, value, given);
  } catch (error) {
    const { type } = call.resource.definition;
    if (!(error instanceof UndecodableError) || type.is !== 'struct') throw error;
    const held = restored(type, value) as JsonValue;
    if (held === value) throw error;
    return decodeInput(call, held, given);
  }
}

function defaulted(call: Call, input: Input): Input {
  const { strategy, context } = call.registry;
  const { conversion } = call.resource.definition;
  const object = strategy.defaults?.(input.object, context) ?? input.object;
  if (!conversion?.usesAnnotations) return { ...input, object };
  // compat: what another version carries in annotations belongs to who wrote it there
  const { dialect } = context;
  return { ...input, object: conversion.fromStorage(conversion.toStorage(object, dialect), dialect) };
}

/** The object a client sent. Reports, as the client wants it, what strict decoding finds. */
export async function readObject(call: Call, level: FieldValidation): Promise<Input> {
  const { definition } = call.resource;
  const parsed = await readBodyAs(call, definition.type);
  const input = readAs(call, parsed, level);
  call.exchange.audit?.captureRequest(input.object, input.object.metadata);
  noteMissing(call, definition.type, parsed, input.object);
  if (level !== 'Ignore' || call.services.dialect.rules.incompleteObject === 400)
    reportStrictErrors(
      call.exchange,
      strictErrors(parsed, input.unknownFields, definition.type),
      level,
      refuseBody(definition),
    );
  return input;
}

function readAs(call: Call, parsed: Parsed, level: FieldValidation): Input {
  try {
    return decodeInput(call, parsed.value, {});
  } catch (error) {
    if (error instanceof OtherVersionError) reportAsSaid(call, parsed, level, error.said);
    throw error;
  }
}

/** compat: what is wrong with a body of another version is told by that version's fields, before it is refused */
function reportAsSaid({ exchange, registry }: Call, parsed: Parsed, level: FieldValidation, apiVersion: string): void {
  const said = registry.versions.find(apiVersion);
  if (said === undefined) return;
  const { unknownFields } = decodeObject(said, parsed.value);
  reportStrictErrors(exchange, strictErrors(parsed, unknownFields, said.type), level, refuseBody(said));
}

/** Remembers the first required field that the client did not send, in the dialect that refuses such objects. */
export function noteMissing({ exchange, services }: Call, type: ObjectType, given: Parsed, completed: ApiObject): void {
  if (services.dialect.rules.incompleteObject === 400)
    exchange.missingField = missingField(type, given.value, completed, given.leavesOutEmpty);
}
