// HPACK, as little as a load generator needs: requests out, the status code in (RFC 7541).

/** Placeholder in a request body that becomes a number of the same width, different in every request. */
export const COUNTER = '@@@@@@@@@@';

const DATA = 0;
const HEADERS = 1;
const END_STREAM = 1;
const END_HEADERS = 4;

/** First bytes of a header field: a literal to remember, a literal to forget, a reference to a remembered one. */
const INDEXED = 0x40;
const NOT_INDEXED = 0;
const REFERENCE = 0x80;
/** The newest entry of the dynamic table; older ones follow. */
const FIRST_DYNAMIC = 62;

/** Static table entries 8 to 14. */
const STATIC_STATUS = [200, 204, 206, 304, 400, 404, 500];

/**
 * Encodes a request once, in the two forms a connection sends: the first puts its headers into the dynamic table, the
 * later ones refer to them, as every client does. So all requests of a connection share their headers, except the path
 * and the length of the body, which clients announce.
 */
export function encodeRequest({ method = 'GET', authority, path, headers = {}, body }) {
  const pseudo = { ':method': method, ':scheme': 'https', ':authority': authority };
  const payload = body === undefined ? undefined : Buffer.from(body);
  const fields = [...Object.entries(pseudo), ...Object.entries(headers)];
  const spelled = fields.map(([name, value]) => literal(INDEXED, name, String(value)));
  const referred = fields.map((_, at) => Buffer.of(REFERENCE | (FIRST_DYNAMIC + fields.length - 1 - at)));
  const length = payload === undefined ? [] : [literal(NOT_INDEXED, 'content-length', String(payload.length))];
  const whole = (block) => Buffer.concat([...block.toSpliced(3, 0, literal(NOT_INDEXED, ':path', path)), ...length]);
  return {
    first: assemble(whole(spelled), payload),
    later: assemble(whole(referred), payload),
    bodyLength: payload?.length ?? 0,
  };
}

function assemble(block, payload) {
  const head = frame(HEADERS, END_HEADERS | (payload ? 0 : END_STREAM), block);
  if (!payload) return { bytes: head, dataAt: -1, counterAt: -1 };
  const counter = payload.indexOf(COUNTER);
  return {
    bytes: Buffer.concat([head, frame(DATA, END_STREAM, payload)]),
    dataAt: head.length,
    counterAt: counter === -1 ? -1 : head.length + 9 + counter,
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

function literal(form, name, value) {
  return Buffer.concat([Buffer.of(form), encodeString(name), encodeString(value)]);
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

/**
 * Reads the status of a response block, which is always its first field. A status outside the static table is spelled
 * out once and referred to from then on; as one connection accepts one status only, a reference means the `previous`.
 */
export function readStatus(bytes, start, previous) {
  const at = skipTableSize(bytes, start);
  const first = bytes[at];
  if (first & REFERENCE) return STATIC_STATUS[(first & 0x7f) - 8] ?? previous;
  const length = bytes[at + 1] & 0x7f;
  const text = bytes.subarray(at + 2, at + 2 + length);
  return bytes[at + 1] & 0x80 ? readHuffmanDigits(text) : Number(text.toString('latin1'));
}

/** A server may announce its table's size first: 001xxxxx, more bytes when all five are set. */
function skipTableSize(bytes, start) {
  let at = start;
  while ((bytes[at] & 0xe0) === 0x20) {
    const isLong = (bytes[at] & 0x1f) === 0x1f;
    at += 1;
    if (isLong) while (bytes[at++] & 0x80);
  }
  return at;
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
