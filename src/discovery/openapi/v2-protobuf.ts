// The OpenAPI 2 document as protobuf, in the message layout of the gnostic project: older clients accept
// nothing else. Field numbers are those of openapi.v2.Document.

import { ProtobufWriter } from '../../codec/protobuf/writer.ts';
import { writeYaml } from '../../codec/yaml/write-yaml.ts';
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
  writeExtensions,
  writeSecurity,
} from './gnostic.ts';

/** Clients of this version compare texts: values are written as YAML, keys in order. */
const writeAny = (out: ProtobufWriter, value: unknown) => {
  out.string(2, writeYaml(value));
};

export async function encodeOpenApiV2(document: Json): Promise<Chunks> {
  const head = new ProtobufWriter().string(1, document['swagger'] as string);
  head.message(2, (info) => writeInfo(info, document['info'] as Json));
  const paths = await eachNamed(document['paths'], 2, writePathItem);
  const definitions = await eachNamed(document['definitions'], 1, writeSchema);
  const tail = new ProtobufWriter().message(12, (all) => {
    for (const [name, definition] of entries(document['securityDefinitions']))
      named(all, 1, name, (item) => item.message(2, (key) => writeApiKey(key, definition as Json)));
  });
  writeSecurity(tail, 13, document['security']);
  return [head.finish(), ...messageOf(8, paths), ...messageOf(9, definitions), tail.finish()];
}

function writeApiKey(out: ProtobufWriter, definition: Json): void {
  out.string(1, definition['type'] as string).string(2, definition['name'] as string);
  out.string(3, definition['in'] as string).string(4, definition['description'] as string);
}

function writeInfo(out: ProtobufWriter, info: Json): void {
  out.string(1, info['title'] as string).string(2, info['version'] as string);
}

const methods: Readonly<Record<string, number>> = { get: 2, put: 3, post: 4, delete: 5, options: 6, head: 7, patch: 8 };

function writePathItem(out: ProtobufWriter, item: Json): void {
  for (const [method, number] of Object.entries(methods)) {
    const operation = item[method] as Json | undefined;
    if (operation !== undefined) out.message(number, (inner) => writeOperation(inner, operation));
  }
  writeParameters(out, 9, item['parameters'] ?? []);
}

function writeOperation(out: ProtobufWriter, operation: Json): void {
  for (const tag of textsIn(operation['tags'])) out.string(1, tag);
  out.string(3, textIn(operation['description'])).string(5, textIn(operation['operationId']));
  for (const type of textsIn(operation['produces'])) out.string(6, type);
  for (const type of textsIn(operation['consumes'])) out.string(7, type);
  writeParameters(out, 8, operation['parameters'] ?? []);
  out.message(9, (responses) => {
    for (const [code, response] of entries(operation['responses'])) {
      named(responses, 1, code, (value) => value.message(1, (inner) => writeResponse(inner, response as Json)));
    }
  });
  for (const scheme of textsIn(operation['schemes'])) out.string(10, scheme);
  writeExtensions(out, 13, operation, writeAny);
}

function writeResponse(out: ProtobufWriter, response: Json): void {
  out.string(1, textIn(response['description']));
  const schema = response['schema'] as Json | undefined;
  if (schema !== undefined) out.message(2, (item) => item.message(1, (inner) => writeSchema(inner, schema)));
}

function writeParameters(out: ProtobufWriter, number: number, parameters: unknown): void {
  for (const parameter of parameters as Json[]) {
    out.message(number, (item) => item.message(1, (inner) => writeParameter(inner, parameter)));
  }
}

function writeParameter(out: ProtobufWriter, parameter: Json): void {
  const name = parameter['name'] as string;
  const required = parameter['required'] === true;
  switch (parameter['in']) {
    case 'body':
      out.message(1, (body) =>
        body
          .string(2, name)
          .string(3, 'body')
          .bool(4, required)
          .message(5, (schema) => writeSchema(schema, parameter['schema'] as Json)),
      );
      return;
    case 'query':
      out.message(2, (other) =>
        other.message(3, (query) => {
          query.string(2, 'query').string(3, textIn(parameter['description'])).string(4, name);
          query.string(6, textIn(parameter['type'])).bool(20, true);
        }),
      );
      return;
    default:
      out.message(2, (other) =>
        other.message(4, (path) => {
          path.bool(1, required).string(2, 'path').string(3, textIn(parameter['description'])).string(4, name);
          path.string(5, textIn(parameter['type'])).bool(19, true);
        }),
      );
  }
}

function writeSchema(out: ProtobufWriter, schema: Json): void {
  const text = (number: number, key: string) => {
    if (schema[key] !== undefined) out.string(number, schema[key] as string);
  };
  text(1, '$ref');
  text(2, 'format');
  text(4, 'description');
  if (schema['default'] !== undefined) out.message(5, (any) => writeAny(any, schema['default']));
  for (const name of (schema['required'] as string[] | undefined) ?? []) out.string(19, name);
  for (const value of (schema['enum'] as unknown[] | undefined) ?? []) out.message(20, (any) => writeAny(any, value));
  const { additionalProperties, items, properties, type } = schema;
  if (additionalProperties)
    out.message(21, (item) => item.message(1, (inner) => writeSchema(inner, additionalProperties as Json)));
  if (type)
    out.message(22, (item) => {
      for (const one of typesIn(type)) item.string(1, one);
    });
  if (items) out.message(23, (list) => list.message(1, (inner) => writeSchema(inner, items as Json)));
  if (properties) {
    out.message(25, (all) => {
      for (const [name, property] of entries(properties))
        named(all, 1, name, (value) => writeSchema(value, property as Json));
    });
  }
  writeExtensions(out, 31, schema, writeAny);
}
