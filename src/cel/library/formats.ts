// Named formats: `format.dns1123Label().validate(text)` returns the errors of a text.

import { checkLabelName, checkLabelValue, checkQualifiedName, checkSubdomain } from '../../meta/names.ts';
import { type Library, member, plain } from '../declarations.ts';
import { parseTimestamp } from '../time.ts';
import { list, optional, string } from '../types.ts';
import { ListValue, none, OpaqueValue, OptionalValue } from '../values.ts';
import { readUrl } from './urls.ts';
import { vendorType } from './vendor.ts';

const type = vendorType('NamedFormat');

interface Format {
  readonly check: (text: string) => readonly string[];
  /** Length of the pattern that the check is taken to have, for its cost. */
  readonly pattern: number;
}

class FormatValue extends OpaqueValue {
  readonly type = type;
  readonly name: string;
  readonly format: Format;

  constructor(name: string, format: Format) {
    super();
    this.name = name;
    this.format = format;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof FormatValue && other.name === this.name;
  }

  override get size(): number {
    return this.format.pattern;
  }
}

const dns1035Advice =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

/** A prefix may end in a dash. */
function checkLabel1035(text: string, prefix: boolean): readonly string[] {
  const name = prefix && text.length > 1 && text.endsWith('-') ? `${text.slice(0, -1)}a` : text;
  return [
    ...(name.length > 63 ? ['must be no more than 63 bytes'] : []),
    ...(/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name) ? [] : [dns1035Advice]),
  ];
}

const matching = (form: RegExp, fault: string) => (text: string) => (form.test(text) ? [] : [fault]);

function checkUri(text: string): readonly string[] {
  const parts = readUrl(text);
  return 'fault' in parts ? [`parse ${JSON.stringify(text)}: ${parts.fault}`] : [];
}

function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && parseTimestamp(`${text}T00:00:00Z`) !== undefined;
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;
const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

const formats: ReadonlyMap<string, Format> = new Map<string, Format>([
  ['dns1123Label', { check: (text) => checkLabelName(text), pattern: 30 }],
  ['dns1123Subdomain', { check: (text) => checkSubdomain(text), pattern: 60 }],
  ['dns1035Label', { check: (text) => checkLabel1035(text, false), pattern: 30 }],
  ['qualifiedName', { check: checkQualifiedName, pattern: 60 }],
  ['dns1123LabelPrefix', { check: (text) => checkLabelName(text, true), pattern: 30 }],
  ['dns1123SubdomainPrefix', { check: (text) => checkSubdomain(text, true), pattern: 60 }],
  ['dns1035LabelPrefix', { check: (text) => checkLabel1035(text, true), pattern: 30 }],
  ['labelValue', { check: checkLabelValue, pattern: 40 }],
  ['uri', { check: checkUri, pattern: 1103 }],
  ['uuid', { check: matching(uuid, 'does not match the UUID format'), pattern: 70 }],
  ['byte', { check: matching(base64, 'invalid base64'), pattern: 84 }],
  ['date', { check: (text) => (isDate(text) ? [] : ['invalid date']), pattern: 71 }],
  ['datetime', { check: (text) => (parseTimestamp(text) ? [] : ['invalid datetime']), pattern: 71 }],
]);

const values = new Map([...formats].map(([name, format]) => [name, new FormatValue(name, format)]));

function named(name: string): OptionalValue {
  const format = values.get(name);
  return format === undefined ? none : new OptionalValue(format);
}

function validate({ format }: FormatValue, text: string): OptionalValue {
  const faults = format.check(text);
  return faults.length === 0 ? none : new OptionalValue(new ListValue(faults));
}

const constants = Object.fromEntries(
  [...values].map(([name, value]) => [`format.${name}`, [plain(`format.${name}`, [], type, () => value)]]),
);

export const namedFormats: Library = {
  functions: {
    ...constants,
    'format.named': [plain('format-named', [string], optional(type), named)],
    validate: [member('format-validate', [type, string], optional(list(string)), validate)],
  },
};
