// Text that another server wrote, for a line of the log: short, and without signs that end the line or change how it is shown.

const maxLength = 200;

export function foreignText(text: string): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}...` : text;
  return cut.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu,
    (sign) => `\\u${sign.codePointAt(0)?.toString(16).padStart(4, '0')}`,
  );
}
