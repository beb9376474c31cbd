// For tests: HTTP/2 by the byte, for peers that do what no library would.

export type Bytes = Uint8Array | string;

export const bytesOf = (text: Bytes): Buffer => Buffer.from(text as string, 'latin1');

export function frame(type: number, flags: number, stream: number, payload: Bytes = ''): Buffer {
  const bytes = bytesOf(payload);
  const head = Buffer.alloc(9);
  head.writeUIntBE(bytes.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, bytes]);
}

/** A number of 32 bits. */
export function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** The first bytes of a client. */
export const greeting = Buffer.concat([bytesOf('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(4, 0, 0)]);

/** A field in full, which is not remembered. */
export const field = (name: string, value: string): string => `\0${text(name)}${text(value)}`;

function text(of: string): string {
  if (of.length < 127) return String.fromCharCode(of.length) + of;
  let length = '\x7f';
  let rest = of.length - 127;
  for (; rest >= 128; rest >>= 7) length += String.fromCharCode((rest & 127) | 128);
  return length + String.fromCharCode(rest) + of;
}
