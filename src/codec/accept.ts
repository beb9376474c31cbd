// Content negotiation: which form of an answer the client prefers among those it can have.

import { type Dialect, type DialectNames, metaGroup, vendors } from '../meta/dialect.ts';
import type { Exchange } from '../meta/exchange.ts';
import { noRepresentation, notAcceptable } from '../meta/status.ts';

export type Format = 'json' | 'yaml' | 'protobuf';

/** The shape an answer takes. */
export interface Representation {
  readonly format: Format;
  readonly mediaType: string;
  readonly as: 'Object' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  /** Version of the meta group for shapes other than the object's own. */
  readonly version: 'v1' | 'v1beta1';
  readonly pretty: boolean;
}

/** Whether stored objects are sent as they are. */
export const isPlain = ({ format, as, pretty }: Representation): boolean =>
  format === 'json' && as === 'Object' && !pretty;

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
  PartialObjectMetadataList: 'PartialObjectMetadataList',
};

/** What can be had where: documents come as they are, only resources have other shapes. */
export interface Offer {
  readonly pretty?: boolean;
  readonly shapes?: boolean;
  /** What is answered and not stored has no rows. */
  readonly tables?: false;
  /** An endless answer has a media type of its own, and no YAML. */
  readonly stream?: boolean;
  /** Objects have no protobuf form; other shapes have one. */
  readonly onlyText?: boolean;
}

/** A resource's offer. */
export const objectOffer: Offer = { shapes: true };
/** That of a resource whose objects are answered and not stored. */
export const actionOffer: Offer = { ...objectOffer, tables: false };

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
export function negotiate(
  accept: string | undefined,
  dialect: DialectNames,
  offer: Offer = objectOffer,
): Representation {
  const { pretty = false } = offer;
  if (accept === undefined || accept === '' || accept === '*/*' || accept === 'application/json') {
    return pretty ? { ...plainJson, pretty } : plainJson;
  }
  for (const clause of clausesOf(accept)) {
    const found = match(clause, dialect, offer);
    if (found !== undefined) return checkStream({ ...found, pretty: pretty || isPretty(clause) }, dialect, offer);
  }
  throw notAcceptable(offeredTypes(dialect));
}

/** Throws where a client does not take the one type that there is. */
export const requireTaken = (accept: string | undefined, type: string): void =>
  requireAnswered(
    accept,
    () => [type],
    (one) => one === type,
  );

/**
 * Throws where a path has no answer in a type that the client takes.
 * compat: a path is chosen by types that are spelled out, `application/*` finds none
 */
export function requireProduced(accept: string | undefined, dialect: DialectNames, offered = offeredTypes): void {
  const isProduced = (type: string) => formatOf(type, dialect) !== undefined || offered(dialect).includes(type);
  requireAnswered(accept, () => offered(dialect), isProduced);
}

function requireAnswered(
  accept: string | undefined,
  offered: () => readonly string[],
  isProduced: (type: string) => boolean,
): void {
  if (accept === undefined || accept === '') return;
  if (!clausesOf(accept).some(({ type }) => type === '*/*' || isProduced(type))) throw noRepresentation(offered());
}

const isPretty = ({ parameters }: AcceptClause) => parameters['pretty'] === '1';

function checkStream(found: Representation, dialect: DialectNames, { stream }: Offer): Representation {
  if (stream === true && found.format === 'yaml') throw notAcceptable(streamedTypes(dialect));
  return found;
}

/** compat: people at a terminal or a browser get indented JSON. */
const readers = /^(curl|Wget|Mozilla\/5\.0)/;
const yes = /^(1|t|true)$/i;

/** Whether the client wants to read the answer, by what it says or by what it is. */
export function wantsPretty({ query, request }: Pick<Exchange, 'query' | 'request'>, { rules }: Dialect): boolean {
  const asked = query.get('pretty') ?? '';
  if (asked === '' && rules.barePretty === 'indented' && query.has('pretty')) return true;
  return asked === '' ? readers.test(request.header('user-agent') ?? '') : yes.test(asked);
}

/** The media type of protobuf answers. */
const protobufType = ({ vendor }: Pick<DialectNames, 'vendor'>): string => `application/vnd.${vendor}.protobuf`;

/** The form of a document; plain JSON, pretty, for a client that takes none it could have. */
export function errorForm(
  accept: string | undefined,
  dialect: DialectNames,
  { pretty, onlyText }: { readonly pretty: boolean; readonly onlyText: boolean },
): Representation {
  try {
    return negotiate(accept, dialect, { pretty, onlyText });
  } catch {
    return { ...plainJson, pretty: true };
  }
}

