// `keelson convert`: manifests from one API version to another.

import { isUtf8 } from 'node:buffer';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { parseAllDocuments, stringify } from 'yaml';
import { fileProblem } from '../../base/file-problem.ts';
import { isJsonObject } from '../../base/json/json.ts';
import { systemClock } from '../../base/time/clock.ts';
import { decodeObject } from '../../codec/decode-object.ts';
import { given as eachTime, oneOf, text } from '../../config/value-types.ts';
import { builtInGroups } from '../../groups/catalog.ts';
import type { Dialect } from '../../meta/dialect.ts';
import { formatApiVersion } from '../../meta/group-version.ts';
import type { ApiObject } from '../../meta/object.ts';
import { KindVersions } from '../../registry/versions.ts';
import type { ResourceDefinition } from '../../schema/resource.ts';
import { type Guide, parseCommandLine } from '../flags/command-line.ts';
import { chosenDialect, dialectFlags } from '../flags/dialect-flags.ts';
import { type Progress, withProgress } from '../progress.ts';
import { UsageError } from '../usage-error.ts';

type Yaml = { parseAllDocuments: typeof parseAllDocuments; stringify: typeof stringify };

const flags = {
  files: {
    name: 'filename',
    short: 'f',
    type: eachTime(text),
    help: 'A file, a folder of .yaml, .yml and .json files, or - for standard input; once or several times.',
  },
  outputVersion: {
    name: 'output-version',
    type: text,
    help: 'The version to convert to, GROUP/VERSION (default the preferred one of each kind).',
  },
  output: { name: 'output', short: 'o', type: oneOf('yaml', 'json'), help: 'How objects are printed (default yaml).' },
  ...dialectFlags,
};

export const convertGuide: Guide = {
  usage: '-f FILE [-f FILE] [--output-version GROUP/VERSION] [-o yaml|json] [--dialect=cluster]',
  notes: ['Converts manifests to another API version. Nothing is printed unless all of them can be read.'],
  flags,
};

export async function convert(args: readonly string[]): Promise<number> {
  const { words, given } = parseCommandLine('convert', flags, args);
  const { files = [], outputVersion, output = 'yaml' } = given;
  if (words.length > 0)
    throw new UsageError(
      `unexpected argument ${JSON.stringify(words[0])}; usage: keelson convert ${convertGuide.usage}`,
    );
  if (files.length === 0) throw new UsageError(`no file given; usage: keelson convert ${convertGuide.usage}`);
  const yaml = await import('yaml');
  const batch = new Batch(yaml, new Converter(outputVersion, chosenDialect(given)));
  const text = await withProgress('converting', async (progress) => {
    await batch.take(files, progress);
    if (batch.problems.length > 0) throw new Error(batch.problems.join('\nkeelson: '));
    progress(1, 1, 'writing');
    return write(yaml, batch.converted, output);
  });
  process.stdout.write(text);
  return 0;
}

function manifestsIn(path: string): readonly string[] {
  if (path === '-' || !statSync(path).isDirectory()) return [path];
  const names = readdirSync(path).filter((name) => /\.(ya?ml|json)$/.test(name));
  if (names.length === 0) throw new UsageError('there is no .yaml, .yml or .json file in this folder');
  return names.sort().map((name) => join(path, name));
}

/** Everything that is to be converted, and everything that cannot be. */
class Batch {
  readonly converted: unknown[] = [];
  readonly problems: string[] = [];
  readonly #yaml: Yaml;
  readonly #converter: Converter;

  constructor(yaml: Yaml, converter: Converter) {
    this.#yaml = yaml;
    this.#converter = converter;
  }

  /** Paths of files and folders. */
  async take(paths: readonly string[], progress: Progress): Promise<void> {
    const files = paths.flatMap((path) => this.#attempt(path, () => manifestsIn(path)) ?? []);
    for (const [done, file] of files.entries()) {
      progress(done, files.length, 'converting');
      this.#takeFile(file);
      // for the bar to be drawn
      await new Promise(setImmediate);
    }
  }

  #takeFile(file: string): void {
    const documents = this.#attempt(file, () => readDocuments(this.#yaml, file)) ?? [];
    for (const [index, document] of documents.entries()) {
      const where = documents.length === 1 ? file : `${file}: document ${index + 1}`;
      const made = this.#attempt(`${where}${nameIn(document)}`, () => this.#converter.convert(document));
      if (made !== undefined) this.converted.push(made);
    }
  }

  #attempt<T>(what: string, run: () => T): T | undefined {
    try {
      return run();
    } catch (error) {
      this.problems.push(`${what}: ${problemIn(error as Error)}`);
      return undefined;
    }
  }
}

