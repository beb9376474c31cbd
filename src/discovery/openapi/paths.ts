// The paths of a resource and what can be done on each.

import { offeredTypes, streamedTypes } from '../../codec/accept.ts';
import { type DialectNames, groupName } from '../../meta/dialect.ts';
import { apiPath } from '../../meta/group-version.ts';
import { extensionName, type JsonSchema } from '../../schema/json-schema.ts';
import type { KindReference } from '../../schema/kind-reference.ts';
import { isPlainlyDescribed } from '../../schema/object-type.ts';
import type { ResourceDefinition } from '../../schema/resource.ts';
import type { ConnectSubresource, SubresourceDefinition } from '../../schema/subresource.ts';
import type { Verb } from '../../schema/verbs.ts';
import {
  type Content,
  commonParameters,
  connectOperation,
  inQuery,
  type Operation,
  operations,
  type Parameter,
  plainOperations,
  watchListOperation,
  watchOperation,
} from './operations.ts';

/** Made when an operation is about them: a document describes what it needs. */
export type OperationSchemas = Readonly<Record<Content, () => JsonSchema>>;

type PathItem = Record<string, unknown>;

/** An operation in its place. */
interface Placed {
  readonly operation: Operation;
  /** What its name says after the group and the version. */
  readonly name: string;
  readonly schemas: OperationSchemas;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** What it is about, where that is another kind than the resource's. */
  readonly subject?: KindReference;
  /** Media types other than usual. */
  readonly types: MediaTypes;
}

interface MediaTypes {
  readonly patches: readonly string[];
  readonly bodies: readonly string[];
  /** Undefined: every type that objects are offered in. */
  readonly answers?: readonly string[];
}

/** A document about the API itself. */
export interface AboutApi {
  readonly path: string;
  readonly operationId: string;
  readonly tag: string;
  readonly schema: JsonSchema;
  /** Media types of the answer; undefined: those in which objects are offered. */
  readonly answers?: readonly string[];
}

const patchTypes = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];
/** Every type that objects are written in. */
const anyType = ['*/*'];
const schemes = ['https'];
const usualTypes: MediaTypes = { patches: patchTypes, bodies: anyType };
const textTypes = ['application/json', 'application/yaml'];
/** Of objects that have no declared type. */
const plainTypes: MediaTypes = {
  patches: patchTypes.filter((type) => !type.includes('strategic')),
  bodies: textTypes,
  answers: textTypes,
};
const typesOf = ({ type }: ResourceDefinition) => (isPlainlyDescribed(type) ? plainTypes : usualTypes);
const collectionVerbs: readonly Verb[] = ['list', 'create', 'deletecollection'];
const objectVerbs: readonly Verb[] = ['get', 'update', 'patch', 'delete'];

/** By their path. */
type PathItems = Readonly<Record<string, PathItem>>;

export class PathWriter {
  readonly #version: 2 | 3;
  readonly #dialect: DialectNames;

  constructor(version: 2 | 3, dialect: DialectNames) {
    this.#version = version;
    this.#dialect = dialect;
  }

