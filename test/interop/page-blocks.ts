// The code blocks of a page of the docs, in the order in which a reader would use them.

export interface PageBlock {
  /** The first word after the fence: `sh`, `console`, `ts`, or the language of a file. */
  readonly language: string;
  /** Further words: `background`, or the name of the file that the block is. */
  readonly words: readonly string[];
  readonly text: string;
}

/** Blocks without a language show what a program prints, and are left out. */
export function blocksOf(markdown: string): PageBlock[] {
  const blocks: PageBlock[] = [];
  for (const [, info = '', text = ''] of markdown.matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm)) {
    const [language = '', ...words] = info.split(' ').filter((word) => word !== '');
    if (language !== '') blocks.push({ language, words, text });
  }
  return blocks;
}

export interface ConsoleStep {
  readonly command: string;
  /** Lines that the command prints; `…` stands for anything. */
  readonly expected: readonly string[];
}

/** The commands behind `$`, each with the lines that follow it. */
export function consoleSteps(text: string): ConsoleStep[] {
  const steps: { command: string; expected: string[] }[] = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('$ ')) steps.push({ command: line.slice(2), expected: [] });
    else if (line.trim() !== '') steps.at(-1)?.expected.push(line);
  }
  return steps;
}

/** Numbers, ages and the width of columns differ from run to run. */
export function lineAsPattern(line: string): RegExp {
  const escaped = line.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const loose = escaped
    .replace(/…/g, '.*')
    .replace(/\d+/g, '\\d+')
    .replace(/(?<!\S)\\d\+[smh](?!\S)/g, '(\\d+[smhd])+')
    .replace(/\s+/g, '\\s+');
  return new RegExp(`^${loose}$`);
}
