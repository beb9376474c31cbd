// gzip for large answers, on Node's thread pool: other requests do not wait for it.

import { once } from 'node:events';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { ApiRequest, ApiResponse, BodyStream, Sink } from '../meta/exchange.ts';

/** Where kube-apiserver draws the line for resources. */
const worthCompressing = 128 * 1024;
/** Fast, rather than as small as can be. */
const options = { level: 1 };

/** Loaded with the first answer that is compressed, not with the server. */
const zlib = () => process.getBuiltinModule('node:zlib');

interface CompressionRules {
  /** Smaller answers are sent as they are. */
  readonly from?: number;
  /** Headers of an answer that is compressed. */
  readonly headers?: ApiResponse['headers'];
}

const varying = { vary: 'Accept-Encoding' };

/** The answer, compressed if it is large and the client can read that. Streams of unknown length are left alone. */
export function compressed(
  request: ApiRequest,
  response: ApiResponse,
  { from = worthCompressing, headers: added = varying }: CompressionRules = {},
): MaybePromise<ApiResponse> {
  const { body, gzipBody } = response;
  if (body === undefined || lengthOf(response) < from || !takesGzip(request)) return response;
  const headers = { ...response.headers, 'content-encoding': 'gzip', ...added };
  if (gzipBody !== undefined) return { ...response, headers, body: gzipBody };
  if (typeof body === 'function') return { ...response, headers, body: gzipStream(body) };
  return gzipWhole(body).then((bytes) => ({ ...response, headers, body: bytes }));
}

export const gzipWhole = (body: Uint8Array | string): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    zlib().gzip(body, options, (error, bytes) => (error === null ? resolve(bytes) : reject(error)));
  });

function lengthOf({ body, expectedLength = 0 }: ApiResponse): number {
  return typeof body === 'function' ? expectedLength : (body?.length ?? 0);
}

/** Whether the client can read gzip. */
export function takesGzip(request: ApiRequest): boolean {
  const codings = request.header('accept-encoding')?.split(',') ?? [];
  return codings.some((coding) => {
    const [name = '', quality = 'q=1'] = coding.split(';').map((part) => part.trim().toLowerCase());
    return name === 'gzip' && Number(quality.slice(quality.indexOf('=') + 1)) > 0;
  });
}

function gzipStream(body: BodyStream): BodyStream {
  return async (sink) => {
    const zip = zlib().createGzip(options);
    zip.on('data', (chunk: Buffer) => {
      if (sink.write(chunk)) return;
      zip.pause();
      void sink.drained().then(() => zip.resume());
    });
    const inner: Sink = {
      write: (chunk) => zip.write(chunk),
      // a client that left drains everything, so this cannot wait for ever
      drained: () => (zip.writableNeedDrain ? once(zip, 'drain').then(() => {}) : Promise.resolve()),
      get isGone() {
        return sink.isGone;
      },
      onStop: (stop) => sink.onStop(stop),
      end: () => {},
      cut: () => sink.cut(),
    };
    const over = once(zip, 'end');
    try {
      await body(inner);
      zip.end();
      await over;
    } finally {
      zip.destroy();
    }
  };
}
