// Numbers of HTTP/2 that both ends of a connection know (RFC 9113).

export const frameType = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const flag = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 32 } as const;

export const setting = {
  tableSize: 1,
  enablePush: 2,
  maxStreams: 3,
  initialWindow: 4,
  maxFrame: 5,
  maxHeaderList: 6,
} as const;

export const headBytes = 9;
/** The longest payload for an end that did not allow more; neither the client nor the server here does. */
export const maxFrameBytes = 16_384;
/** The longest payload that an end may ask for. */
export const maxFrameSetting = 2 ** 24 - 1;
/** Bytes that each stream and the connection may send, unless the other end sets another window. */
export const usualWindow = 65_535;
export const maxWindow = 2 ** 31 - 1;
/** Numbers of streams are used once. */
export const lastStream = 2 ** 31 - 1;

export const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
