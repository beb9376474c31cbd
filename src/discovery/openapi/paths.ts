// The OpenAPI description of every verb of a resource.

import type { DialectNames } from '../../meta/dialect.ts';
import { apiPath } from '../../meta/group-version.ts';
import { extensionName, type JsonSchema } from '../../schema/json-schema.ts';
import type { ResourceDefinition, SubresourceDefinition, Verb } from '../../schema/resource.ts';

export interface OperationSchemas {
  readonly object: JsonSchema;
  readonly list: JsonSchema;
  readonly status: JsonSchema;
  readonly deleteOptions: JsonSchema;
  readonly patch: JsonSchema;
}

type PathItem = Record<string, unknown>;

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly type: 'string' | 'integer' | 'boolean';
  readonly about: string;
}

const query = (name: string, type: Parameter['type'], about: string): Parameter => ({ name, in: 'query', type, about });

const readParameters = [query('resourceVersion', 'string', 'How fresh the answer has to be.')];
const listParameters = [
  ...readParameters,
  query('allowWatchBookmarks', 'boolean', 'Whether a watch may send bookmarks.'),
  query('continue', 'string', 'Token of the page before.'),
  query('fieldSelector', 'string', 'Selects by fields.'),
  query('labelSelector', 'string', 'Selects by labels.'),
  query('limit', 'integer', 'Most items in a page.'),
  query('resourceVersionMatch', 'string', 'How resourceVersion is meant.'),
  query('sendInitialEvents', 'boolean', 'Whether a watch begins with the current state.'),
  query('timeoutSeconds', 'integer', 'How long a watch lasts.'),
  query('watch', 'boolean', 'Watches instead of listing.'),
];
const writeParameters = [
  query('dryRun', 'string', 'All: run every stage but store nothing.'),
  query('fieldManager', 'string', 'Name of who makes the change.'),
  query('fieldValidation', 'string', 'What to do about unknown fields: Ignore, Warn or Strict.'),
];
const deleteParameters = [
  query('dryRun', 'string', 'All: run every stage but remove nothing.'),
  query('gracePeriodSeconds', 'integer', 'Seconds before the object is removed.'),
  query('orphanDependents', 'boolean', 'Deprecated: use propagationPolicy.'),
  query('propagationPolicy', 'string', 'What happens to dependents.'),
];

interface Shape {
  readonly method: string;
  readonly action: string;
  readonly parameters: readonly Parameter[];
  readonly body?: keyof OperationSchemas;
  readonly answer: keyof OperationSchemas;
  readonly status: number;
}

const shapes: Readonly<Partial<Record<Verb, Shape>>> = {
  get: { method: 'get', action: 'get', parameters: readParameters, answer: 'object', status: 200 },
  list: { method: 'get', action: 'list', parameters: listParameters, answer: 'list', status: 200 },
  create: {
    method: 'post',
    action: 'post',
    parameters: writeParameters,
    body: 'object',
    answer: 'object',
    status: 201,
  },
  update: { method: 'put', action: 'put', parameters: writeParameters, body: 'object', answer: 'object', status: 200 },
  patch: {
    method: 'patch',
    action: 'patch',
    parameters: [...writeParameters, query('force', 'boolean', 'Takes fields over from other managers.')],
    body: 'patch',
    answer: 'object',
    status: 200,
  },
  delete: {
    method: 'delete',
    action: 'delete',
    parameters: deleteParameters,
    body: 'deleteOptions',
    answer: 'status',
    status: 200,
  },
  deletecollection: {
    method: 'delete',
    action: 'deletecollection',
    parameters: [...listParameters, ...deleteParameters],
    body: 'deleteOptions',
    answer: 'status',
    status: 200,
  },
};

const patchTypes = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
];
const objectTypes = ['application/json', 'application/yaml'];
const collectionVerbs: readonly Verb[] = ['list', 'create', 'deletecollection'];
const objectVerbs: readonly Verb[] = ['get', 'update', 'patch', 'delete'];

export class PathWriter {
  readonly #version: 2 | 3;
  readonly #dialect: DialectNames;

  constructor(version: 2 | 3, dialect: DialectNames) {
    this.#version = version;
    this.#dialect = dialect;
  }

