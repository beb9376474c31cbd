// The tables of docs/conformance.md: every sentence, how both dialects keep it, and the tests that show it.

import { rules } from '../compatibility/rules.ts';
import type { Section, Sentence } from './sentence.ts';
import { accessSections, coreSections } from './sentences.ts';

export interface NamedTest {
  readonly file: string;
  readonly title: string;
}

/** `lists: title` is an integration test; other files are named by their path. */
function named(text: string): NamedTest {
  const at = text.indexOf(': ');
  const file = text.slice(0, at);
  return { file: `${file.includes('/') ? file : `test/integration/${file}`}.test.ts`, title: text.slice(at + 2) };
}

export function testsOf({ rule, tests }: Sentence): readonly NamedTest[] {
  const own = rule === undefined ? [] : [rules[rule].test].map(([file, title]) => ({ file, title }));
  return [...own, ...tests.map(named)];
}

const cell = (text: string) => text.replaceAll('|', '\\|');
const row = (...cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |\n`;

function sectionPart(section: Section, letter: string, index: number): string {
  const number = (at: number) => `${letter}${index + 1}.${at + 1}`;
  const sentences = section.sentences.map(({ says, rule }, at) => {
    const { kubernetes, cluster } = rule === undefined ? { kubernetes: 'yes', cluster: 'yes' } : rules[rule];
    return row(number(at), says, kubernetes, cluster);
  });
  const tests = section.sentences.flatMap((sentence, at) =>
    testsOf(sentence).map(({ file, title }) => row(number(at), `\`${file}\``, title)),
  );
  return [
    `### ${letter}${index + 1} ${section.title}\n\n`,
    ...[row('Nr', 'The specification says', 'kubernetes', 'cluster'), row('---', '---', '---', '---'), ...sentences],
    '\n',
    ...[row('Nr', 'File', 'Test'), row('---', '---', '---'), ...tests],
  ].join('');
}

const sectionsPart = (sections: readonly Section[], letter: string): string =>
  `\n${sections.map((section, index) => sectionPart(section, letter, index)).join('\n')}\n`;

export const conformanceParts = {
  core: () => sectionsPart(coreSections, 'C'),
  access: () => sectionsPart(accessSections, 'A'),
};
