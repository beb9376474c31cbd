// One stored object as a whole answer, made of its text.

import { type Envelope, sealEnvelope } from '../../codec/protobuf/envelope.ts';
import { metaGroup } from '../../meta/dialect.ts';
import { formatApiVersion } from '../../meta/group-version.ts';
import type { StoredObject } from '../../registry/stored-object.ts';
import type { Shape } from '../shape.ts';
import { objectFormOf } from './object-form.ts';
import { tableAround } from './table-form.ts';

/** Undefined for forms that need the parsed object. */
export function objectBody(shape: Shape, stored: StoredObject): Uint8Array | undefined {
  const object = objectFormOf(shape)?.(stored);
  if (object === undefined) return undefined;
  const body = bodyAround(shape, stored, object, true);
  return shape.form.format === 'protobuf' ? body : Buffer.concat([body, newline]);
}

const newline = Buffer.from('\n');

/** A whole object around what `objectFormOf` made. */
export function bodyAround(shape: Shape, stored: StoredObject, object: Uint8Array, withColumns: boolean): Uint8Array {
  if (shape.form.format === 'protobuf') return envelopeOf(shape, object);
  return shape.form.as === 'Table' ? tableAround(shape, stored, object, withColumns) : object;
}

/** The message of an object with what it is: its own kind, or that of its metadata. */
const envelopeOf = (shape: Shape, raw: Uint8Array): Uint8Array => sealEnvelope({ ...messageType(shape), raw });

export function messageType({ definition, dialect, form }: Shape): Omit<Envelope, 'raw'> {
  return form.as === 'Object'
    ? { apiVersion: formatApiVersion(definition), kind: definition.kind }
    : { apiVersion: `${metaGroup(dialect)}/${form.version}`, kind: 'PartialObjectMetadata' };
}
