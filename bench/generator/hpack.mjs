// HPACK, as little as a load generator needs: literal request headers out, the status code in (RFC 7541).

/** Placeholder in a request body that becomes a number of the same width, different in every request. */
export const COUNTER = '@@@@@@@@@@';

const HEADERS = 1;
const END_STREAM = 1;
const END_HEADERS = 4;

/** Static table entries 8 to 14. */
const STATIC_STATUS = [200, 204, 206, 304, 400, 404, 500];

/** Encodes a whole request once; sending it again only takes a new stream id (and counter). */
export function encodeRequest({ method = 'GET', authority, path, headers = {}, body }) {
  const pseudo = { ':method': method, ':scheme': 'https', ':authority': authority, ':path': path };
  const block = encodeHeaders({ ...pseudo, ...headers });
  const payload = body === undefined ? undefined : Buffer.from(body);
  const head = frame(HEADERS, END_HEADERS | (payload ? 0 : END_STREAM), block);
  if (!payload) return { bytes: head, dataAt: -1, counterAt: -1, bodyLength: 0 };
  const counter = payload.indexOf(COUNTER);
  return {
    bytes: Buffer.concat([head, frame(0, END_STREAM, payload)]),
    dataAt: head.length,
    counterAt: counter === -1 ? -1 : head.length + 9 + counter,
    bodyLength: payload.length,
  };
}

/** A frame on stream 0; the sender writes the stream id over bytes 5 to 8. */
export function frame(type, flags, payload) {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  return Buffer.concat([head, payload]);
}

function encodeHeaders(headers) {
  const literals = Object.entries(headers).map(([name, value]) =>
    Buffer.concat([Buffer.of(0), encodeString(name), encodeString(String(value))]),
  );
  return Buffer.concat(literals);
}

function encodeString(text) {
  const bytes = Buffer.from(text);
  return Buffer.concat([encodeLength(bytes.length), bytes]);
}

function encodeLength(length) {
  if (length < 127) return Buffer.of(length);
  const out = [127];
  let rest = length - 127;
  for (; rest >= 128; rest >>= 7) out.push((rest & 127) | 128);
  return Buffer.of(...out, rest);
}

/** Reads the status of a response block. The client forbids the dynamic table, so the first field tells it all. */
export function readStatus(bytes, start) {
  let at = start;
  while ((bytes[at] & 0xe0) === 0x20) at += 1; // "the dynamic table now has size 0"
  const first = bytes[at];
  if (first & 0x80) return STATIC_STATUS[(first & 0x7f) - 8] ?? 0;
  const length = bytes[at + 1] & 0x7f;
  const text = bytes.subarray(at + 2, at + 2 + length);
  return bytes[at + 1] & 0x80 ? readHuffmanDigits(text) : Number(text.toString('latin1'));
}

/** Huffman codes of the digits: 0 to 2 are the five-bit values 0 to 2, 3 to 9 the six-bit values 25 to 31. */
function readHuffmanDigits(bytes) {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  let digits = '';
  for (let at = 0; digits.length < 3; ) {
    const short = Number.parseInt(bits.slice(at, at + 5), 2);
    const isShort = short <= 2;
    digits += isShort ? short : Number.parseInt(bits.slice(at, at + 6), 2) - 22;
    at += isShort ? 5 : 6;
  }
  return Number(digits);
}
