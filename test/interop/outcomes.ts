// What kubectl says, as tests compare it.

import type { Outcome } from './running-program.ts';

/** It went well and printed these lines. */
export function printed(...lines: readonly string[]): Outcome {
  return { code: 0, stdout: lines.map((line) => `${line}\n`).join(''), stderr: '' };
}

/** It printed nothing but this complaint. */
export function refused(complaint: string): Outcome {
  return { code: 1, stdout: '', stderr: `${complaint}\n` };
}

/** The cells of a table, header first; ages are written `<age>`. */
export function cells({ stdout }: Pick<Outcome, 'stdout'>): string[][] {
  const lines = stdout.trimEnd().split('\n');
  const starts = [...(lines[0] ?? '').matchAll(/\S+(?: \S+)*/g)].map(({ index }) => index);
  return lines.map((line) => starts.map((start, column) => cell(line.slice(start, starts[column + 1]))));
}

function cell(text: string): string {
  return text.trim().replace(/^(\d+[smhdy])+$/, '<age>');
}
