// Manifests for a test server: read from files, folders, text or objects, and applied until all of them are there.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '../base/json/json.ts';
import { type Client, RequestError } from '../client/client.ts';
import { checkDepth } from '../codec/yaml-document.ts';
import { OptionError } from '../config/option-error.ts';
import type { GroupVersionDefinition } from '../schema/resource.ts';
import { type Identified, objectPath } from './typed-client.ts';

/** A file, a folder of .yaml, .yml and .json files, YAML or JSON text of one or more objects, or an object. */
export type Manifest = string | object;

/** An object and where it was found. */
interface Found {
  readonly object: Identified;
  readonly source: string;
}

/** The paths of `manifests` are files and folders. */
export async function readManifestFiles(manifests: readonly Manifest[]): Promise<readonly Found[]> {
  const contents = manifests.map(async (manifest) =>
    typeof manifest === 'string' ? readPaths(filesIn(manifest)) : [asObject(manifest, 'manifests')],
  );
  return (await Promise.all(contents)).flat();
}

function filesIn(path: string): readonly string[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new OptionError(`manifests: there is no file or folder ${JSON.stringify(path)}`);
  if (!stats.isDirectory()) return [path];
  const files = readdirSync(path).filter((name) => /\.(ya?ml|json)$/.test(name));
  if (files.length === 0)
    throw new OptionError(`manifests: the folder ${JSON.stringify(path)} holds no .yaml, .yml or .json file`);
  return files.sort().map((name) => join(path, name));
}

async function readPaths(paths: readonly string[]): Promise<readonly Found[]> {
  return (await Promise.all(paths.map((path) => readText(readFileSync(path, 'utf8'), path)))).flat();
}

/** Objects of a text with any number of YAML documents; lists become their items. */
async function readText(text: string, source = 'the manifest'): Promise<readonly Found[]> {
  const library = await import('yaml');
  refuseDeep(library, text, source);
  const documents = [...library.parseAllDocuments(text)];
  return documents.flatMap((document, index) => {
    const place = documents.length === 1 ? source : `${source}: document ${index + 1}`;
    const [error] = document.errors;
    if (error !== undefined) throw new OptionError(`${place}: ${error.message.trimEnd()}`);
    const value = plainValue(document, place);
    return value === null || value === undefined ? [] : itemsOf(value).map((item) => asObject(item, place));
  });
}

/** Brackets within brackets are read by functions that call themselves. */
function refuseDeep(library: typeof import('yaml'), text: string, source: string): void {
  try {
    checkDepth(library, text);
  } catch (error) {
    throw new OptionError(`${source}: ${(error as Error).message}`);
  }
}

/** Throws for aliases that lead nowhere or are too many. */
function plainValue(document: { toJS(): unknown }, place: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw new OptionError(`${place}: ${(error as Error).message}`);
  }
}

/** A list of objects, as `kubectl get -o yaml` prints it, stands for them. */
function itemsOf(value: unknown): readonly unknown[] {
  return isJsonObject(value) && Array.isArray(value['items']) && value['metadata'] === undefined
    ? value['items']
    : isJsonObject(value) && Array.isArray(value['items']) && String(value['kind']).endsWith('List')
      ? value['items']
      : [value];
}

function asObject(value: unknown, source: string): Found {
  const object = value as Partial<Identified> | null;
  const { apiVersion, kind, metadata } = (typeof object === 'object' && object) || {};
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof metadata !== 'object' || metadata === null)
    throw new OptionError(`${source}: an object needs apiVersion, kind and metadata`);
  if (!metadata.name && !metadata.generateName) throw new OptionError(`${source}: a ${kind} without a name`);
  return { object: object as Identified, source };
}

export const foundIn = async (manifest: Manifest): Promise<readonly Found[]> =>
  typeof manifest === 'string' ? readText(manifest) : [asObject(manifest, 'the manifest')];

interface ApplyContext {
  readonly client: Client;
  served(): readonly GroupVersionDefinition[];
  /** Resolves when something was stored, or a moment has passed. */
  changed(): Promise<void>;
}

/** A namespace, a definition or an account that others need may take this long to come. */
const patienceMs = 5000;

/** Applies all, in rounds: objects that need missing ones are applied again, so that their order does not matter. */
export async function applyAll(found: readonly Found[], context: ApplyContext): Promise<void> {
  const end = Date.now() + patienceMs;
  for (let left = found; left.length > 0; ) {
    const outcomes: { readonly one: Found; readonly error: Error | undefined }[] = [];
    for (const one of left) outcomes.push({ one, error: await applied(one, context) });
    const failed = outcomes.filter(({ error }) => error !== undefined);
    const [first] = failed;
    if (failed.length === left.length && Date.now() > end)
      throw new Error(`${first?.one.source}: ${first?.error?.message}`, { cause: first?.error });
    left = failed.map(({ one }) => one);
    if (left.length > 0) await context.changed();
  }
}

/** Undefined where it is there now, an error where that may come; throws for what cannot be helped by waiting. */
async function applied({ object, source }: Found, { client, served }: ApplyContext): Promise<Error | undefined> {
  const path = objectPath(served(), object);
  if (path === undefined) return new Error(`${object.kind} of ${object.apiVersion} is not served`);
  try {
    if (object.metadata.name) await client.apply(path.object, object, 'keelson-testing', { force: true });
    else await client.create(path.collection, object);
    return undefined;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    if ([403, 404, 409, 500, 503].includes(error.code)) return error;
    throw new Error(`${source}: ${error.message}`, { cause: error });
  }
}
