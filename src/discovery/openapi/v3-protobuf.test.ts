import { expect, test } from 'vitest';
import { readFields } from '../../codec/protobuf/reader.ts';
import { builtInGroups } from '../../groups/catalog.ts';
import { kubernetes } from '../../meta/dialect.ts';
import { openApiV3 } from './document.ts';
import { encodeOpenApiV3 } from './v3-protobuf.ts';

type Json = Record<string, unknown>;

/** How a message reads as JSON: by number, the member's name and what it holds. */
type Layout = Readonly<Record<number, readonly [name: string, read: (bytes: Uint8Array) => unknown]>>;

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const any = (bytes: Uint8Array): unknown => JSON.parse(message({ 2: ['yaml', text] })(bytes)['yaml'] as string);
const flag = () => true;
const lists = new Set(['parameters', 'allOf', 'oneOf', 'required', 'enum', 'tags', 'security']);

const message =
  (layout: Layout) =>
  (bytes: Uint8Array): Json => {
    const read: Json = {};
    for (const { number, value } of readFields(bytes)) {
      const [name, readValue] = layout[number] ?? [`unknown ${number}`, text];
      const shown = readValue(value as Uint8Array);
      // members that stand in for their parents: maps, and the extensions next to the rest
      if (name === '') Object.assign(read, shown);
      else if (lists.has(name) && shown !== true)
        read[name] = [...((read[name] as unknown[] | undefined) ?? []), shown];
      else read[name] = shown;
    }
    return read;
  };

const map = (read: (bytes: Uint8Array) => unknown) => (bytes: Uint8Array) => {
  const { name, value } = message({ 1: ['name', text], 2: ['value', read] })(bytes);
  return { [name as string]: value };
};
const inner = (layout: Layout) => (bytes: Uint8Array) => message(layout)(bytes);
const only =
  (number: number, read: (bytes: Uint8Array) => unknown) =>
  (bytes: Uint8Array): unknown =>
    message({ [number]: ['it', read] })(bytes)['it'];

const either = (bytes: Uint8Array): unknown =>
  message({ 1: ['it', schema], 2: ['it', inner({ 1: ['$ref', text] })] })(bytes)['it'];
const number = (bytes: Uint8Array) => Buffer.from(bytes).readDoubleLE();

function standard(bytes: Uint8Array): unknown {
  const read = message({ 1: ['it', number], 2: ['it', (value) => Number(value) === 1], 3: ['it', text] })(bytes);
  return 'it' in read ? read['it'] : {};
}

const schema: (bytes: Uint8Array) => Json = message({
  20: ['uniqueItems', flag],
  23: ['required', text],
  24: ['enum', any],
  25: ['type', text],
  26: ['allOf', either],
  27: ['oneOf', either],
  30: ['items', only(1, either)],
  31: ['properties', inner({ 1: ['', map(either)] })],
  32: ['additionalProperties', only(1, either)],
  33: ['default', standard],
  34: ['description', text],
  35: ['format', text],
  36: ['', map(any)],
});

const content = inner({ 1: ['', map(inner({ 1: ['schema', either] }))] });
const parameter = only(
  1,
  inner({
    1: ['name', text],
    2: ['in', text],
    3: ['description', text],
    4: ['required', flag],
    10: ['schema', either],
  }),
);
const operation = inner({
  1: ['tags', text],
  3: ['description', text],
  5: ['operationId', text],
  6: ['parameters', parameter],
  7: ['requestBody', only(1, inner({ 2: ['content', content], 3: ['required', flag] }))],
  8: ['responses', inner({ 2: ['', map(only(1, inner({ 1: ['description', text], 3: ['content', content] })))] })],
  13: ['', map(any)],
});
const pathItem = inner({
  4: ['get', operation],
  5: ['put', operation],
  6: ['post', operation],
  7: ['delete', operation],
  8: ['options', operation],
  9: ['head', operation],
  10: ['patch', operation],
  13: ['parameters', parameter],
});
const securityScheme = inner({ 1: ['type', text], 2: ['description', text], 3: ['name', text], 4: ['in', text] });
const document = inner({
  1: ['openapi', text],
  2: ['info', inner({ 1: ['title', text], 6: ['version', text] })],
  4: ['paths', inner({ 1: ['', map(pathItem)] })],
  5: [
    'components',
    inner({
      1: ['schemas', inner({ 1: ['', map(either)] })],
      7: ['securitySchemes', inner({ 1: ['', map(only(1, securityScheme))] })],
    }),
  ],
  6: ['security', inner({ 1: ['', map(() => [])] })],
});

/** What a message cannot tell: that something is not so, or is an empty list. */
function told(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(told);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key, one]) =>
      !(lists.has(key) && Array.isArray(one) && one.length === 0) && !(key === 'required' && one === false),
  );
  return Object.fromEntries(kept.map(([key, one]) => [key, told(one)]));
}

const groups = builtInGroups(kubernetes).map((group) => [`${group.group || 'core'}/${group.version}`, group] as const);

test.each(groups)('the document of %s is the same in protobuf', async (_name, group) => {
  const json = JSON.parse(JSON.stringify(await openApiV3(group, kubernetes))) as Json;
  expect(document(Buffer.concat(await encodeOpenApiV3(json)))).toEqual(told(json));
});
