// The error of an invalid address, in the words of Go's parser.

interface Fault {
  readonly message: string;
  /** Where, as the rest of the text. */
  readonly at?: string;
}

const faultText = (about: string, { message, at }: Fault): string =>
  `${about}: ${message}${at === undefined ? '' : ` (at ${JSON.stringify(at)})`}`;

/** Undefined where nothing is wrong. */
export function addressFault(text: string): string | undefined {
  const fault = faultOf(text);
  return fault && faultText(`ParseAddr(${JSON.stringify(text)})`, fault);
}

export function rangeFault(text: string): string | undefined {
  const slash = text.lastIndexOf('/');
  const message = slash < 0 ? "no '/'" : (addressFault(text.slice(0, slash)) ?? lengthFault(text, slash));
  return message && `netip.ParsePrefix(${JSON.stringify(text)}): ${message}`;
}

function lengthFault(text: string, slash: number): string | undefined {
  const address = text.slice(0, slash);
  const bits = text.slice(slash + 1);
  if (address.includes('%')) return 'IPv6 zones cannot be present in a prefix';
  if (!/^(0|[1-9][0-9]*)$/.test(bits)) return `bad bits after slash: ${JSON.stringify(bits)}`;
  return Number(bits) > (address.includes(':') ? 128 : 32) ? 'prefix length out of range' : undefined;
}

function faultOf(text: string): Fault | undefined {
  const [kind] = /[.:%]/.exec(text) ?? [];
  if (kind === '.') return fourthFault(text);
  if (kind === ':') return sixthFault(text);
  return { message: kind === '%' ? 'missing IPv6 address' : 'unable to parse IP' };
}

/** Of IPv4. */
function fourthFault(text: string): Fault | undefined {
  let digits = '';
  let dots = 0;
  for (const [index, character] of [...text].entries()) {
    const at = text.slice(index);
    if (/[0-9]/.test(character)) {
      if (digits === '0') return { message: 'IPv4 field has octet with leading zero' };
      digits += character;
      if (Number(digits) > 255) return { message: 'IPv4 field has value >255' };
    } else if (character === '.') {
      if (digits === '' || at.length === 1) return { message: 'IPv4 field must have at least one digit', at };
      if (dots === 3) return { message: 'IPv4 address too long' };
      dots++;
      digits = '';
    } else return { message: 'unexpected character', at };
  }
  return dots < 3 ? { message: 'IPv4 address too short' } : undefined;
}

/** Of IPv6: a walk over its fields, each of which is two bytes. */
function sixthFault(text: string): Fault | undefined {
  const [address = '', ...zone] = text.split('%');
  if (zone.length > 0 && zone.join('%') === '') return { message: 'zone must be a non-empty string' };
  let rest = address;
  let gap = false;
  let fields = 0;
  if (rest.startsWith('::')) {
    gap = true;
    rest = rest.slice(2);
    if (rest === '') return undefined;
  }
  while (fields < 8) {
    const [group = ''] = /^[0-9a-fA-F]*/.exec(rest) ?? [];
    const inGroup = groupFault(group, rest);
    if (inGroup !== undefined) return inGroup;
    if (rest[group.length] === '.') return embeddedFault(rest, fields, gap);
    fields++;
    rest = rest.slice(group.length);
    if (rest === '') break;
    const between = separatorFault(rest, gap);
    if (between !== undefined) return between;
    rest = rest.slice(1);
    if (rest.startsWith(':')) {
      gap = true;
      rest = rest.slice(1);
      if (rest === '') break;
    }
  }
  return countFault(rest, fields, gap);
}

function groupFault(group: string, at: string): Fault | undefined {
  if (group.length > 4) return { message: 'each group must have 4 or less digits', at };
  return group === '' ? { message: 'each colon-separated field must have at least one digit', at } : undefined;
}

/** An IPv4 address stands for the last two fields. */
function embeddedFault(at: string, fields: number, gap: boolean): Fault | undefined {
  if (!gap && fields !== 6)
    return { message: 'embedded IPv4 address must replace the final 2 fields of the address', at };
  if (fields > 6) return { message: 'too many hex fields to fit an embedded IPv4 at the end of the address', at };
  return fourthFault(at) ?? countFault('', fields + 2, gap);
}

function separatorFault(at: string, gap: boolean): Fault | undefined {
  if (!at.startsWith(':')) return { message: 'unexpected character, want colon', at };
  if (at.length === 1) return { message: 'colon must be followed by more characters', at };
  return gap && at[1] === ':' ? { message: 'multiple :: in address', at: at.slice(1) } : undefined;
}

function countFault(rest: string, fields: number, gap: boolean): Fault | undefined {
  if (rest !== '') return { message: 'trailing garbage after address', at: rest };
  if (fields < 8) return gap ? undefined : { message: 'address string too short' };
  return gap ? { message: 'the :: must expand to at least one field of zeros' } : undefined;
}
