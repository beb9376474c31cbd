// Strings: tests, parts, and changes. Positions count code points.

import { trimEnds } from '../../base/text/trim-ends.ts';
import { type Library, member, plain } from '../declarations.ts';
import { quote } from '../literals.ts';
import { bool, dyn, int, list, string } from '../types.ts';
import { checkedLength, EvaluationError, hasSurrogates, ListValue, noSuchOverload, type Value } from '../values.ts';
import { workOnText } from '../work.ts';
import { format } from './string-format.ts';
import { firstIndex, lastIndex, splitText } from './text-search.ts';

/** Of work: making a text of each character. */
const perPoint = 20;

/** Code units are code points in most strings, and then nothing has to be split. */
function points(text: string): readonly string[] | string {
  if (!hasSurrogates(text)) return text;
  workOnText(text, perPoint);
  return [...text];
}
const joined = (part: readonly string[] | string): string => (typeof part === 'string' ? part : part.join(''));

function charAt(text: string, index: bigint): string {
  const all = points(text);
  if (index < 0n || index > all.length) throw outOfRange(index);
  return all[Number(index)] ?? '';
}

const outOfRange = (index: bigint) => new EvaluationError(`index out of range: ${index}`);

/** Both directions; `from` is where the search begins. */
function find(text: string, part: string, from: bigint | undefined, last: boolean): bigint {
  // compat: an empty text is found wherever the search begins, even outside of the text
  if (part === '' && from !== undefined) return from;
  const all = points(text);
  if (from !== undefined && from < 0n) throw outOfRange(from);
  if (from !== undefined && from >= all.length) return -1n;
  if (typeof all === 'string' || !hasSurrogates(text)) return BigInt(search(text, part, from, last));
  const unit = from === undefined ? undefined : BigInt(joined(all.slice(0, Number(from))).length);
  const index = search(text, part, unit, last);
  return BigInt(index < 0 ? index : [...text.slice(0, index)].length);
}

function search(text: string, part: string, from: bigint | undefined, last: boolean): number {
  const start = from === undefined ? undefined : Number(from);
  return last ? lastIndex(text, part, start) : firstIndex(text, part, start);
}

function substring(text: string, start: bigint, end?: bigint): string {
  const all = points(text);
  const stop = end ?? BigInt(all.length);
  if (end !== undefined && start > end)
    throw new EvaluationError(`invalid substring range. start: ${start}, end: ${end}`);
  if (start < 0n || start > all.length) throw outOfRange(start);
  if (stop < 0n || stop > all.length) throw outOfRange(stop);
  return joined(all.slice(Number(start), Number(stop)));
}

/** A negative limit means no limit. An empty separator separates every character. */
function split(text: string, separator: string, limit = -1n): Value {
  if (limit === 0n) return new ListValue([]);
  if (limit === 1n) return new ListValue([text]);
  const parts = separator === '' ? [...text] : splitText(text, separator);
  if (limit < 0n || parts.length <= limit) return new ListValue(parts);
  const head = parts.slice(0, Number(limit) - 1);
  return new ListValue([...head, parts.slice(Number(limit) - 1).join(separator)]);
}

function replace(text: string, part: string, by: string, limit = -1n): string {
  if (limit === 0n) return text;
  const pieces = part === '' ? ['', ...text, ''] : splitText(text, part);
  const count = limit < 0n ? pieces.length - 1 : Math.min(Number(limit), pieces.length - 1);
  checkedLength(text.length + count * by.length);
  return (
    pieces.slice(0, count + 1).join(by) +
    pieces
      .slice(count + 1)
      .map((piece) => part + piece)
      .join('')
  );
}

function join(items: ListValue, separator = ''): string {
  const texts = items.toArray();
  if (!texts.every((text) => typeof text === 'string')) throw noSuchOverload();
  checkedLength(texts.reduce((length, text) => length + text.length + separator.length, 0));
  return texts.join(separator);
}

const asciiCase = (from: RegExp, change: (text: string) => string) => (text: string) =>
  text.replace(from, (found) => change(found));

/** White space as Unicode defines it, which is not quite what patterns here take for it. */
const isSpace = (character: string) => character === ' ' || (character !== '\ufeff' && /[\s\u0085]/.test(character));
const trim = (text: string): string => trimEnds(text, isSpace);

const texts = list(string);

export const strings: Library = {
  functions: {
    contains: [
      member('contains_string', [string, string], bool, (text: string, part: string) => firstIndex(text, part) >= 0),
    ],
    startsWith: [
      member('starts_with_string', [string, string], bool, (text: string, part: string) => text.startsWith(part)),
    ],
    endsWith: [member('ends_with_string', [string, string], bool, (text: string, part: string) => text.endsWith(part))],
    charAt: [member('string_char_at_int', [string, int], string, charAt)],
    indexOf: [
      member('string_index_of_string', [string, string], int, (text: string, part: string) =>
        find(text, part, undefined, false),
      ),
      member('string_index_of_string_int', [string, string, int], int, (text: string, part: string, from: bigint) =>
        find(text, part, from, false),
      ),
    ],
    lastIndexOf: [
      member('string_last_index_of_string', [string, string], int, (text: string, part: string) =>
        find(text, part, undefined, true),
      ),
      member(
        'string_last_index_of_string_int',
        [string, string, int],
        int,
        (text: string, part: string, from: bigint) => find(text, part, from, true),
      ),
    ],
    lowerAscii: [
      member(
        'string_lower_ascii',
        [string],
        string,
        asciiCase(/[A-Z]+/g, (text) => text.toLowerCase()),
      ),
    ],
    upperAscii: [
      member(
        'string_upper_ascii',
        [string],
        string,
        asciiCase(/[a-z]+/g, (text) => text.toUpperCase()),
      ),
    ],
    replace: [
      member('string_replace_string_string', [string, string, string], string, replace),
      member('string_replace_string_string_int', [string, string, string, int], string, replace),
    ],
    split: [
      member('string_split_string', [string, string], texts, split),
      member('string_split_string_int', [string, string, int], texts, split),
    ],
    substring: [
      member('string_substring_int', [string, int], string, substring),
      member('string_substring_int_int', [string, int, int], string, substring),
    ],
    trim: [member('string_trim', [string], string, trim)],
    join: [member('list_join', [texts], string, join), member('list_join_string', [texts, string], string, join)],
    format: [
      member('string_format', [string, list(dyn)], string, (text: string, args: ListValue) =>
        format(text, args.toArray()),
      ),
    ],
    'strings.quote': [plain('strings_quote', [string], string, quote)],
  },
};

/** Not among the functions that Kubernetes gives to every expression. */
export const reversedStrings: Library = {
  functions: {
    reverse: [member('string_reverse', [string], string, (text: string) => [...text].reverse().join(''))],
  },
};
