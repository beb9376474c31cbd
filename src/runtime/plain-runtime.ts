// The one switch for this folder, which holds everything that is not documented behaviour of Node and V8.

/**
 * With `KEELSON_PLAIN_RUNTIME=1` only documented behaviour is relied on: slower, and a place to look when a new Node misbehaves.
 * Read once, when Keelson is loaded; the command sets the variable for `--plain-runtime`.
 */
export const isPlainRuntime = isYes(process.env['KEELSON_PLAIN_RUNTIME']);

function isYes(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}
