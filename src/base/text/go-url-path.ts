// Paths of URLs, read and written as Go's net/url does. A decoded path is text of bytes: one character for each byte.

/** The first broken escape of a path, such as `%zz`. */
export const brokenEscape = (path: string): string | undefined => /%(?![0-9a-f]{2}).{0,2}/is.exec(path)?.[0];

/** The bytes that a path without broken escapes stands for. */
export const decodedPath = (path: string): string =>
  pathBytes(path).replace(/(?:%[0-9a-f]{2})+/gi, (escapes) =>
    Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('latin1'),
  );

/** The bytes of a path in which nothing is escaped. */
export const pathBytes = (path: string): string => Buffer.from(path).toString('latin1');

/** An absolute path without empty steps, dots and a slash at its end, as `path.Join` makes it. */
export function cleanedPath(bytes: string): string {
  const steps: string[] = [];
  for (const step of bytes.split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return `/${steps.join('/')}`;
}

/** Everything is escaped but the characters that Go leaves as they are in a path. */
export const encodedPath = (bytes: string): string =>
  bytes.replace(/[^\w$&+,/:;=@.~-]+/g, (part) =>
    Buffer.from(part, 'latin1').toString('hex').toUpperCase().replace(/../g, '%$&'),
  );

/** A path without broken escapes as it was written, if a URL may hold it so; escaped again otherwise. */
export const escapedPath = (path: string): string => (isValid(path) ? path : encodedPath(decodedPath(path)));

const isValid = (path: string): boolean => /^[\w$&+,/:;=@.~\-!'()*[\]%]*$/.test(path);

/** The path of an absolute URL, as it is written. */
export const pathOfUrl = (url: string): string => /^[^:/?#]*:\/\/[^/?#\\]*([^?#]*)/.exec(url)?.[1] ?? '';

/** The path of a server's address, as client-go sends it. */
export interface BasePath {
  /** In front of the paths of an API; empty for the root. */
  readonly prefix: string;
  /** Where nothing is appended to it. */
  readonly whole: string;
}

export function basePathOf(path: string): BasePath {
  const bytes = decodedPath(path);
  const clean = cleanedPath(bytes);
  const encoded = encodedPath(clean);
  return {
    prefix: clean === '/' ? '' : encoded,
    // the escapes that the address has itself stay only if there was nothing to clean
    whole: bytes === clean && isValid(path) ? path : encoded,
  };
}
