// YAML text to plain values, by the library.

import { isJsonObject, type JsonObject, type JsonValue, setOwn } from '../base/json/json.ts';
import { maxJsonDepth } from '../base/json/json-scan.ts';
import { NoJsonError, readDocument, valuesOf } from './yaml-document.ts';

interface YamlText {
  readonly value: JsonValue;
  /** Keys that repeat, in words. */
  readonly told: readonly string[];
}

/** A document that has more values than it may, aliases counted as often as they are used. */
export class TooManyYamlValuesError extends Error {}

/** compat: YAML is read by the rules of version 1.1, in which y and no are booleans */
export const yamlOptions = {
  version: '1.1',
  merge: true,
  logLevel: 'error',
  intAsBigInt: true,
  customTags: (tags: unknown[]) => [...(tags as YamlTag[]).filter((tag) => !isOtherwise(tag)), ...yamlTags],
} as const;

interface YamlTag {
  readonly tag?: string;
  readonly format?: string;
  readonly test?: RegExp;
}

const ofYaml = (name: string) => `tag:yaml.org,2002:${name}`;

/** What is read in other ways than the library does. */
const yamlTags = [
  {
    tag: ofYaml('float'),
    default: true,
    test: /^[-+]?(?:\.[0-9][0-9_]*|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?$/,
    resolve(text: string): number | string {
      const number = Number.parseFloat(text.replaceAll('_', ''));
      return Number.isFinite(number) ? number : text;
    },
  },
  {
    tag: ofYaml('int'),
    default: true,
    test: /^[-+]?0o[0-7_]+$/,
    resolve: (text: string) => Number.parseInt(text.replace(/[_o]/g, ''), 8),
  },
  { tag: ofYaml('binary'), resolve: (text: string) => Buffer.from(text, 'base64').toString() },
];

const typedText = /:(timestamp|binary|omap|pairs|set)$/;

/** Times stay text, no number is counted in sixties, and neither a dot nor e1 is a number. */
function isOtherwise({ tag = '', format, test }: YamlTag): boolean {
  if (typedText.test(tag) || format === 'TIME') return true;
  return tag === ofYaml('float') && test !== undefined && (test.test('.') || test.test('e1'));
}

/** Throws for text that is no YAML, or that JSON could not say. */
export async function readYamlText(text: string, maxValues: number): Promise<YamlText> {
  try {
    return await readText(text, maxValues);
  } catch (error) {
    if (error instanceof TooManyYamlValuesError || error instanceof NoJsonError) throw error;
    throw new Error(`yaml: ${firstLine((error as Error).message)}`, { cause: error });
  }
}

const firstLine = (text: string) => text.split('\n', 1)[0] as string;

async function readText(text: string, maxValues: number): Promise<YamlText> {
  const { document, repeated } = await readDocument(text, yamlOptions);
  const told = repeated
    .slice(0, maxTold)
    .map(({ line, key }) => `line ${line}: key ${showKey(key)} already set in map`);
  return { value: plain(valuesOf(document), maxValues), told };
}

/** More repeated keys than any honest document has. */
const maxTold = 100;

const showKey = (key: unknown): string => (typeof key === 'string' ? JSON.stringify(key) : String(key));

/** Small integers as numbers; what aliases share becomes separate, within bounds. */
export function plain(value: unknown, maxValues: number): JsonValue {
  let left = maxValues;
  const walk = (item: unknown, depth: number): JsonValue => {
    if (--left < 0) throw new TooManyYamlValuesError();
    if (depth > maxJsonDepth) throw new Error('document is nested or aliased too much');
    if (typeof item === 'bigint') return Number.isSafeInteger(Number(item)) ? Number(item) : item;
    if (typeof item === 'number' && !Number.isFinite(item)) throw notFinite(item);
    if (Array.isArray(item)) return item.map((member) => walk(member, depth + 1));
    if (!isJsonObject(item)) return (item ?? null) as JsonValue;
    const object: JsonObject = {};
    for (const key of Object.keys(item)) setOwn(object, key, walk(item[key], depth + 1));
    return object;
  };
  return walk(value, 0);
}

function notFinite(value: number): NoJsonError {
  const name = Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  return new NoJsonError(`json: unsupported value: ${name}`);
}
