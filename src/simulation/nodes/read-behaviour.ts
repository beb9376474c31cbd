// Reads behaviour from values of rules and from texts of annotations; errors name the field.

import { parseQuantity } from '../../meta/quantity.ts';
import { type Behaviour, behaviourFields, limits } from './behaviour.ts';

/** A value that cannot be used, with the reason. */
export class InvalidBehaviour extends Error {
  override readonly name = 'InvalidBehaviour';
}

type Field = keyof Behaviour;
type Reader = (value: unknown) => unknown;

const fail = (expected: string): never => {
  throw new InvalidBehaviour(expected);
};

const readNumber = (largest: number, isWhole: boolean, expected: string): Reader => {
  return (value) => {
    const isRight =
      typeof value === 'number' && value >= 0 && value <= largest && (!isWhole || Number.isInteger(value));
    return isRight ? value : fail(expected);
  };
};

function readText(value: unknown): string {
  if (typeof value === 'string' && value !== '' && value.length <= limits.textLength) return value;
  return fail(`must be a text of at most ${limits.textLength} characters`);
}

function readLines(value: unknown): readonly string[] {
  const lines = typeof value === 'string' ? value.replace(/\n$/, '').split('\n') : value;
  const isRight = Array.isArray(lines) && lines.length <= limits.lines && lines.every((one) => typeof one === 'string');
  if (!isRight) return fail(`must be a text or a list of at most ${limits.lines} lines`);
  return (lines as string[]).flatMap((line) => line.split('\n'));
}

function readQuantity(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value;
  const quantity = typeof text === 'string' ? parseQuantity(text) : undefined;
  return quantity !== undefined && quantity.digits >= 0n
    ? (text as string)
    : fail('must be a quantity, such as 100m or 64Mi');
}

const readers: Readonly<Record<(typeof behaviourFields)[Field], Reader>> = {
  seconds: readNumber(limits.seconds, false, `must be a number of seconds from 0 to ${limits.seconds}`),
  code: readNumber(limits.code, true, `must be a whole number from 0 to ${limits.code}`),
  count: readNumber(limits.count, true, `must be a whole number from 0 to ${limits.count}`),
  flag: (value) => (typeof value === 'boolean' ? value : fail('must be true or false')),
  text: readText,
  lines: readLines,
  quantity: readQuantity,
};

const isField = (name: string): name is Field => Object.hasOwn(behaviourFields, name);

/** Throws an InvalidBehaviour that names the field. */
export function readBehaviour(fields: Readonly<Record<string, unknown>>): Behaviour {
  const entries = Object.entries(fields).map(([name, value]) => [name, readField(name, value)] as const);
  return Object.fromEntries(entries);
}

function readField(name: string, value: unknown): unknown {
  if (!isField(name)) throw new InvalidBehaviour(`${name}: is not a field; use one of ${fieldNames}`);
  try {
    return readers[behaviourFields[name]](value);
  } catch (error) {
    throw error instanceof InvalidBehaviour ? new InvalidBehaviour(`${name}: ${error.message}`) : error;
  }
}

const fieldNames = Object.keys(behaviourFields).join(', ');

/** Annotations of a pod below this domain set its behaviour; below a container's subdomain, that of the container. */
export const annotationDomain = 'simulation.keelson.dev';

const fieldByAnnotation = new Map(
  Object.keys(behaviourFields).map((name) => [name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`), name]),
);

interface AnnotatedBehaviour {
  /** The name of a container; empty for all. */
  readonly container: string;
  readonly behaviour: Behaviour;
}

/** What the annotations of a pod say. Throws an InvalidBehaviour that names the annotation. */
export function readAnnotations(annotations: Readonly<Record<string, string>> = {}): readonly AnnotatedBehaviour[] {
  const annotated: AnnotatedBehaviour[] = [];
  for (const [key, text] of Object.entries(annotations)) {
    const [domain = '', name] = key.split('/');
    if (name === undefined || !(domain === annotationDomain || domain.endsWith(`.${annotationDomain}`))) continue;
    const container = domain === annotationDomain ? '' : domain.slice(0, -annotationDomain.length - 1);
    annotated.push({ container, behaviour: readAnnotation(key, name, text) });
  }
  // those of one container are stronger
  return annotated.sort((a, b) => a.container.length - b.container.length);
}

function readAnnotation(key: string, name: string, text: string): Behaviour {
  const field = fieldByAnnotation.get(name);
  if (field === undefined)
    throw new InvalidBehaviour(`annotation ${key}: is not one of ${[...fieldByAnnotation.keys()].join(', ')}`);
  try {
    return readBehaviour({ [field]: parseText(field as Field, text) });
  } catch (error) {
    const reason = (error as Error).message.replace(`${field}: `, '');
    throw error instanceof InvalidBehaviour ? new InvalidBehaviour(`annotation ${key}: ${reason}`) : error;
  }
}

function parseText(field: Field, text: string): unknown {
  switch (behaviourFields[field]) {
    case 'seconds':
    case 'code':
    case 'count':
      return /^\d+(\.\d+)?$/.test(text) ? Number(text) : text;
    case 'flag':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'text':
    case 'lines':
    case 'quantity':
      return text;
  }
}
