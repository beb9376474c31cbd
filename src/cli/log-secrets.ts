// The last guard before a line is written: what looks like a credential is left out, wherever it came from.

const hidden = '[hidden]';

const secretNames = /^(authorization|cookie|token|password|passwd|secret|private-?key|client-?key(-data)?)$/i;

/** Patterns of linear cost: each begins with different letters and has no alternative inside a repetition. */
const credentials: readonly (readonly [pattern: RegExp, shown: string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(-----END [A-Z ]*PRIVATE KEY-----)?/g, hidden],
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, hidden],
  [/\b(Bearer|Basic) [\w.~+/=-]+/gi, `$1 ${hidden}`],
  [/(\w:\/\/)[^\s/@:]+:[^\s/]+@/g, `$1${hidden}@`],
  [/\b[a-z0-9]{6}\.[a-z0-9]{16}\b/g, hidden],
  [/\b(token|password|secret|access_token|id_token)=[^\s&"']+/gi, `$1=${hidden}`],
];

/** Longer texts are cut: a line is for people, and patterns cost time. */
const maxText = 8192;
const maxDepth = 4;

export function withoutSecrets(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return inText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maxDepth) return '...';
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      secretNames.test(name) ? hidden : withoutSecrets(item, depth + 1),
    ]),
  );
}

function inText(text: string): string {
  const cut = text.length > maxText ? `${text.slice(0, maxText)}...` : text;
  return credentials.reduce((rest, [pattern, shown]) => rest.replace(pattern, shown), cut);
}
