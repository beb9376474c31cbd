// What RFC 7541 gives both ends of a connection to begin with: header fields with a number, and a Huffman code.

export interface HeaderField {
  readonly name: string;
  readonly value: string;
  /** A cached verdict of the code that reads fields: a field may come again and again. 0 at first. */
  verdict: number;
}

export const fieldOf = (name: string, value: string): HeaderField => ({ name, value, verdict: 0 });

const begun =
  ':authority|:method=GET|:method=POST|:path=/|:path=/index.html|:scheme=http|:scheme=https|:status=200|:status=204|' +
  ':status=206|:status=304|:status=400|:status=404|:status=500|accept-charset|accept-encoding=gzip, deflate|' +
  'accept-language|accept-ranges|accept|access-control-allow-origin|age|allow|authorization|cache-control|' +
  'content-disposition|content-encoding|content-language|content-length|content-location|content-range|content-type|' +
  'cookie|date|etag|expect|expires|from|host|if-match|if-modified-since|if-none-match|if-range|if-unmodified-since|' +
  'last-modified|link|location|max-forwards|proxy-authenticate|proxy-authorization|range|referer|refresh|retry-after|' +
  'server|set-cookie|strict-transport-security|transfer-encoding|user-agent|vary|via|www-authenticate';

/** The first has number 1. */
export const staticFields: readonly HeaderField[] = begun.split('|').map((text) => {
  const [name = '', value = ''] = text.split('=');
  return fieldOf(name, value);
});

/** Headers that are about one connection of HTTP/1.1 only: HTTP/2 has none of them. */
export const ofHttp1: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

/** A field counts for this many bytes more than its name and value. */
const fieldOverhead = 32;

export const sizeOf = ({ name, value }: HeaderField): number => name.length + value.length + fieldOverhead;

/** Bytes of the table of either end, unless it sets another size. */
export const usualTableBytes = 4096;

/** Bits of the code of each byte, and of the end of a text. Codes are numbered by their length, then by their byte. */
const codeLengths = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28,
  28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6,
  5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23,
  22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22,
  23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26,
  20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27,
  27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27,
  27, 27, 27, 26, 30,
];
export const endOfText = 256;

/**
 * The code as a tree of pairs: at twice the number of a node is where a 0 leads, behind it where a 1 does. A leaf is the
 * complement of its byte.
 */
export const huffmanTree: Int16Array = treeOf(codeLengths);

function treeOf(lengths: readonly number[]): Int16Array {
  const tree = new Int16Array(2 * lengths.length);
  const symbols = lengths.map((_, symbol) => symbol).sort((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0) || a - b);
  let nodes = 1;
  let code = 0;
  let before = 0;
  for (const symbol of symbols) {
    const length = lengths[symbol] ?? 0;
    code *= 2 ** (length - before);
    before = length;
    let node = 0;
    for (let bit = length - 1; bit > 0; bit--) {
      const at = 2 * node + (Math.floor(code / 2 ** bit) % 2);
      if (tree[at] === 0) tree[at] = nodes++;
      node = tree[at] as number;
    }
    tree[2 * node + (code % 2)] = ~symbol;
    code++;
  }
  return tree;
}
