// Bytes as Node's own kind of array, which can search and decode.

/** The same memory; nothing is made where it is a Buffer already. */
export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
