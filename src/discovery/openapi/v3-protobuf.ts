// OpenAPI 3 documents as protobuf, in the message layout of the gnostic project, which clients in Go ask for. Field
// numbers are those of openapi.v3.Document.

import { ProtobufWriter } from '../../codec/protobuf/writer.ts';
import type { Chunks } from '../chunks.ts';
import {
  eachNamed,
  entries,
  type Json,
  messageOf,
  named,
  textIn,
  textsIn,
  typesIn,
  writeAny,
  writeExtensions,
  writeSecurity,
} from './gnostic.ts';

export async function encodeOpenApiV3(document: Json): Promise<Chunks> {
  const info = document['info'] as Json | undefined;
  const { schemas, securitySchemes } = document['components'] as Json;
  const head = new ProtobufWriter().string(1, document['openapi'] as string);
  head.message(2, (inner) => inner.string(1, textIn(info?.['title'])).string(6, textIn(info?.['version'])));
  const paths = await eachNamed(document['paths'], 1, writePathItem);
  const known = await eachNamed(schemas, 1, writeEither);
  const ways = new ProtobufWriter().message(7, (all) => {
    for (const [name, scheme] of entries(securitySchemes))
      named(all, 1, name, (item) => item.message(1, (inner) => writeSecurityScheme(inner, scheme as Json)));
  });
  const tail = new ProtobufWriter();
  writeSecurity(tail, 6, document['security']);
  const components = [...messageOf(1, known), ways.finish()];
  return [head.finish(), ...messageOf(4, paths), ...messageOf(5, components), tail.finish()];
}

function writeSecurityScheme(out: ProtobufWriter, scheme: Json): void {
  out.string(1, textIn(scheme['type'])).string(2, textIn(scheme['description']));
  out.string(3, textIn(scheme['name'])).string(4, textIn(scheme['in']));
}

const methods: Readonly<Record<string, number>> = {
  get: 4,
  put: 5,
  post: 6,
  delete: 7,
  options: 8,
  head: 9,
  patch: 10,
};

function writePathItem(out: ProtobufWriter, item: Json): void {
  for (const [method, number] of Object.entries(methods)) {
    const operation = item[method] as Json | undefined;
    if (operation !== undefined) out.message(number, (inner) => writeOperation(inner, operation));
  }
  writeParameters(out, 13, item['parameters']);
}

function writeOperation(out: ProtobufWriter, operation: Json): void {
  for (const tag of textsIn(operation['tags'])) out.string(1, tag);
  out.string(3, textIn(operation['description'])).string(5, textIn(operation['operationId']));
  writeParameters(out, 6, operation['parameters']);
  const body = operation['requestBody'] as Json | undefined;
  if (body !== undefined) out.message(7, (either) => either.message(1, (inner) => writeBody(inner, body)));
  out.message(8, (responses) => {
    for (const [code, response] of entries(operation['responses']))
      named(responses, 2, code, (either) => either.message(1, (inner) => writeResponse(inner, response as Json)));
  });
  writeExtensions(out, 13, operation);
}

function writeParameters(out: ProtobufWriter, number: number, parameters: unknown): void {
  for (const parameter of (parameters ?? []) as Json[]) {
    const { $ref } = parameter;
    out.message(number, (either) => {
      if (typeof $ref === 'string') either.message(2, (reference) => reference.string(1, $ref));
      else either.message(1, (inner) => writeParameter(inner, parameter));
    });
  }
}

function writeParameter(out: ProtobufWriter, parameter: Json): void {
  out.string(1, textIn(parameter['name'])).string(2, textIn(parameter['in']));
  out.string(3, textIn(parameter['description']));
  if (parameter['required'] === true) out.bool(4, true);
  out.message(10, (schema) => writeEither(schema, parameter['schema'] as Json));
}

function writeBody(out: ProtobufWriter, body: Json): void {
  out.message(2, (content) => writeContent(content, body['content']));
  if (body['required'] === true) out.bool(3, true);
}

function writeResponse(out: ProtobufWriter, response: Json): void {
  out.string(1, textIn(response['description']));
  if (response['content'] !== undefined) out.message(3, (content) => writeContent(content, response['content']));
}

function writeContent(out: ProtobufWriter, content: unknown): void {
  for (const [type, { schema }] of entries(content) as [string, { schema: Json }][])
    named(out, 1, type, (media) => media.message(1, (either) => writeEither(either, schema)));
}

function writeSchemas(out: ProtobufWriter, schemas: unknown): void {
  for (const [name, schema] of entries(schemas)) named(out, 1, name, (either) => writeEither(either, schema as Json));
}

/** A schema or a reference to one. */
function writeEither(out: ProtobufWriter, schema: Json): void {
  const { $ref } = schema;
  if (typeof $ref === 'string') out.message(2, (reference) => reference.string(1, $ref));
  else out.message(1, (inner) => writeSchema(inner, schema));
}

type Write = (out: ProtobufWriter, number: number, value: unknown) => void;

const inside =
  (write: (inner: ProtobufWriter, value: Json) => void): Write =>
  (out, number, value) =>
    out.message(number, (inner) => write(inner, value as Json));
const each =
  (write: Write): Write =>
  (out, number, values) => {
    for (const value of values as unknown[]) write(out, number, value);
  };
const text: Write = (out, number, value) => out.string(number, value as string);
const either = inside(writeEither);

/** Keywords in the order of their numbers, with how each is written. */
const keywords: readonly (readonly [name: string, number: number, write: Write])[] = [
  ['uniqueItems', 20, (out, number, value) => out.bool(number, value === true)],
  ['required', 23, each(text)],
  ['enum', 24, each(inside(writeAny))],
  ['type', 25, (out, number, value) => each(text)(out, number, typesIn(value))],
  ['allOf', 26, each(either)],
  ['oneOf', 27, each(either)],
  ['items', 30, inside((list, items) => either(list, 1, items))],
  ['properties', 31, inside(writeSchemas)],
  ['additionalProperties', 32, inside((item, of) => either(item, 1, of))],
  ['default', 33, inside(writeDefault)],
  ['description', 34, text],
  ['format', 35, text],
];

function writeSchema(out: ProtobufWriter, schema: Json): void {
  for (const [name, number, write] of keywords) {
    const value = schema[name];
    if (value !== undefined) write(out, number, value);
  }
  writeExtensions(out, 36, schema);
}

/** The layout has room for scalars; that there is another default can be told, not which. */
function writeDefault(out: ProtobufWriter, value: unknown): void {
  if (typeof value === 'number') out.double(1, value);
  else if (typeof value === 'boolean') out.bool(2, value);
  else if (typeof value === 'string') out.string(3, value);
}
