// Where a text is in another one, in linear time: the engine's own search is quick for most texts, and takes the product of
// both lengths for some.

/** Up to so many comparisons the engine's own search may take. */
const fewComparisons = 1_000_000;

/** As `indexOf` of a text. */
export function firstIndex(text: string, part: string, from = 0): number {
  if ((text.length - from) * part.length <= fewComparisons) return text.indexOf(part, from);
  return linearIndex(text, part, Math.max(0, from));
}

/** As `lastIndexOf` of a text; `from` is the last place where the part may begin. */
export function lastIndex(text: string, part: string, from = text.length): number {
  if (text.length * part.length <= fewComparisons) return text.lastIndexOf(part, from);
  // the same search from the other end
  const end = Math.min(text.length, from + part.length);
  const reversedIndex = linearIndex(backwards(text.slice(0, end)), backwards(part), 0);
  return reversedIndex < 0 ? reversedIndex : end - reversedIndex - part.length;
}

/** By code units: halves of characters stay halves. */
function backwards(text: string): string {
  const units = Buffer.from(text, 'utf16le').swap16().reverse();
  return units.toString('utf16le');
}

/** As `split` of a text by a separator that is not empty. */
export function splitText(text: string, separator: string): string[] {
  if (text.length * separator.length <= fewComparisons) return text.split(separator);
  const borders = bordersOf(separator);
  const parts: string[] = [];
  let start = 0;
  for (let at = linearIndex(text, separator, 0, borders); at >= 0; at = linearIndex(text, separator, start, borders)) {
    parts.push(text.slice(start, at));
    start = at + separator.length;
  }
  parts.push(text.slice(start));
  return parts;
}

/** The search of Knuth, Morris and Pratt: no character of the text is looked at again. */
function linearIndex(text: string, part: string, from: number, borders = bordersOf(part)): number {
  let matched = 0;
  for (let index = from; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    while (matched > 0 && unit !== part.charCodeAt(matched)) matched = borders[matched - 1] as number;
    if (unit === part.charCodeAt(matched)) matched++;
    if (matched === part.length) return index - matched + 1;
  }
  return -1;
}

/** For each beginning of a text, how long its longest other beginning is that is its end as well. */
function bordersOf(part: string): Uint32Array {
  const borders = new Uint32Array(part.length);
  for (let index = 1, length = 0; index < part.length; index++) {
    while (length > 0 && part.charCodeAt(index) !== part.charCodeAt(length)) length = borders[length - 1] as number;
    if (part.charCodeAt(index) === part.charCodeAt(length)) length++;
    borders[index] = length;
  }
  return borders;
}
