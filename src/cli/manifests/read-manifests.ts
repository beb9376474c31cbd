// Manifests on disk or from standard input: their objects, each with its place in a file.

import { isUtf8 } from 'node:buffer';
import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileProblem } from '../../base/file-problem.ts';
import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import { type LocatedText, type Position, readYamlDocuments } from '../../codec/yaml-documents.ts';
import { UsageError } from '../usage-error.ts';

/** An object of a manifest. */
export interface ManifestObject {
  readonly value: JsonObject;
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty where the object has none, or one that is made by the server. */
  readonly name: string;
  readonly namespace: string | undefined;
  /** As it was given; `<stdin>` for standard input. */
  readonly file: string;
  /** The place of a field; of the object itself for an empty path. */
  find(path: string): Position;
}

/** The part of a file that is no object. */
export interface ManifestFault {
  readonly file: string;
  readonly position: Position;
  readonly rule: 'syntax' | 'duplicate-field' | 'not-an-object';
  readonly message: string;
}

export interface Manifests {
  readonly objects: readonly ManifestObject[];
  readonly faults: readonly ManifestFault[];
}

interface ReadOptions {
  /** Whether folders within folders are read too. */
  readonly recursive?: boolean;
}

/** A file of this size takes minutes to read. */
const maxFileBytes = 64 * 1024 * 1024;
const maxFiles = 100_000;

/** Objects of files and folders, in the order of their names; `-` is standard input. Throws a UsageError for a path without files. */
export async function readManifests(paths: readonly string[], options: ReadOptions = {}): Promise<Manifests> {
  const files = [...new Set(paths.flatMap((path) => manifestFiles(path, options)))];
  const objects: ManifestObject[] = [];
  const faults: ManifestFault[] = [];
  for (const file of files) {
    const read = await readManifestText(textOf(file), file === '-' ? '<stdin>' : file);
    objects.push(...read.objects);
    faults.push(...read.faults);
  }
  return { objects, faults };
}

const isManifest = (name: string) => /\.(ya?ml|json)$/.test(name);

/** The files of a path. */
function manifestFiles(path: string, { recursive = false }: ReadOptions = {}): readonly string[] {
  if (path === '-') return [path];
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new UsageError(`${path}: there is no such file or folder`);
  if (!stats.isDirectory()) return [path];
  const files = filesIn(path, recursive);
  if (files.length === 0) throw new UsageError(`${path}: there is no .yaml, .yml or .json file in this folder`);
  if (files.length > maxFiles) throw new UsageError(`${path}: more than ${maxFiles} files`);
  return files;
}

function filesIn(folder: string, recursive: boolean): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return recursive && !isHidden(entry) ? filesIn(path, recursive) : [];
    return isManifest(entry.name) ? [path] : [];
  });
}

/** Folders such as `.git`. */
const isHidden = ({ name }: Dirent) => name.startsWith('.');

function textOf(file: string): string {
  try {
    const bytes = readFileSync(file === '-' ? 0 : file);
    if (bytes.length > maxFileBytes) throw new UsageError(`${file}: it has more than ${maxFileBytes} bytes`);
    if (!isUtf8(bytes)) throw new UsageError(`${file}: it is not a text in UTF-8`);
    return bytes.toString().replace(/^\ufeff/, '');
  } catch (error) {
    const problem = fileProblem(error as NodeJS.ErrnoException);
    throw problem === undefined ? error : new UsageError(`${file}: ${problem}`);
  }
}

/** The objects of a text; lists become their items. */
export async function readManifestText(text: string, file: string): Promise<Manifests> {
  const { documents, fault } = await readYamlDocuments(text);
  const objects: ManifestObject[] = [];
  const faults: ManifestFault[] = [];
  for (const { value, repeated, text: located } of documents) {
    for (const { line, key } of repeated) {
      const message = `key ${JSON.stringify(String(key))} is there twice`;
      faults.push({ file, rule: 'duplicate-field', message, position: { line, column: 1 } });
    }
    for (const { item, path } of itemsOf(value)) {
      const read = objectOf(item, path, file, located);
      if ('rule' in read) faults.push(read);
      else objects.push(read);
    }
  }
  if (fault !== undefined) faults.push({ file, rule: 'syntax', ...fault });
  return { objects, faults };
}

interface Item {
  readonly item: unknown;
  /** Of the item within its document. */
  readonly path: string;
}

/** The items of a list, as `kubectl get -o yaml` prints it, or the value itself. */
function itemsOf(value: unknown): readonly Item[] {
  const isList = isJsonObject(value) && Array.isArray(value['items']) && String(value['kind']).endsWith('List');
  if (!isList) return [{ item: value, path: '' }];
  return (value['items'] as unknown[]).flatMap((item, index) =>
    itemsOf(item).map((one) => ({ item: one.item, path: joined(`items[${index}]`, one.path) })),
  );
}

const joined = (a: string, b: string) => (a === '' || b === '' || b.startsWith('[') ? `${a}${b}` : `${a}.${b}`);

function objectOf(value: unknown, path: string, file: string, text: LocatedText): ManifestObject | ManifestFault {
  const find = (field: string) => text.find(joined(path, field));
  const refused = (message: string): ManifestFault => ({ file, rule: 'not-an-object', message, position: find('') });
  if (!isJsonObject(value)) return refused('it is not an object with apiVersion and kind');
  const { apiVersion, kind, metadata } = value;
  if (typeof apiVersion !== 'string' || apiVersion === '') return refused('apiVersion is missing');
  if (typeof kind !== 'string' || kind === '') return refused('kind is missing');
  if (!isJsonObject(metadata)) return refused(`a ${kind} without metadata`);
  const { name, generateName, namespace } = metadata;
  if (!name && !generateName) return refused(`a ${kind} without a name`);
  return {
    ...{ value, apiVersion, kind, file, find },
    name: name ? String(name) : '',
    namespace: typeof namespace === 'string' && namespace !== '' ? namespace : undefined,
  };
}
