// Compares a text with a schema: what is wrong, and where.

import { type Document, isMap, isScalar, isSeq, type Node, parseDocument } from 'yaml';
import { isOpen, itemSchema, propertySchema, type Schema } from './schema.ts';

export interface Problem {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

/** Aliases are not part of what the server stores. */
export const parseText = (text: string): Document => parseDocument(text, { maxAliasCount: 0 } as object);

export function problemsOf(document: Document, schema: Schema | undefined): readonly Problem[] {
  const problems: Problem[] = [...document.errors, ...document.warnings].map(({ pos: [from, to], message }) => ({
    ...{ from, to: Math.max(to, from + 1) },
    message: message.split('\n')[0] ?? message,
  }));
  if (schema !== undefined && document.errors.length === 0) check(document.contents, schema, problems);
  return problems;
}

function check(node: unknown, schema: Schema, problems: Problem[]): void {
  const add = (at: unknown, message: string) => {
    const [from, to] = (at as Node).range ?? [0, 0];
    problems.push({ from, to: Math.max(to, from + 1), message });
  };
  if (isMap(node)) {
    if (schema.type !== undefined && schema.type !== 'object') add(node, `expected ${schema.type}`);
    for (const { key, value } of node.items) {
      if (!isScalar(key)) continue;
      const property = propertySchema(schema, String(key.value));
      if (property !== undefined) check(value, property, problems);
      else if (!isOpen(schema)) add(key, `unknown field ${JSON.stringify(String(key.value))}`);
    }
    for (const name of schema.required ?? []) if (!node.has(name)) add(node, `${JSON.stringify(name)} is required`);
  } else if (isSeq(node)) {
    if (schema.type !== undefined && schema.type !== 'array') add(node, `expected ${schema.type}`);
    const items = itemSchema(schema);
    if (items !== undefined) for (const item of node.items) check(item, items, problems);
  } else if (isScalar(node) && node.value !== null) {
    if (!fits(node.value, schema)) add(node, `expected ${schema.type}`);
    else if (schema.enum !== undefined && !schema.enum.includes(node.value))
      add(node, `expected one of ${schema.enum.map(String).join(', ')}`);
  }
}

function fits(value: unknown, { type, oneOf, 'x-kubernetes-int-or-string': isEither }: Schema): boolean {
  if (type === undefined || isEither || oneOf !== undefined) return true;
  if (type === 'integer') return Number.isInteger(value);
  return type === typeof value;
}
