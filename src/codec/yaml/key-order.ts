// The order of keys in YAML text: numbers in them count as numbers, and letters come after everything else.

const isDigit = (letter: string | undefined) => letter !== undefined && /\p{Nd}/u.test(letter);
const isLetter = (letter: string) => /\p{L}/u.test(letter);

export function compareKeys(first: string, second: string): number {
  if (first === second) return 0;
  const [a, b] = [[...first], [...second]];
  let inNumber = false;
  for (let at = 0; at < a.length && at < b.length; at++) {
    const [one, other] = [a[at] as string, b[at] as string];
    if (one !== other) return differing(a, b, at, inNumber);
    inNumber = isDigit(one);
  }
  return a.length - b.length;
}

/** The first letters that differ decide, or the numbers that they are part of. */
function differing(a: readonly string[], b: readonly string[], at: number, inNumber: boolean): number {
  const [one, other] = [a[at] as string, b[at] as string];
  const letters = [isLetter(one), isLetter(other)];
  if (letters[0] && letters[1]) return one < other ? -1 : 1;
  // after digits a letter ends the smaller number
  if (letters[0] || letters[1]) return letters[0] === inNumber ? -1 : 1;
  const leading = one === '0' || other === '0' ? leadingDigits(a, at) : '';
  const [left, right] = [digitsAt(a, at), digitsAt(b, at)];
  const difference = Number(leading + left) - Number(leading + right);
  if (difference !== 0) return difference;
  if (left.length !== right.length) return left.length - right.length;
  return one < other ? -1 : 1;
}

const leadingDigits = (letters: readonly string[], before: number): string =>
  letters.slice(0, before).some((letter, at) => letter !== '0' && letters.slice(at, before).every(isDigit)) ? '1' : '';

function digitsAt(letters: readonly string[], from: number): string {
  let end = from;
  while (isDigit(letters[end])) end++;
  return letters.slice(from, end).join('');
}
