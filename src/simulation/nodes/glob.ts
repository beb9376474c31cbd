// Patterns of names: `*` stands for any characters, `?` for one. Compared in linear time for each star.

/** Matches everything where there is no pattern. */
export function globMatcher(pattern: string | undefined): (text: string) => boolean {
  if (pattern === undefined || pattern === '*') return () => true;
  if (!/[*?]/.test(pattern)) return (text) => text === pattern;
  return (text) => matchesGlob(pattern, text);
}

function matchesGlob(pattern: string, text: string): boolean {
  let at = 0;
  let inPattern = 0;
  let star = -1;
  let starText = 0;
  while (at < text.length) {
    const next = pattern[inPattern];
    if (next === '*') {
      star = inPattern++;
      starText = at;
    } else if (next === '?' || next === text[at]) {
      inPattern++;
      at++;
    } else if (star >= 0) {
      // the last star takes one more character
      inPattern = star + 1;
      at = ++starText;
    } else return false;
  }
  while (pattern[inPattern] === '*') inPattern++;
  return inPattern === pattern.length;
}
