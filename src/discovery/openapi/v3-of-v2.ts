// An OpenAPI 3 document made of one of version 2, for servers that have no other. What version 2 cannot say is not there.

import { isJsonObject, type JsonValue, setOwn } from '../../base/json/json.ts';
import { eachMember } from '../chunks.ts';
import { type JsonObject, refPrefix } from './fragment.ts';

/** Media types of one operation: each repeats the schema. */
const maxMediaTypes = 32;
/** Values of the whole document: a schema counts for each media type. */
const maxValues = 600_000;
/** Values of one path or schema: no other request is served while it is converted. */
const maxPartValues = 10_000;

/** Throws for a document that is too large, or no document of version 2 at all. */
export async function openApiV3Of(document: JsonValue): Promise<JsonObject> {
  if (!isJsonObject(document)) throw new Error('no document');
  const { info, externalDocs, paths, definitions, securityDefinitions, responses, parameters } = document;
  const converter = new Converter(document['produces']);
  return {
    openapi: '3.0.0',
    ...given('info', info),
    ...given('externalDocs', externalDocs),
    ...(await converter.section('paths', paths, (item) => converter.pathItem(item))),
    components: {
      ...(await converter.section('schemas', definitions, (schema) => converter.schema(schema))),
      ...(await converter.section('securitySchemes', securityDefinitions, securityScheme)),
      ...(await converter.section('responses', responses, (response) => converter.response(response))),
      ...(await converter.section('parameters', parameters, (parameter) => converter.parameter(parameter))),
    },
  };
}

const given = (key: string, value: JsonValue | undefined): JsonObject => (value === undefined ? {} : { [key]: value });

const picked = (source: JsonObject, keys: readonly string[]): JsonObject =>
  Object.fromEntries(keys.flatMap((key) => (source[key] === undefined ? [] : [[key, source[key] as JsonValue]])));

const isExtension = (key: string) => key.startsWith('x-');
const extensions = (source: JsonObject): JsonObject => picked(source, Object.keys(source).filter(isExtension));

const objectOf = (value: JsonValue | undefined): JsonObject => {
  if (isJsonObject(value)) return value;
  throw new Error('not an object');
};
const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : []);
const textsOf = (value: JsonValue | undefined): readonly string[] =>
  listOf(value)
    .filter((one): one is string => typeof one === 'string')
    .slice(0, maxMediaTypes);

type Convert = (value: JsonValue) => JsonValue;

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'];
const oneSchema = new Set(['additionalProperties', 'additionalItems', 'items', 'not']);
const manySchemas = new Set(['allOf', 'anyOf', 'oneOf', 'items']);
const namedSchemas = new Set(['properties', 'patternProperties', 'definitions']);

class Converter {
  readonly #produces: JsonValue | undefined;
  #left = maxValues;
  #partLeft = maxPartValues;

  /** What responses are written in that stand outside of operations. */
  constructor(produces: JsonValue | undefined) {
    this.#produces = produces;
  }

  /** Member by member; other requests are served in between. */
  async section(name: string, members: JsonValue | undefined, convert: Convert): Promise<JsonObject> {
    if (members === undefined) return {};
    const converted: Record<string, JsonValue> = {};
    await eachMember(objectOf(members), (key, member) => {
      this.#partLeft = maxPartValues;
      setOwn(converted, key, isExtension(key) ? member : convert(member));
    });
    return { [name]: converted };
  }

