// TypeScript types of custom resources.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../base/json/json.ts';
import { declarationsOf } from './custom-declarations.ts';

const schema = {
  type: 'object',
  description: 'A widget. */ import "x"\nMore.',
  required: ['spec'],
  properties: {
    metadata: { type: 'object' },
    spec: {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer', description: 'In millimetres.' },
        colour: { type: 'string', enum: ['red', 'blue'] },
        'odd-name': { type: 'string', nullable: true },
        port: { 'x-kubernetes-int-or-string': true },
        ports: { type: 'array', items: { 'x-kubernetes-int-or-string': true } },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
        parts: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
  },
};

const definition = (group: string, versions: readonly string[]): JsonObject =>
  ({
    spec: {
      group,
      names: { kind: 'Widget' },
      versions: versions.map((name) => ({ name, schema: { openAPIV3Schema: schema } })),
    },
  }) as unknown as JsonObject;

test('a definition is an interface with its fields, their descriptions and its version', () => {
  const text = declarationsOf([definition('example.com', ['v1'])]);
  expect(text.slice(text.indexOf('/** A widget'))).toBe(`/** A widget. * / import "x" */
${'export'} interface Widget {
  apiVersion: "example.com/v1";
  kind: "Widget";
  metadata: ObjectMeta;
  spec: {
    /** In millimetres. */
    size: number;
    colour?: "red" | "blue";
    "odd-name"?: string | null;
    port?: number | string;
    ports?: (number | string)[];
    labels?: Record<string, string>;
    parts?: {
      name?: string;
    }[];
    free?: Record<string, unknown>;
  };
}
`);
});

test('versions and groups that share a kind have names that differ', () => {
  const text = declarationsOf([
    definition('example.com', ['v1', 'v1beta1']),
    definition('b.example.org', ['v1', 'v2']),
  ]);
  expect([...text.matchAll(/^export interface (Widget\w*)/gm)].map(([, name]) => name)).toEqual([
    ...['WidgetV1', 'WidgetV1beta1', 'WidgetV1OfBExampleOrg', 'WidgetV2'],
  ]);
});

test('the compiler accepts them, and refuses objects of other types', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-types-'));
  try {
    writeFileSync(join(folder, 'widgets.ts'), declarationsOf([definition('example.com', ['v1'])]));
    const use = (size: string) => `import type { Widget } from ${JSON.stringify('./widgets.ts')};
const widget: Widget = {
  apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' }, spec: { size: ${size}, colour: 'red', port: 'http' },
};
void widget;
`;
    const tsc = join(import.meta.dirname, '../../../node_modules/typescript/bin/tsc');
    const flags = ['--strict', '--noEmit', '--allowImportingTsExtensions', '--module', 'nodenext', '--types', ''];
    const compile = () => execFileSync(process.execPath, [tsc, ...flags, 'use.ts'], { cwd: folder, encoding: 'utf8' });
    writeFileSync(join(folder, 'use.ts'), use('3'));
    expect(compile()).toBe('');
    writeFileSync(join(folder, 'use.ts'), use("'3'"));
    expect(compile).toThrow();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