  /** Every path of a resource and its subresources. */
  describe(
    definition: ResourceDefinition,
    schemas: OperationSchemas,
    subresourceSchemas: (sub: SubresourceDefinition) => OperationSchemas,
  ): PathItems {
    const base = apiPath(definition);
    const { plural, verbs, kind } = definition;
    const collection = `${scoped(definition)}/${plural}`;
    const scope = definition.namespaced ? 'Namespaced' : '';
    const place = (verb: Verb, words: string): Placed[] => this.#place(definition, schemas, verb, words);
    const items: Record<string, PathItem> = {};
    const add = (path: string, placed: readonly Placed[]) => {
      items[path] = this.#item(path, placed);
    };
    const verbsOf = (candidates: readonly Verb[]) => candidates.filter((verb) => verbs.includes(verb));

    add(
      `${base}${collection}`,
      verbsOf(collectionVerbs).flatMap((verb) => place(verb, collectionName(verb, scope, kind))),
    );
    const ofObject = verbsOf(objectVerbs).flatMap((verb) => place(verb, `${scope}${kind}`));
    if (ofObject.length > 0) add(`${base}${collection}/{name}`, ofObject);
    for (const sub of definition.subresources ?? [])
      Object.assign(items, this.#subresource(definition, sub, subresourceSchemas(sub), `${base}${collection}/{name}`));
    if (definition.namespaced && verbs.includes('list'))
      add(`${base}/${plural}`, place('list', `${kind}ForAllNamespaces`));
    // compat: the older paths of watches are not told of custom resources
    if (verbs.includes('watch') && !isPlainlyDescribed(definition.type))
      Object.assign(items, this.#watches(definition, schemas, collection));
    return items;
  }

  document({ path, operationId, tag, schema, answers }: AboutApi): PathItems {
    const isText = schema['type'] === 'string';
    const produces = answers ?? offeredTypes(this.#dialect);
    const responses = this.#responses([200], produces, schema);
    const types = this.#version === 2 ? { ...(isText ? {} : { consumes: produces }), produces, schemes } : {};
    return { [path]: { get: { description: tag, operationId, tags: [tag], ...types, responses } } };
  }

  /** What the names of operations of a group-version begin with after their verb, and its tag. */
  names({ group, version }: { group: string; version: string }): { words: string; tag: string } {
    const words = this.#groupWords(group);
    const [first = '', ...others] = words;
    const suffix = version === '' ? '' : `_${version}`;
    return {
      words: [...words, version].map(capital).join(''),
      tag: `${first}${others.map(capital).join('')}${suffix}`,
    };
  }

  #subresource(
    definition: ResourceDefinition,
    sub: SubresourceDefinition,
    schemas: OperationSchemas,
    parent: string,
  ): PathItems {
    const words = `${definition.namespaced ? 'Namespaced' : ''}${definition.kind}${capital(sub.name)}`;
    // compat: subresources of custom resources are all about the kind itself
    const subject =
      sub.is === 'part' || isPlainlyDescribed(definition.type)
        ? {}
        : { subject: { ...sub.shows, group: groupName(this.#dialect, sub.shows.group) } };
    const placed = (suffix: string) =>
      [...objectVerbs, 'create' as const]
        .filter((verb) => sub.verbs.includes(verb))
        .flatMap((verb) => this.#place(definition, schemas, verb, `${words}${suffix}`))
        .flatMap((one) => (sub.is === 'connect' && sub.takesPath ? withProbes(one) : [one]))
        .map((one) => ({ ...(sub.is === 'connect' ? connected(one, sub) : one), ...subject }));
    const path = `${parent}/${sub.name}`;
    const item = { [path]: this.#item(path, placed('')) };
    if (sub.is !== 'connect' || !sub.takesPath) return item;
    return { ...item, [`${path}/{path}`]: this.#item(`${path}/{path}`, placed('WithPath')) };
  }

  #watches(definition: ResourceDefinition, schemas: OperationSchemas, collection: string): PathItems {
    const { namespaced, kind, plural } = definition;
    const base = `${apiPath(definition)}/watch`;
    const scope = namespaced ? 'Namespaced' : '';
    const item = (path: string, operation: Operation, name: string): PathItems => ({
      [path]: this.#item(path, [{ operation, name, schemas, types: usualTypes, ...definition }]),
    });
    return {
      ...item(`${base}${collection}`, watchListOperation, `${scope}${kind}List`),
      ...item(`${base}${collection}/{name}`, watchOperation, `${scope}${kind}`),
      ...(namespaced ? item(`${base}/${plural}`, watchListOperation, `${kind}ListForAllNamespaces`) : {}),
    };
  }

  #place(definition: ResourceDefinition, schemas: OperationSchemas, verb: Verb, words: string): Placed[] {
    const { group, version, kind, quirks, type } = definition;
    const operation = (isPlainlyDescribed(type) ? plainOperations : operations)[verb];
    if (operation === undefined) return [];
    const answer = verb === 'delete' && quirks?.returnsDeleted ? 'object' : operation.answer;
    const types = typesOf(definition);
    return [{ schemas, group, version, kind, types, operation: { ...operation, answer }, name: words }];
  }

  #item(path: string, placed: readonly Placed[]): PathItem {
    const inPath = pathParameters(path);
    const all = placed.map(({ operation }) => [
      ...inPath,
      ...(operation.word === 'connect' ? [] : commonParameters),
      ...operation.parameters,
    ]);
    // what every operation of a path takes stands next to them
    const shared = (all[0] ?? []).filter((one) => all.every((others) => others.some(isSameAs(one))));
    const item: PathItem = { parameters: sorted(shared).map((one) => this.#parameter(one)) };
    for (const [i, one] of placed.entries()) {
      const own = (all[i] as readonly Parameter[]).filter((parameter) => !shared.some(isSameAs(parameter)));
      item[one.operation.method] = this.#operation(one, own);
    }
    return item;
  }

  #operation({ operation, name, schemas, group, version, kind, subject, types }: Placed, own: readonly Parameter[]) {
    const body = operation.body === undefined ? undefined : schemas[operation.body]();
    const consumes = operation.body === 'patch' ? types.patches : types.bodies;
    const required = operation.body === 'deleteOptions' ? {} : { required: true };
    const inBody = this.#version === 2 && body ? [{ name: 'body', in: 'body', ...required, schema: body }] : [];
    const parameters = [...inBody, ...sorted(own).map((parameter) => this.#parameter(parameter))];
    const produces = types.answers ?? this.#produces(operation);
    const { words, tag } = this.names({ group, version });
    return {
      description: `${operation.word} ${kind}`,
      operationId: `${operation.word}${words}${name}`,
      tags: [tag],
      // clients that read a document and write it again leave an empty list out
      ...(parameters.length === 0 ? {} : { parameters }),
      ...(this.#version === 2 ? { consumes, produces, schemes } : {}),
      ...(this.#version === 3 && body ? { requestBody: { ...required, content: contentOf(consumes, body) } } : {}),
      responses: this.#responses(operation.codes, produces, schemas[operation.answer]()),
      [extensionName(this.#dialect, 'action')]: operation.action,
      [extensionName(this.#dialect, 'group-version-kind')]: subject ?? { group, version, kind },
    };
  }

  /** `rbac.authorization` and the domain: rbac, authorization. */
  #groupWords(group: string): string[] {
    if (group === '') return ['core'];
    const suffix = `.${this.#dialect.apiDomain}`;
    return (group.endsWith(suffix) ? group.slice(0, -suffix.length) : group).split('.');
  }

  #produces({ answer, isStream }: Operation): readonly string[] {
    if (answer === 'text') return anyType;
    return isStream === true
      ? [...offeredTypes(this.#dialect), ...streamedTypes(this.#dialect)]
      : offeredTypes(this.#dialect);
  }

  #responses(codes: readonly number[], produces: readonly string[], schema: JsonSchema): object {
    const shown = this.#version === 2 ? { schema } : { content: contentOf(produces, schema) };
    const responses: Record<number, object> = { 401: { description: meanings[401] } };
    for (const code of codes) responses[code] = { description: meanings[code], ...shown };
    return responses;
  }

  #parameter({ name, in: where, type, about }: Parameter): object {
    const common = { name, in: where, description: about, ...(where === 'path' ? { required: true } : {}) };
    return this.#version === 2
      ? { ...common, type, uniqueItems: true }
      : { ...common, schema: { type, uniqueItems: true } };
  }
}

/** compat: the order of parameters is that of their names, and a body is before them */
const sorted = (parameters: readonly Parameter[]): readonly Parameter[] =>
  [...parameters].sort((a, b) => (a.name === b.name ? compare(a.in, b.in) : compare(a.name, b.name)));

const compare = (a: string, b: string) => (a < b ? -1 : 1);

const isSameAs = (one: Parameter) => (other: Parameter) => one.name === other.name && one.in === other.in;

/** A proxy passes every method on, also those that read nothing. */
function withProbes(placed: Placed): Placed[] {
  const { operation } = placed;
  if (operation.method !== 'get') return [placed];
  return ['get', 'head', 'options'].map((method) => ({ ...placed, operation: { ...operation, method } }));
}

/** A request that goes on to another server; where that one answers for the object itself, it is read. */
function connected(placed: Placed, { shows, parameters = [] }: ConnectSubresource): Placed {
  const { operation, name, kind } = placed;
  if (shows.kind === kind) return { ...placed, operation: { ...operation, parameters: inQuery(parameters) } };
  return { ...placed, operation: connectOperation(operation, parameters), name: `${capital(operation.method)}${name}` };
}

const meanings: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted', 401: 'Unauthorized' };

const scoped = ({ namespaced }: ResourceDefinition) => (namespaced ? '/namespaces/{namespace}' : '');

const collectionName = (verb: Verb, scope: string, kind: string) =>
  `${verb === 'deletecollection' ? 'Collection' : ''}${scope}${kind}`;

const capital = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1);

const contentOf = (types: readonly string[], schema: JsonSchema) =>
  Object.fromEntries(types.map((type) => [type, { schema }]));

const pathAbout: Readonly<Record<string, string>> = {
  name: 'Name of the object.',
  namespace: 'Namespace of the object.',
  path: 'Path on the other server.',
};

function pathParameters(path: string): Parameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    type: 'string',
    about: pathAbout[name] ?? '',
  }));
}
