// How large the headers of a request over HTTP/1.1 may be, on a port that also speaks HTTP/2.

import type { Http2SecureServer } from 'node:http2';
import { isPlainRuntime } from './plain-runtime.ts';

/** The parser asks the server, which takes no such option over HTTP/2. With a plain runtime Node's own limit counts: 16 KiB. */
export function setMaxHeaderSize(server: Http2SecureServer, bytes: number): void {
  if (!isPlainRuntime) Object.assign(server, { maxHeaderSize: bytes });
}