  /** Every path of a resource and its subresources. */
  *describe(
    definition: ResourceDefinition,
    schemas: OperationSchemas,
    subresourceSchemas: (sub: SubresourceDefinition) => OperationSchemas,
  ): Iterable<[string, PathItem]> {
    const base = apiPath(definition);
    const collection = `${base}${definition.namespaced ? '/namespaces/{namespace}' : ''}/${definition.plural}`;
    yield [collection, this.#item(definition, schemas, collectionVerbs, definition.verbs, collection)];
    const one = `${collection}/{name}`;
    yield [one, this.#item(definition, schemas, objectVerbs, definition.verbs, one)];
    for (const sub of definition.subresources ?? []) {
      const path = `${one}/${sub.name}`;
      const shown = subresourceSchemas(sub);
      const verbs = [...objectVerbs, 'create'] as const;
      yield [path, this.#item(definition, shown, verbs, sub.verbs, path, sub.name)];
    }
    if (!definition.namespaced) return;
    const all = `${base}/${definition.plural}`;
    yield [all, this.#item(definition, schemas, ['list'], definition.verbs, all, 'forAllNamespaces')];
  }

  #item(
    definition: ResourceDefinition,
    schemas: OperationSchemas,
    candidates: readonly Verb[],
    verbs: readonly Verb[],
    path: string,
    suffix = '',
  ): PathItem {
    const item: PathItem = { parameters: pathParameters(path).map((parameter) => this.#parameter(parameter)) };
    for (const verb of candidates) {
      const shape = shapes[verb];
      if (shape !== undefined && verbs.includes(verb))
        item[shape.method] = this.#operation(definition, schemas, shape, suffix);
    }
    return item;
  }

  #operation(definition: ResourceDefinition, schemas: OperationSchemas, shape: Shape, suffix: string): object {
    const { group, version, kind } = definition;
    const consumes = shape.body === 'patch' ? patchTypes : objectTypes;
    const parameters = shape.parameters.map((parameter) => this.#parameter(parameter));
    const body = shape.body === undefined ? undefined : schemas[shape.body];
    const required = shape.body !== 'deleteOptions';
    return {
      description: `${shape.action} ${kind} ${suffix}`.trim(),
      operationId: operationId(definition, shape.action, suffix),
      tags: [group === '' ? `core_${version}` : `${group.split('.')[0]}_${version}`],
      parameters:
        this.#version === 2 && body
          ? [...parameters, { name: 'body', in: 'body', required, schema: body }]
          : parameters,
      ...(this.#version === 2 ? { consumes, produces: objectTypes } : {}),
      ...(this.#version === 3 && body ? { requestBody: { required, content: contentOf(consumes, body) } } : {}),
      responses: { [shape.status]: this.#response(schemas[shape.answer]) },
      [extensionName(this.#dialect, 'action')]: shape.action,
      [extensionName(this.#dialect, 'group-version-kind')]: { group, version, kind },
    };
  }

  #response(schema: JsonSchema): object {
    return this.#version === 2
      ? { description: 'OK', schema }
      : { description: 'OK', content: contentOf(objectTypes, schema) };
  }

  #parameter({ name, in: where, type, about }: Parameter): object {
    const common = { name, in: where, description: about, ...(where === 'path' ? { required: true } : {}) };
    return this.#version === 2
      ? { ...common, type, uniqueItems: true }
      : { ...common, schema: { type, uniqueItems: true } };
  }
}

const contentOf = (types: readonly string[], schema: JsonSchema) =>
  Object.fromEntries(types.map((type) => [type, { schema }]));

function pathParameters(path: string): Parameter[] {
  const about: Record<string, string> = { name: 'Name of the object.', namespace: 'Namespace of the object.' };
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    type: 'string',
    about: about[name] ?? '',
  }));
}

function operationId(definition: ResourceDefinition, action: string, suffix: string): string {
  const { group, version, kind, namespaced } = definition;
  const words = [
    action,
    group === '' ? 'core' : (group.split('.')[0] as string),
    version,
    namespaced ? 'namespaced' : '',
    kind,
    suffix,
  ];
  return words
    .filter((word) => word !== '')
    .map((word, index) => (index === 0 ? word : word[0]?.toUpperCase() + word.slice(1)))
    .join('');
}
