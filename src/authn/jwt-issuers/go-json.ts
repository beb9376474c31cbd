// Type errors of claims, in the words of Go's JSON package.

/** The beginning of its message. */
export const cannotUnmarshal = (value: unknown): string => `json: cannot unmarshal ${kindOf(value)}`;

/** The whole of it, where the claim stands alone. */
export const notOfType = (value: unknown, type: string): string =>
  `${cannotUnmarshal(value)} into Go value of type ${type}`;

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}
