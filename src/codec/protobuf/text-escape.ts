// Escaped characters in JSON text that have no letter of their own.

/** The escape at `at`; both of them where two halves of a character follow each other. Undefined where nothing is escaped so. */
export function unicodeEscape(json: Buffer, at: number): string | undefined {
  const escaped = /^(?:\\u[0-9a-fA-F]{4}){1,2}/.exec(json.toString('latin1', at, at + 12))?.[0];
  // two characters of which the second may be the first half of one: one after the other
  const isPair = escaped !== undefined && /^\\u[dD][89abAB]..\\u[dD][c-fC-F]/.test(escaped);
  return isPair ? escaped : escaped?.slice(0, 6);
}
