// Failures of connections and of TLS, in the words of Go's net, net/http and crypto/tls.

/** Headers of an answer, in bytes. */
export const maxHeaderSize = 1024 * 1024;

const brokenHttp = 'net/http: HTTP/1.x transport connection broken';

interface SystemError extends NodeJS.ErrnoException {
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
  readonly errors?: readonly SystemError[];
}

const unknownAuthority = 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
const outOfTime = 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid';

const byCode: Readonly<Record<string, string>> = {
  CERT_SIGNATURE_FAILURE: unknownAuthority,
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  CERT_HAS_EXPIRED: outOfTime,
  CERT_NOT_YET_VALID: outOfTime,
  HPE_HEADER_OVERFLOW: `${brokenHttp}: net/http: server response headers exceeded ${maxHeaderSize} bytes; aborted`,
  EPROTO: 'tls: first record does not look like a TLS handshake',
  ECONNRESET: 'EOF',
  EPIPE: 'write: broken pipe',
};

const dialWords: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ETIMEDOUT: 'connection timed out',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network is unreachable',
};

/** The reason of a missing answer; undefined where the error has none. */
export function connectionFailure(error: unknown): string | undefined {
  if ((error as Error).name === 'TimeoutError') return 'context deadline exceeded';
  const { code = '', hostname, errors, message } = error as SystemError;
  const [first] = errors ?? [];
  if (first !== undefined) return connectionFailure(first);
  if (Object.hasOwn(dialWords, code)) return dialFailure(error as SystemError, dialWords[code] as string);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${hostname ?? ''}: no such host`;
  if (code.startsWith('ERR_SSL_')) return `remote error: tls: ${code.slice('ERR_SSL_'.length).toLowerCase()}`;
  if (Object.hasOwn(byCode, code)) return byCode[code] as string;
  return code.startsWith('HPE_') ? `${brokenHttp}: malformed HTTP response` : message || code || undefined;
}

function dialFailure({ address, port }: SystemError, why: string): string {
  const host = address?.includes(':') ? `[${address}]` : address;
  return address === undefined ? `dial tcp: ${why}` : `dial tcp ${host}:${port}: connect: ${why}`;
}
