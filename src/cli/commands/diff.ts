// `keelson diff`: what an apply would change, defaults included.

import { styleText } from 'node:util';
import { lineDiff } from '../../base/text/line-diff.ts';
import { connect } from '../../client/connect.ts';
import { loadKubeconfig } from '../../client/kubeconfig/load.ts';
import { given as eachTime, oneOf, text, yesOrNo } from '../../config/value-types.ts';
import { type Comparison, type DiffTarget, LocalTarget, RemoteTarget } from '../diff/diff-target.ts';
import { shownTexts } from '../diff/shown-object.ts';
import { type Guide, parseCommandLine } from '../flags/command-line.ts';
import { inApplyOrder } from '../manifests/apply-order.ts';
import { LocalServer } from '../manifests/local-server.ts';
import { type ManifestObject, type Manifests, readManifests } from '../manifests/read-manifests.ts';
import { UsageError } from '../usage-error.ts';
import { titleOf } from '../validate/finding.ts';

const flags = {
  files: {
    name: 'filename',
    short: 'f',
    type: eachTime(text),
    help: 'A file, a folder of .yaml, .yml and .json files, or - for standard input; once or several times.',
  },
  recursive: { name: 'recursive', short: 'R', type: yesOrNo, help: 'Also reads folders within folders.' },
  against: {
    name: 'against',
    type: eachTime(text),
    help: 'A file or folder to compare with; a running server when not given. Once or several times.',
  },
  definitions: {
    name: 'crds',
    type: eachTime(text),
    help: 'With --against: definitions of the kinds that the manifests use; once or several times.',
  },
  kubeconfig: {
    name: 'kubeconfig',
    type: text,
    help: 'The kubeconfig of the server (default the files that kubectl reads).',
  },
  context: { name: 'context', type: text, help: 'The context in it (default the current one).' },
  namespace: { name: 'namespace', short: 'n', type: text, help: 'The namespace of objects that name none.' },
  manager: {
    name: 'field-manager',
    type: text,
    help: 'Who applies: fields that this manager no longer has are removed (default kubectl).',
  },
  output: {
    name: 'output',
    short: 'o',
    type: oneOf('text', 'json'),
    help: 'How differences are printed (default text).',
  },
} as const;

export const diffGuide: Guide = {
  usage: '-f PATH [-f PATH]... [--against PATH | --kubeconfig FILE] [flags]',
  notes: [
    'Shows what a server-side apply would change, defaults included: of a running server, or from one folder to another.',
    'The exit code is 0 without differences, 1 with differences, 2 if they cannot be found.',
  ],
  flags,
};

interface Difference {
  readonly object: string;
  readonly change: 'created' | 'changed' | 'deleted';
  readonly diff: string;
}

type Given = ReturnType<typeof parseCommandLine<typeof flags>>['given'];

export async function diff(args: readonly string[]): Promise<number> {
  const { words, given } = parseCommandLine('diff', flags, args);
  const usage = `usage: keelson diff ${diffGuide.usage}`;
  if (words.length > 0) throw new UsageError(`unexpected argument ${JSON.stringify(words[0])}; ${usage}`);
  const { files = [], recursive = false, against, output = 'text' } = given;
  if (files.length === 0) throw new UsageError(`no file given; ${usage}`);
  const manifests = withoutFaults(await readManifests(files, { recursive }));
  try {
    const differences =
      against === undefined ? await withRunning(given, manifests) : await withFolder(given, against, manifests);
    process.stdout.write(output === 'json' ? `${JSON.stringify(differences, undefined, 2)}\n` : textOf(differences));
    return differences.length === 0 ? 0 : 1;
  } catch (error) {
    // 1 is the code for differences
    throw error instanceof UsageError ? error : new UsageError((error as Error).message);
  }
}

function withoutFaults({ objects, faults }: Manifests): readonly ManifestObject[] {
  const [fault] = faults;
  if (fault !== undefined) throw new UsageError(`${fault.file}:${fault.position.line}: ${fault.message}`);
  return objects;
}

async function withRunning(given: Given, objects: readonly ManifestObject[]): Promise<readonly Difference[]> {
  const { kubeconfig: file, context, namespace, manager = 'kubectl' } = given;
  const config = await loadKubeconfig(file === undefined ? {} : { file });
  const options = { userAgent: 'keelson-cli', timeoutMs: 10_000, ...(context === undefined ? {} : { context }) };
  const connection = connect(config, options);
  try {
    const target = new RemoteTarget(connection, namespace ?? connection.namespace, manager);
    return await differencesOf(target, objects);
  } finally {
    connection.close();
  }
}

/** Objects that only the other folder has are deleted. */
async function withFolder(given: Given, paths: readonly string[], objects: readonly ManifestObject[]) {
  const { recursive = false, definitions = [], namespace, manager = 'kubectl' } = given;
  const others = withoutFaults(await readManifests(paths, { recursive }));
  const setup = withoutFaults(await readManifests(definitions, { recursive }));
  const server = await LocalServer.open({ authorizationModes: ['AlwaysAllow'] }, namespace);
  try {
    const namespaces = [...new Set([...others, ...setup, ...objects].flatMap((one) => one.namespace ?? []))];
    const target = await LocalTarget.open(
      server,
      manager,
      [...setup, ...others],
      [...namespaces, namespace ?? 'default'],
    );
    const keyOf = (object: ManifestObject) => server.pathOf(object)?.object;
    const removed = new Map(others.map((object) => [keyOf(object), object]));
    const differences = await differencesOf(target, objects);
    for (const object of objects) removed.delete(keyOf(object));
    return [...differences, ...[...removed.values()].map(deletionOf)];
  } finally {
    await server.close();
  }
}

async function differencesOf(target: DiffTarget, objects: readonly ManifestObject[]): Promise<readonly Difference[]> {
  const differences: Difference[] = [];
  for (const object of inApplyOrder(objects)) {
    const { line } = object.find('');
    const comparison = await target.compare(object).catch((error: Error) => {
      throw new UsageError(`${object.file}:${line}: ${titleOf(object)}: ${error.message}`);
    });
    differences.push(...differenceOf(object, comparison));
  }
  return differences;
}

function differenceOf(object: ManifestObject, comparison: Comparison): readonly Difference[] {
  const { before, after } = shownTexts(comparison);
  if (before === after) return [];
  const change = comparison.before === undefined ? 'created' : 'changed';
  return [{ object: titleOf(object), change, diff: linesOf(before, after) }];
}

function deletionOf(object: ManifestObject): Difference {
  const { before } = shownTexts({ before: object.value, after: object.value });
  return { object: titleOf(object), change: 'deleted', diff: linesOf(before, '') };
}

/** An object that is not there has no lines, not an empty one. */
function linesOf(before: string, after: string): string {
  if (before !== '' && after !== '') return lineDiff(before, after);
  const sign = before === '' ? '+' : '-';
  return `${before}${after}`.replace(/^/gm, sign).concat('\n');
}

const colours = { '+': 'green', '-': 'red', '@': 'cyan' } as const;

function textOf(differences: readonly Difference[]): string {
  const isTerminal = process.stdout.isTTY === true && !process.env['NO_COLOR'];
  const coloured = (line: string) => {
    const colour = colours[line[0] as keyof typeof colours];
    return isTerminal && colour !== undefined ? styleText(colour, line) : line;
  };
  return differences
    .map(({ object, change, diff: lines }) => `${object}: ${change}\n${lines.split('\n').map(coloured).join('\n')}`)
    .join('\n');
}
