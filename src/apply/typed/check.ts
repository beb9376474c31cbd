// Whether an applied configuration fits its type. Unlike other writes it may hold nothing that the schema does not
// know, because nobody could own it.

import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { showElement } from '../fields/element.ts';
import { elementOf, MissingKeyError } from './list-items.ts';
import type { Accepts, KeyedList, SetTopology, Topology } from './topology.ts';

/** Everything wrong with a configuration. */
export class MisfitError extends Error {}

/** More than anybody reads. */
const maxFindings = 100;

/** Throws a `MisfitError` that names every place. */
export function checkFit(topology: Topology, object: object): void {
  const findings: string[] = [];
  check(topology, object, '', findings);
  if (findings.length === 0) return;
  const text = findings.length === 1 ? (findings[0] as string) : `errors:\n${findings.map((f) => `  ${f}`).join('\n')}`;
  throw new MisfitError(text);
}

function check(topology: Topology, value: unknown, path: string, findings: string[]): void {
  if (value === null || findings.length >= maxFindings) return;
  switch (topology.is) {
    case 'scalar':
      checkScalar(topology.accepts, value, path, findings);
      return;
    case 'list':
    case 'set':
    case 'keyed':
      if (Array.isArray(value)) checkItems(topology, value, path, findings);
      else findings.push(`${path}: expected list, got ${show(value)}`);
      return;
    case 'struct':
    case 'map':
      if (isJsonObject(value)) checkMembers(topology, value, path, findings);
      else findings.push(`${path}: expected map, got ${show(value)}`);
      return;
    case 'untyped':
  }
}

const expected: Readonly<Record<Accepts, string>> = {
  string: 'string',
  number: 'numeric (int or float)',
  boolean: 'boolean',
  any: 'scalar',
};

function checkScalar(accepts: Accepts, value: unknown, path: string, findings: string[]): void {
  const found = typeof value === 'bigint' ? 'number' : typeof value;
  const fits = accepts === 'any' ? found !== 'object' : found === accepts;
  if (!fits) findings.push(`${path}: expected ${expected[accepts]}, got ${show(value)}`);
}

/** compat: values of a wrong type are shown as the reference implementation's language prints them */
function show(value: unknown): string {
  if (isJsonObject(value)) return '&value.valueUnstructured{Value:map[string]interface {}{...}}';
  if (Array.isArray(value)) return '&value.valueUnstructured{Value:[]interface {}{...}}';
  return `&value.valueUnstructured{Value:${typeof value === 'string' ? JSON.stringify(value) : String(value)}}`;
}

function checkItems(
  topology: Extract<Topology, { is: 'list' | 'set' | 'keyed' }>,
  list: readonly unknown[],
  path: string,
  findings: string[],
): void {
  const seen = new Set<string>();
  list.forEach((item, index) => {
    const element = topology.is === 'list' ? `i:${index}` : checkElement(topology, item, index, path, seen, findings);
    check(topology.of, item, path + showElement(element), findings);
  });
}

/** Items of an associative list need keys, and keys of their own. */
function checkElement(
  topology: KeyedList | SetTopology,
  item: unknown,
  index: number,
  path: string,
  seen: Set<string>,
  findings: string[],
): string {
  try {
    const element = elementOf(topology, item);
    if (seen.has(element)) findings.push(`${path}: duplicate entries for key ${showElement(element)}`);
    seen.add(element);
    return element;
  } catch (error) {
    if (!(error instanceof MissingKeyError)) throw error;
    findings.push(`${path}: element ${index}: ${error.message}`);
    return `i:${index}`;
  }
}

function checkMembers(
  topology: Extract<Topology, { is: 'struct' | 'map' }>,
  object: JsonObject,
  path: string,
  findings: string[],
): void {
  for (const key of Object.keys(object)) {
    const at = `${path}.${key}`;
    const type = topology.is === 'map' ? topology.of : (topology.fields.get(key)?.type ?? topology.rest);
    if (type !== undefined) check(type, object[key], at, findings);
    else if (!(path === '' && typeMeta.has(key))) findings.push(`${at}: field not declared in schema`);
  }
}

const typeMeta: ReadonlySet<string> = new Set(['kind', 'apiVersion']);
