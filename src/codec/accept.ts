// Content negotiation: which form of an answer the client prefers among those it can have.

import { type DialectNames, metaGroup, vendors } from '../meta/dialect.ts';
import { notAcceptable } from '../meta/status.ts';

export type Format = 'json' | 'yaml' | 'protobuf';

/** The shape an answer takes. */
export interface Representation {
  readonly format: Format;
  readonly mediaType: string;
  readonly as: 'Object' | 'Table' | 'PartialObjectMetadata';
  /** Version of the meta group for shapes other than the object's own. */
  readonly version: 'v1' | 'v1beta1';
  readonly pretty: boolean;
}

export const plainJson: Representation = {
  format: 'json',
  mediaType: 'application/json',
  as: 'Object',
  version: 'v1',
  pretty: false,
};

const formats: Readonly<Record<string, Format>> = {
  'application/json': 'json',
  'application/yaml': 'yaml',
};
const shapes: Readonly<Record<string, Representation['as']>> = {
  Table: 'Table',
  PartialObjectMetadata: 'PartialObjectMetadata',
  PartialObjectMetadataList: 'PartialObjectMetadata',
};

interface AcceptClause {
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly quality: number;
}

/** Parsed headers, kept because clients send the same few; bounded because clients choose them. */
const parsed = new Map<string, readonly AcceptClause[]>();
const maxParsed = 64;
const maxHeaderLength = 4096;

/** Throws 406 when nothing the client accepts can be had. */
export function negotiate(accept: string | undefined, dialect: DialectNames, pretty = false): Representation {
  if (accept === undefined || accept === '' || accept === '*/*' || accept === 'application/json') {
    return pretty ? { ...plainJson, pretty } : plainJson;
  }
  for (const clause of clausesOf(accept)) {
    const found = match(clause, dialect);
    if (found !== undefined) return { ...found, pretty: pretty || clause.parameters['pretty'] === '1' };
  }
  throw notAcceptable(offeredTypes(dialect));
}

/** The media type of protobuf answers. */
export const protobufType = ({ vendor }: Pick<DialectNames, 'vendor'>): string => `application/vnd.${vendor}.protobuf`;

/** Whether a client that takes anything else would rather have protobuf. */
export function prefersProtobuf(accept: string | undefined, dialect: DialectNames): boolean {
  if (accept === undefined || !accept.includes('protobuf')) return false;
  try {
    return negotiate(accept, dialect).format === 'protobuf';
  } catch {
    return false;
  }
}

/** What objects can be had in, for messages. */
export function offeredTypes({ vendor }: DialectNames): readonly string[] {
  return ['application/json', 'application/yaml', protobufType({ vendor })];
}

/** What a client takes that takes anything. */
const wildcards: readonly string[] = ['*/*', 'application/*'];

/** The format a media type stands for; protobuf goes by every vendor's name. */
export function formatOf(type: string, { vendor }: DialectNames): Format | undefined {
  if (type === 'application/json') return 'json';
  if (Object.hasOwn(formats, type)) return formats[type];
  const isProtobuf = [...vendors, vendor].some((word) => type === `application/vnd.${word}.protobuf`);
  return isProtobuf ? 'protobuf' : undefined;
}

function match({ type, parameters }: AcceptClause, dialect: DialectNames): Representation | undefined {
  const format = wildcards.includes(type) ? 'json' : formatOf(type, dialect);
  if (format === undefined) return undefined;
  const plain = { ...plainJson, format, mediaType: format === 'json' ? plainJson.mediaType : type };
  const { as, g, v } = parameters;
  if (as === undefined) return plain;
  const shape = Object.hasOwn(shapes, as) ? shapes[as] : undefined;
  if (shape === undefined || g !== metaGroup(dialect) || (v !== 'v1' && v !== 'v1beta1')) return undefined;
  // tables have no protobuf form
  return shape === 'Table' && format === 'protobuf' ? undefined : { ...plain, as: shape, version: v };
}

function clausesOf(header: string): readonly AcceptClause[] {
  let clauses = parsed.get(header);
  if (clauses === undefined) {
    clauses = parseAccept(header.slice(0, maxHeaderLength));
    if (parsed.size >= maxParsed) parsed.clear();
    parsed.set(header, clauses);
  }
  return clauses;
}

/** Clauses by falling quality, what is named before what is anything, otherwise in the client's order. */
export function parseAccept(header: string): readonly AcceptClause[] {
  return header
    .split(',')
    .map(parseClause)
    .filter((clause) => clause.quality > 0)
    .sort((a, b) => b.quality - a.quality || Number(a.type.endsWith('*')) - Number(b.type.endsWith('*')));
}

function parseClause(text: string): AcceptClause {
  const [type = '', ...rest] = text.split(';').map((part) => part.trim());
  const parameters = Object.create(null) as Record<string, string>;
  for (const part of rest) {
    const at = part.indexOf('=');
    if (at > 0) parameters[part.slice(0, at).trim()] = part.slice(at + 1).trim();
  }
  const quality = Number(parameters['q'] ?? '1');
  return { type: type.toLowerCase(), parameters, quality: Number.isNaN(quality) ? 1 : quality };
}