  pathItem(value: JsonValue): JsonValue {
    const item = objectOf(value);
    const operations = methods.flatMap((method) =>
      item[method] === undefined ? [] : [[method, this.#operation(objectOf(item[method]))]],
    );
    const parameters = listOf(item['parameters']).map((one) => this.parameter(one));
    return {
      ...picked(item, ['$ref']),
      ...(Object.fromEntries(operations) as JsonObject),
      ...(parameters.length === 0 ? {} : { parameters }),
      ...extensions(item),
    };
  }

  /** compat: only a parameter that is called "body" becomes the body */
  #operation(operation: JsonObject): JsonValue {
    const isBody = (one: JsonValue) => isJsonObject(one) && one['name'] === 'body' && one['schema'] !== undefined;
    const all = listOf(operation['parameters']);
    const body = all.findLast(isBody);
    const parameters = all.filter((one) => !isBody(one)).map((one) => this.parameter(one));
    const responses = isJsonObject(operation['responses']) ? operation['responses'] : {};
    return {
      ...picked(operation, ['tags', 'summary', 'description', 'externalDocs', 'operationId', 'deprecated']),
      ...(parameters.length === 0 ? {} : { parameters }),
      ...(isJsonObject(body)
        ? { requestBody: this.#content(body['schema'] as JsonValue, operation['consumes']) as JsonValue }
        : {}),
      responses: this.#responses(responses, operation['produces']),
      ...extensions(operation),
    };
  }

  #responses(responses: JsonObject, produces: JsonValue | undefined): JsonValue {
    const converted: Record<string, JsonValue> = {};
    for (const code of Object.keys(responses)) {
      const one = responses[code] as JsonValue;
      setOwn(converted, code, isExtension(code) ? one : this.response(one, produces));
    }
    return converted;
  }

  response(value: JsonValue, produces = this.#produces): JsonValue {
    const response = objectOf(value);
    const { schema } = response;
    return {
      ...reference(response, 'responses'),
      ...picked(response, ['description']),
      ...(schema === undefined ? {} : this.#content(schema, produces)),
      ...extensions(response),
    };
  }

  #content(schema: JsonValue, types: JsonValue | undefined): JsonObject {
    if (types === undefined) return {};
    const names = textsOf(types);
    const before = this.#left;
    const converted = this.schema(schema);
    // it is written for each of them
    this.#spend((before - this.#left) * names.length);
    return { content: Object.fromEntries(names.map((type) => [type, { schema: converted }])) };
  }

  #spend(values: number): void {
    this.#left -= values;
    this.#partLeft -= values;
    if (this.#left < 0 || this.#partLeft < 0) throw new Error('too many values');
  }

  parameter(value: JsonValue): JsonValue {
    const parameter = objectOf(value);
    const ref = reference(parameter, 'parameters');
    if (ref['$ref'] !== undefined) return ref;
    const { schema } = parameter;
    return {
      ...picked(parameter, ['name', 'in', 'description', 'required', 'allowEmptyValue']),
      schema: schema === undefined ? picked(parameter, ['type', 'format', 'uniqueItems']) : this.schema(schema),
      ...extensions(parameter),
    };
  }

  /** A reference must stand alone in version 3: with other members next to it, it becomes one of them. */
  schema(value: JsonValue): JsonValue {
    if (!isJsonObject(value)) throw new Error('not a schema');
    const converted: Record<string, JsonValue> = {};
    for (const key of Object.keys(value)) setOwn(converted, key, this.#keyword(key, value[key] as JsonValue));
    const { $ref } = converted;
    if ($ref === undefined || Object.keys(converted).length === 1) return converted;
    delete converted['$ref'];
    converted['allOf'] = [{ $ref }];
    return converted;
  }

  #keyword(key: string, value: JsonValue): JsonValue {
    this.#spend(1);
    if (key === '$ref' && typeof value === 'string') return value.replace(refPrefix, '#/components/schemas/');
    if (oneSchema.has(key) && isJsonObject(value)) return this.schema(value);
    if (manySchemas.has(key) && Array.isArray(value)) return value.map((one) => this.schema(one));
    if (!namedSchemas.has(key) || !isJsonObject(value)) return value;
    const converted: Record<string, JsonValue> = {};
    for (const name of Object.keys(value)) {
      this.#spend(1);
      setOwn(converted, name, this.schema(value[name] as JsonValue));
    }
    return converted;
  }
}

function reference({ $ref }: JsonObject, section: string): JsonObject {
  if (typeof $ref !== 'string' || $ref === '') return {};
  return { $ref: $ref.replace(`#/${section}/`, `#/components/${section}/`) };
}

function securityScheme(value: JsonValue): JsonValue {
  const scheme = objectOf(value);
  const { flow, authorizationUrl, tokenUrl, scopes } = scheme;
  const whole = { ...picked(scheme, ['type', 'description', 'name', 'in']), ...extensions(scheme) };
  if (typeof flow !== 'string' || flow === '') return whole;
  const told = {
    ...given('authorizationUrl', authorizationUrl),
    ...given('tokenUrl', tokenUrl),
    ...given('scopes', scopes),
  };
  return { ...whole, flows: { [flow]: told } };
}
