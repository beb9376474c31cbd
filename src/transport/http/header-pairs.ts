// Headers as they were sent.

/** Names and values that follow each other, as pairs. */
export function pairs(raw: readonly string[]): [string, string][] {
  const lowered: [string, string][] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) lowered.push([(raw[i] as string).toLowerCase(), raw[i + 1] as string]);
  return lowered;
}