const problemIn = (error: Error) => fileProblem(error) ?? error.message.split('\n')[0];

/** As a person would look for it: ` (Deployment web)`. */
function nameIn(document: unknown): string {
  if (!isJsonObject(document)) return '';
  const { kind, metadata } = document;
  const name = isJsonObject(metadata) ? metadata['name'] : undefined;
  const words = [kind, name].filter((word) => typeof word === 'string' && /^[\w.:-]{1,253}$/.test(word));
  return words.length === 0 ? '' : ` (${words.join(' ')})`;
}

/** Every document of a file, or of standard input for `-`. */
function readDocuments({ parseAllDocuments: parse }: Yaml, file: string): unknown[] {
  const bytes = readFileSync(file === '-' ? 0 : file);
  if (!isUtf8(bytes) || bytes.includes(0)) throw new UsageError('it is not a text in UTF-8');
  const values = [...parse(bytes.toString())]
    .map((document) => {
      const [error] = document.errors;
      if (error) throw new UsageError(error.message.split('\n')[0]);
      return document.toJS({ maxAliasCount: 100 }) as unknown;
    })
    .filter((value) => value !== null);
  if (values.length === 0) throw new UsageError('there is no object in it');
  return values;
}

/** Without anchors: parts that are the same twice are written twice. */
function write({ stringify: toYaml }: Yaml, objects: readonly unknown[], output: 'yaml' | 'json'): string {
  if (output === 'yaml') return objects.map((object) => toYaml(object, { aliasDuplicateObjects: false })).join('---\n');
  const whole = objects.length === 1 ? objects[0] : { kind: 'List', apiVersion: 'v1', metadata: {}, items: objects };
  return `${JSON.stringify(whole, undefined, 2)}\n`;
}

export class Converter {
  readonly #definitions = new Map<string, ResourceDefinition>();
  readonly #versions = new Map<string, KindVersions>();
  readonly #outputVersion: string | undefined;
  readonly #dialect: Dialect;

  constructor(outputVersion: string | undefined, dialect: Dialect) {
    this.#dialect = dialect;
    for (const definition of builtInGroups(dialect).flatMap(({ resources }) => resources)) {
      this.#definitions.set(`${formatApiVersion(definition)} ${definition.kind}`, definition);
      this.#versionsOf(definition).add(definition);
    }
    this.#outputVersion = outputVersion;
    if (outputVersion !== undefined && !this.#isKnown(outputVersion))
      throw new UsageError(`--output-version: ${JSON.stringify(outputVersion)} is not a known API version`);
  }

  /** A list is converted item by item. */
  convert(value: unknown): unknown {
    if (!isJsonObject(value)) throw new UsageError('it is not an object with apiVersion and kind');
    if (String(value['kind']).endsWith('List') && Array.isArray(value['items']))
      return { ...value, items: value['items'].map((item) => this.convert(item)) };
    return this.#convertObject(value);
  }

  #convertObject(value: Record<string, unknown>): ApiObject {
    const { apiVersion, kind } = value;
    if (typeof apiVersion !== 'string' || typeof kind !== 'string')
      throw new UsageError('it is not an object with apiVersion and kind');
    const from = this.#definitions.get(`${String(apiVersion)} ${String(kind)}`);
    if (from === undefined)
      throw new UsageError(`no kind ${JSON.stringify(kind)} is known in version ${JSON.stringify(apiVersion)}`);
    const { object } = decodeObject(from, value);
    const context = { dialect: this.#dialect, clock: systemClock };
    const defaulted = from.strategy?.defaults?.(object, context) ?? object;
    return this.#versionsOf(from).convert(defaulted, this.#target(from)) as ApiObject;
  }

  /** compat: a kind that the wanted version does not have is converted to the one it is stored in. */
  #target(from: ResourceDefinition): ResourceDefinition {
    const versions = this.#versionsOf(from);
    const requestedDefinition = this.#definitions.get(`${this.#outputVersion ?? ''} ${from.kind}`);
    return requestedDefinition !== undefined && this.#versionsOf(requestedDefinition) === versions
      ? requestedDefinition
      : versions.stored;
  }

  #isKnown(apiVersion: string): boolean {
    return [...this.#definitions.values()].some((definition) => formatApiVersion(definition) === apiVersion);
  }

  #versionsOf({ storagePrefix }: ResourceDefinition): KindVersions {
    let versions = this.#versions.get(storagePrefix);
    if (versions === undefined) {
      versions = new KindVersions(this.#dialect);
      this.#versions.set(storagePrefix, versions);
    }
    return versions;
  }
}
