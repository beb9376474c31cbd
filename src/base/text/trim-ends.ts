// Taking characters away from the ends of a text. A pattern such as / +$/ looks at every run of blanks from each of its
// characters on: a client that sends tens of thousands of them would keep the server busy for seconds.

type IsDropped = (character: string) => boolean;

export const trimEnds = (text: string, isDropped: IsDropped): string => trimEnd(trimStart(text, isDropped), isDropped);

export function trimEnd(text: string, isDropped: IsDropped): string {
  let end = text.length;
  while (end > 0 && isDropped(text[end - 1] as string)) end--;
  return text.slice(0, end);
}

function trimStart(text: string, isDropped: IsDropped): string {
  let start = 0;
  while (start < text.length && isDropped(text[start] as string)) start++;
  return text.slice(start);
}
