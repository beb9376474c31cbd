// docs/guides/metrics.md lists the tables of metrics. `npx vitest run test/metrics.test.ts -u` writes its lists again.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { release } from '../src/meta/release.ts';
import type { MetricEntry } from '../src/metrics/metric-entry.ts';
import { metricTables } from '../src/metrics/table/all-metrics.ts';
import { regenerated } from './generated-parts.ts';

const path = join(import.meta.dirname, '../docs/guides/metrics.md');

const tables: readonly (readonly [area: string, table: Readonly<Record<string, MetricEntry>>])[] =
  Object.entries(metricTables);

const maxLine = 140;

/** Words in lines that are short enough for the docs, indented below the first. */
function wrapped(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`.trimStart();
    if (longer.length <= maxLine) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.join('\n  ');
}

function item([name, { type, labels, stability, help, deprecatedSince }]: readonly [string, MetricEntry]): string {
  const by = labels.length === 0 ? '' : ` by ${labels.map((label) => `\`${label}\``).join(', ')}`;
  const note = deprecatedSince === undefined ? '' : ` Deprecated since ${release.major}.${deprecatedSince}.`;
  return `${wrapped(`- \`${name}\` (${stability} ${type}${by}): ${help}${note}`)}\n`;
}

const lists = (): string =>
  `\n${tables.map(([area, table]) => `### ${area}\n\n${Object.entries(table).map(item).join('')}`).join('\n')}\n`;

test('the page of metrics lists the entries of the tables', async () => {
  await expect(regenerated(readFileSync(path, 'utf8'), { metrics: lists })).toMatchFileSnapshot(path);
});

test('no metric is in two tables, and each table is sorted by name', () => {
  const names = tables.map(([, table]) => Object.keys(table));
  expect(new Set(names.flat()).size).toBe(names.flat().length);
  for (const list of names) expect(list).toEqual([...list].sort());
});
