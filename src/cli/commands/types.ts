// `keelson types`: TypeScript types of custom resources, from their definitions.

import { writeFileSync } from 'node:fs';
import { given as eachTime, text, yesOrNo } from '../../config/value-types.ts';
import { type Guide, parseCommandLine } from '../flags/command-line.ts';
import { readManifests } from '../manifests/read-manifests.ts';
import { declarationsOf } from '../types/custom-declarations.ts';
import { UsageError } from '../usage-error.ts';

const flags = {
  files: { name: 'filename', short: 'f', type: eachTime(text), help: 'A file or folder of definitions, as PATH.' },
  recursive: { name: 'recursive', short: 'R', type: yesOrNo, help: 'Also reads folders within folders.' },
  output: { name: 'output', short: 'o', type: text, help: 'The file to write (default standard output).' },
} as const;

export const typesGuide: Guide = {
  usage: 'PATH [PATH]... [-o FILE]',
  notes: ['Writes a TypeScript interface for each kind and version of CustomResourceDefinitions in files and folders.'],
  flags,
};

export async function types(args: readonly string[]): Promise<number> {
  const { words, given } = parseCommandLine('types', flags, args);
  const paths = [...words, ...(given.files ?? [])];
  if (paths.length === 0) throw new UsageError(`no file given; usage: keelson types ${typesGuide.usage}`);
  const { objects, faults } = await readManifests(paths, { recursive: given.recursive ?? false });
  const [fault] = faults;
  if (fault !== undefined) throw new UsageError(`${fault.file}:${fault.position.line}: ${fault.message}`);
  const definitions = objects.filter(({ kind }) => kind === 'CustomResourceDefinition').map(({ value }) => value);
  if (definitions.length === 0) throw new UsageError(`${paths.join(', ')}: there is no CustomResourceDefinition`);
  const declarations = declarationsOf(definitions);
  if (given.output === undefined) process.stdout.write(declarations);
  else writeFileSync(given.output, declarations);
  return 0;
}
