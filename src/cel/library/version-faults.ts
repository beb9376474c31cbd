// The error of an invalid semantic version, in the words of the parser of kube-apiserver.

const largest = 2n ** 64n;
const mostDigits = String(largest).length;

/** Undefined where nothing is wrong. */
export function versionFault(text: string): string | undefined {
  if (text === '') return 'Version string empty';
  const [major = '', minor, ...others] = text.split('.');
  if (minor === undefined || others.length === 0) return 'No Major.Minor.Patch elements found';
  const [, patch = '', early, build] = /^([^+-]*)(?:-([^+]*))?(?:\+(.*))?$/s.exec(others.join('.')) ?? [];
  return (
    numberFault(major, 'Major') ??
    numberFault(minor, 'Minor') ??
    numberFault(patch, 'Patch') ??
    firstFault(early, earlyFault) ??
    firstFault(build, buildFault)
  );
}

function firstFault(list: string | undefined, faultOf: (part: string) => string | undefined): string | undefined {
  return list
    ?.split('.')
    .map(faultOf)
    .find((fault) => fault !== undefined);
}

function numberFault(text: string, name: string): string | undefined {
  const quotedText = JSON.stringify(text);
  if (/[^0-9]/.test(text)) return `Invalid character(s) found in ${name.toLowerCase()} number ${quotedText}`;
  if (/^0./.test(text)) return `${name} number must not contain leading zeroes ${quotedText}`;
  return rangeFault(text);
}

function rangeFault(digits: string): string | undefined {
  const about = `strconv.ParseUint: parsing ${JSON.stringify(digits)}`;
  if (digits === '') return `${about}: invalid syntax`;
  return digits.length > mostDigits || BigInt(digits) >= largest ? `${about}: value out of range` : undefined;
}

function earlyFault(text: string): string | undefined {
  const quotedText = JSON.stringify(text);
  if (text === '') return 'Prerelease is empty';
  if (/[^0-9a-zA-Z-]/.test(text)) return `Invalid character(s) found in prerelease ${quotedText}`;
  if (!/^[0-9]+$/.test(text)) return undefined;
  return text.length > 1 && text.startsWith('0')
    ? `Numeric PreRelease version must not contain leading zeroes ${quotedText}`
    : rangeFault(text);
}

function buildFault(text: string): string | undefined {
  if (text === '') return 'Build meta data is empty';
  const isPlain = /^[0-9a-zA-Z-]+$/.test(text);
  return isPlain ? undefined : `Invalid character(s) found in build meta data ${JSON.stringify(text)}`;
}
