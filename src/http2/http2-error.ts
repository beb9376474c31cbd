// A fault of the other end of a connection, with its error code of HTTP/2.

export const errorCodes = {
  noError: 0,
  protocol: 1,
  internal: 2,
  flowControl: 3,
  streamClosed: 5,
  frameSize: 6,
  refusedStream: 7,
  cancel: 8,
  compression: 9,
  enhanceYourCalm: 11,
} as const;

const names = [
  'NO_ERROR',
  'PROTOCOL_ERROR',
  'INTERNAL_ERROR',
  'FLOW_CONTROL_ERROR',
  'SETTINGS_TIMEOUT',
  'STREAM_CLOSED',
  'FRAME_SIZE_ERROR',
  'REFUSED_STREAM',
  'CANCEL',
  'COMPRESSION_ERROR',
  'CONNECT_ERROR',
  'ENHANCE_YOUR_CALM',
  'INADEQUATE_SECURITY',
  'HTTP_1_1_REQUIRED',
];

const nameOf = (code: number): string => names[code] ?? `unknown error code 0x${code.toString(16)}`;

/** Ends the connection. */
export class Http2Error extends Error {
  override readonly name = 'Http2Error';
  readonly code: number;

  constructor(code: number) {
    super(`connection error: ${nameOf(code)}`);
    this.code = code;
  }
}

/** One request was reset by the other end. */
export const streamReset = (stream: number, code: number): Error =>
  new Error(`stream error: stream ID ${stream}; ${nameOf(code)}; received from peer`);
