// What is said of a strategic merge patch that makes a field something of another type.

const mismatch = /^json: cannot unmarshal (\w+) into Go (?:value|struct field \S+) of type (\S+)$/;
const kinds: Readonly<Record<string, string>> = {
  string: 'string',
  array: 'slice',
  object: 'map',
  bool: 'bool',
  number: 'int64',
};

/** Undefined where the usual words are the right ones. `told` is what is wrong, in the words for bodies. */
export function strategicMismatch(told: string): string | undefined {
  const [, form = '', type = ''] = mismatch.exec(told) ?? [];
  const kind = kinds[form];
  return kind === undefined ? undefined : whyNot(kind, type);
}

function whyNot(kind: string, type: string): string | undefined {
  if (type.startsWith('map[')) return `cannot restore map from ${kind}`;
  if (type.startsWith('[]')) return `cannot restore slice from ${kind}`;
  if (/^\w+\.[A-Z]\w*$/.test(type)) return `cannot restore struct from: ${kind}`;
  if (!/^(string|bool|int32|int64)$/.test(type)) return undefined;
  return type === 'string' && kind === 'int64' ? 'cannot convert int64 to string' : `unrecognized type: ${type}`;
}
