// The Content-Type of a body: a type and its parameters, of which only their form matters.

const token = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const wholeType = new RegExp(`^${token}(/${token})?$`);
const parameter = new RegExp(`^\\s*;\\s*(${token})\\s*=\\s*(?:(${token})|"((?:[^"\\\\\\r\\n]|\\\\.)*)")`);

/** No real content type is longer. */
const maxLength = 1024;

/**
 * The type in lower case, without its parameters; undefined where either is malformed, or a parameter has two values.
 * compat: a media type with a malformed parameter is as good as none
 */
export function parseMediaType(header: string): string | undefined {
  if (header.length > maxLength) return undefined;
  const end = header.indexOf(';');
  const type = (end < 0 ? header : header.slice(0, end)).trim().toLowerCase();
  if (!wholeType.test(type)) return undefined;
  return end < 0 || areParameters(header.slice(end)) ? type : undefined;
}

/** What is wrong with a content type, in the words of the reference implementation; undefined for nothing. */
export function mediaTypeProblem(header: string): string | undefined {
  if (parseMediaType(header) !== undefined) return undefined;
  const end = header.indexOf(';');
  const type = (end < 0 ? header : header.slice(0, end)).trim().slice(0, maxLength);
  return `mime: ${typeProblem(type) ?? parameterProblem(header.slice(end, maxLength))}`;
}

function typeProblem(type: string): string | undefined {
  if (wholeType.test(type)) return undefined;
  const first = leadingToken.exec(type)?.[0] ?? '';
  if (first === '') return 'no media type';
  if (type[first.length] !== '/') return 'expected slash after first token';
  return leadingToken.test(type.slice(first.length + 1))
    ? 'unexpected content after media subtype'
    : 'expected token after slash';
}

const leadingToken = new RegExp(`^${token}`);

function parameterProblem(text: string): string {
  const names = new Set<string>();
  let rest = text;
  for (let found = parameter.exec(rest); found !== null; found = parameter.exec(rest)) {
    const name = (found[1] as string).toLowerCase();
    if (names.has(name)) return 'duplicate parameter name';
    names.add(name);
    rest = rest.slice(found[0].length);
  }
  return 'invalid media parameter';
}

function areParameters(text: string): boolean {
  const seen = new Map<string, string>();
  let rest = text;
  while (rest.trim() !== '' && rest.trim() !== ';') {
    const [whole = '', name = '', bare, quoted = ''] = parameter.exec(rest) ?? [];
    const value = bare ?? quoted.replace(/\\(.)/g, '$1');
    const key = name.toLowerCase();
    if (whole === '' || (seen.get(key) ?? value) !== value) return false;
    seen.set(key, value);
    rest = rest.slice(whole.length);
  }
  return true;
}
