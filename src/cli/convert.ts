// `keelson convert`: manifests from one API version to another.

import { readFileSync } from 'node:fs';
import type { parseAllDocuments, stringify } from 'yaml';
import { systemClock } from '../base/clock.ts';
import { isJsonObject } from '../base/json.ts';
import { decodeObject } from '../codec/decode-object.ts';
import { builtInGroups } from '../groups/catalog.ts';
import { kubernetes } from '../meta/dialect.ts';
import { formatApiVersion } from '../meta/group-version.ts';
import type { ApiObject } from '../meta/object.ts';
import { KindVersions } from '../registry/versions.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import { UsageError } from './usage-error.ts';

type Yaml = { parseAllDocuments: typeof parseAllDocuments; stringify: typeof stringify };

interface ConvertOptions {
  readonly files: readonly string[];
  /** `group/version`; undefined for the preferred one of each kind. */
  readonly outputVersion: string | undefined;
  readonly output: 'yaml' | 'json';
}

const convertUsage = 'keelson convert -f FILE [-f FILE] [--output-version GROUP/VERSION] [-o yaml|json]';

export async function convert(args: readonly string[]): Promise<number> {
  const options = parseArguments(args);
  const yaml = await import('yaml');
  const converter = new Converter(options.outputVersion);
  const converted = options.files.flatMap((file) =>
    documents(yaml, file).map((document) => converter.convert(document)),
  );
  process.stdout.write(write(yaml, converted, options.output));
  return 0;
}

function parseArguments(args: readonly string[]): ConvertOptions {
  const files: string[] = [];
  let outputVersion: string | undefined;
  let output = 'yaml';
  for (let i = 0; i < args.length; i++) {
    const [, name = '', inline] = /^--?([^=]+)(?:=(.*))?$/s.exec(args[i] as string) ?? [];
    const value = () => inline ?? args[++i] ?? missing(name);
    if (name === 'f' || name === 'filename') files.push(value());
    else if (name === 'output-version') outputVersion = value();
    else if (name === 'o' || name === 'output') output = value();
    else throw new UsageError(`unexpected argument ${JSON.stringify(args[i])}; usage: ${convertUsage}`);
  }
  if (files.length === 0) throw new UsageError(`no file given; usage: ${convertUsage}`);
  if (output !== 'yaml' && output !== 'json') throw new UsageError(`-o: ${JSON.stringify(output)} is not yaml or json`);
  return { files, outputVersion, output };
}

function missing(name: string): never {
  throw new UsageError(`--${name} needs a value`);
}

/** Every document of a file, or of standard input for `-`. */
function documents({ parseAllDocuments: parse }: Yaml, file: string): unknown[] {
  const text = readFileSync(file === '-' ? 0 : file, 'utf8');
  return [...parse(text)]
    .map((document) => {
      const [error] = document.errors;
      if (error) throw new UsageError(`${file}: ${error.message.split('\n')[0]}`);
      return document.toJS({ maxAliasCount: 100 }) as unknown;
    })
    .filter((value) => value !== null);
}

function write({ stringify: toYaml }: Yaml, objects: readonly unknown[], output: 'yaml' | 'json'): string {
  if (output === 'yaml') return objects.map((object) => toYaml(object)).join('---\n');
  const whole = objects.length === 1 ? objects[0] : { kind: 'List', apiVersion: 'v1', metadata: {}, items: objects };
  return `${JSON.stringify(whole, undefined, 2)}\n`;
}

export class Converter {
  readonly #definitions = new Map<string, ResourceDefinition>();
  readonly #versions = new Map<string, KindVersions>();
  readonly #outputVersion: string | undefined;

  constructor(outputVersion: string | undefined) {
    for (const definition of builtInGroups(kubernetes).flatMap(({ resources }) => resources)) {
      this.#definitions.set(`${formatApiVersion(definition)} ${definition.kind}`, definition);
      this.#versionsOf(definition).add(definition);
    }
    this.#outputVersion = outputVersion;
    if (outputVersion !== undefined && !this.#isKnown(outputVersion))
      throw new UsageError(`--output-version: ${JSON.stringify(outputVersion)} is not a known API version`);
  }

  /** A list is converted item by item. */
  convert(value: unknown): unknown {
    if (!isJsonObject(value)) throw new UsageError('a document is no object');
    if (String(value['kind']).endsWith('List') && Array.isArray(value['items']))
      return { ...value, items: value['items'].map((item) => this.convert(item)) };
    return this.#convertObject(value);
  }

  #convertObject(value: Record<string, unknown>): ApiObject {
    const { apiVersion, kind } = value;
    const from = this.#definitions.get(`${String(apiVersion)} ${String(kind)}`);
    if (from === undefined)
      throw new UsageError(`no kind ${JSON.stringify(kind)} is known in version ${JSON.stringify(apiVersion)}`);
    const { object } = decodeObject(from, value);
    const context = { dialect: kubernetes, clock: systemClock };
    const defaulted = from.strategy?.defaults?.(object, context) ?? object;
    return this.#versionsOf(from).convertPure(defaulted, this.#target(from));
  }

  /** compat: a kind that the wanted version does not have is converted to the one it is stored in. */
  #target(from: ResourceDefinition): ResourceDefinition {
    const versions = this.#versionsOf(from);
    const wanted = this.#definitions.get(`${this.#outputVersion ?? ''} ${from.kind}`);
    return wanted !== undefined && this.#versionsOf(wanted) === versions ? wanted : versions.stored;
  }

  #isKnown(apiVersion: string): boolean {
    return [...this.#definitions.values()].some((definition) => formatApiVersion(definition) === apiVersion);
  }

  #versionsOf({ storagePrefix }: ResourceDefinition): KindVersions {
    let versions = this.#versions.get(storagePrefix);
    if (versions === undefined) {
      versions = new KindVersions(kubernetes);
      this.#versions.set(storagePrefix, versions);
    }
    return versions;
  }
}