/** What objects can be had in, for messages. */
export function offeredTypes({ vendor }: DialectNames): readonly string[] {
  return ['application/json', 'application/yaml', protobufType({ vendor })];
}

/** What watches can be had in, for messages. */
export function streamedTypes({ vendor }: DialectNames): readonly string[] {
  return ['application/json', protobufType({ vendor })].map((type) => `${type};stream=watch`);
}

/** What a client takes that takes anything. */
const wildcards: readonly string[] = ['*/*', '*', 'application/*'];

export const isAnyType = (type: string): boolean => wildcards.includes(type);

/** The format a media type stands for; protobuf goes by every vendor's name. */
export function formatOf(type: string, { vendor }: DialectNames): Format | undefined {
  if (type === 'application/json') return 'json';
  if (Object.hasOwn(formats, type)) return formats[type];
  const isProtobuf = [...vendors, vendor].some((word) => type === `application/vnd.${word}.protobuf`);
  return isProtobuf ? 'protobuf' : undefined;
}

function match(clause: AcceptClause, dialect: DialectNames, offer: Offer): Representation | undefined {
  const { type, parameters } = clause;
  const format = isAnyType(type) ? 'json' : formatOf(type, dialect);
  if (format === undefined || !knowsParameters(clause, format, offer)) return undefined;
  const plain = { ...plainJson, format, mediaType: format === 'json' ? plainJson.mediaType : type };
  const { as, g, v } = parameters;
  if (as === undefined && g === undefined && v === undefined)
    return offer.onlyText && format === 'protobuf' ? undefined : plain;
  const shape = as !== undefined && Object.hasOwn(shapes, as) ? shapes[as] : undefined;
  if (offer.shapes !== true || shape === undefined) return undefined;
  if (g !== metaGroup(dialect) || (v !== 'v1' && v !== 'v1beta1')) return undefined;
  // tables have no protobuf form
  return shape === 'Table' && (format === 'protobuf' || offer.tables === false)
    ? undefined
    : { ...plain, as: shape, version: v };
}

/** The stream and the version of the server that a client may retry on. */
function knowsParameters({ parameters }: AcceptClause, format: Format, { shapes: isResource }: Offer): boolean {
  const { stream = '', sv = '' } = parameters;
  return (
    (stream === '' || (stream === 'watch' && format !== 'yaml')) && (sv === '' || (sv === 'v1' && isResource === true))
  );
}

function clausesOf(header: string): readonly AcceptClause[] {
  let clauses = parsed.get(header);
  if (clauses === undefined) {
    clauses = parseAccept(header);
    if (parsed.size >= maxParsed) parsed.clear();
    parsed.set(header, clauses);
  }
  return clauses;
}

/**
 * Clauses by falling quality, otherwise in the client's order.
 * compat: what is spelled out comes before what is anything, whatever their qualities, and no quality means never
 * Each clause is put into its place among those before it, so that no more of a header is read than honest clients send.
 */
export function parseAccept(header: string): readonly AcceptClause[] {
  const sorted: AcceptClause[] = [];
  for (const clause of header.slice(0, maxHeaderLength).split(',').map(parseClause)) {
    if (clause.type !== '*' && !/^[^/]+\/[^/]+$/.test(clause.type)) continue;
    let at = sorted.length;
    while (at > 0 && isPreferred(clause, sorted[at - 1] as AcceptClause)) at--;
    sorted.splice(at, 0, clause);
  }
  return sorted;
}

function isPreferred(a: AcceptClause, b: AcceptClause): boolean {
  const isWild = ({ type }: AcceptClause) => type.startsWith('*');
  const isHalfWild = ({ type }: AcceptClause) => type.endsWith('*');
  return a.quality > b.quality || (!isWild(a) && isWild(b)) || (!isHalfWild(a) && isHalfWild(b));
}

function parseClause(text: string): AcceptClause {
  const [type = '', ...rest] = text.split(';').map((part) => part.trim());
  const parameters = Object.create(null) as Record<string, string>;
  for (const part of rest) {
    const [key = '', value = '', ...more] = part.split('=');
    if (value !== '' && more.length === 0) parameters[key.trim()] = value.trim();
  }
  const { q: quality = '1' } = parameters;
  return { type, parameters, quality: /^[\d.]+$/.test(quality) ? Number(quality) || 0 : 0 };
}
