// What messages call the types of fields: every name of the reference implementation that is not what a field is made of.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { builtInGroups } from '../../groups/catalog.ts';
import { deleteOptions } from '../../groups/meta/v1/types.ts';
import { kubernetes } from '../../meta/dialect.ts';
import type { Field, SchemaType, StructType } from '../../schema/types.ts';
import { goNameOf, goNameOfField } from './go-names.ts';

const file = new URL('../../../test/golden/go-names.json', import.meta.url);
const golden = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, Readonly<Record<string, string>>>>;

function collect(type: SchemaType, structs: Map<string, StructType>): void {
  if (type.is === 'list' || type.is === 'map') collect(type.of, structs);
  if (type.is === 'union') for (const alternative of type.alternatives) collect(alternative.type, structs);
  if (type.is !== 'struct' || structs.has(keyOf(type))) return;
  structs.set(keyOf(type), type);
  for (const field of type.fields) collect(field.type, structs);
}

const keyOf = ({ home, name }: StructType) => `${home}.${name}`;

function namesOf(type: StructType): Readonly<Record<string, string>> {
  const isNamed = (field: Field) => field.inlined !== undefined || goNameOfField(type, field) !== goNameOf(field.type);
  const entries = type.fields
    .filter(isNamed)
    .map((field) => [[...(field.inlined ?? []), field.name].join('.'), goNameOfField(type, field)]);
  return Object.fromEntries(entries) as Readonly<Record<string, string>>;
}

const structs = new Map<string, StructType>();
for (const { resources } of builtInGroups(kubernetes))
  for (const { subresources = [], ...definition } of resources)
    for (const one of [definition, ...subresources])
      if ('type' in one && one.type?.is === 'struct') collect(one.type, structs);
collect(deleteOptions, structs);

test.each(Object.entries(golden))('%s', (key, names) => {
  const type = structs.get(key);
  expect(type && namesOf(type)).toEqual(names);
});
