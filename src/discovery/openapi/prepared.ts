// OpenAPI documents of the built-in kinds, which the build leaves next to the code. The sources have none: there every document is
// made when a client asks for it.

import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { packageVersion } from '../../base/package-version.ts';
import { apiPath } from '../../meta/group-version.ts';
import type { GroupVersionDefinition } from '../../schema/resource.ts';
import type { Chunks } from '../chunks.ts';

/** One document in both of its forms. */
export interface PreparedDocument {
  readonly json: PreparedForm;
  readonly protobuf: PreparedForm;
}

interface PreparedForm {
  /** As the server has it in ETags. */
  readonly hash: string;
  /** The file, compressed. */
  gzip(): Promise<Buffer>;
  chunks(): Promise<Chunks>;
}

interface Hashes {
  readonly json: string;
  readonly protobuf: string;
}

/** What `scripts/openapi-documents.mjs` writes. */
interface Index {
  /** The name and version of the package. */
  readonly writer: string;
  readonly v2: Hashes;
  /** By the path of the group-version without the first slash. */
  readonly v3: Readonly<Record<string, Hashes & { readonly resources: readonly string[] }>>;
}

/** Next to `chunks` in the built package. */
const folder = new URL('../openapi/', import.meta.url);

function readIndex(): Index | undefined {
  try {
    const index = JSON.parse(readFileSync(new URL('index.json', folder), 'utf8')) as Index;
    // a bundler may have put this code next to files of another program
    return index.writer === `keelson ${packageVersion()}` ? index : undefined;
  } catch {
    return undefined;
  }
}

/** The documents of a server whose built-in kinds are those that the build knew. */
export class PreparedDocuments {
  #index: { readonly value: Index | undefined } | undefined;

  /** Undefined where another set of resources is served, or one of a custom kind. */
  ofVersion(groupVersion: GroupVersionDefinition): PreparedDocument | undefined {
    const path = apiPath(groupVersion).slice(1);
    const prepared = this.#read()?.v3[path];
    if (prepared === undefined || !hasResources(groupVersion, prepared.resources)) return undefined;
    return documentOf(`v3.${path.replaceAll('/', '.')}`, prepared);
  }

  /** The document of version 2, about all group-versions. */
  ofAll(groupVersions: readonly GroupVersionDefinition[]): PreparedDocument | undefined {
    const index = this.#read();
    if (index === undefined || groupVersions.length !== Object.keys(index.v3).length) return undefined;
    const isPrepared = groupVersions.every((groupVersion) => this.ofVersion(groupVersion) !== undefined);
    return isPrepared ? documentOf('v2', index.v2) : undefined;
  }

  #read(): Index | undefined {
    this.#index ??= { value: readIndex() };
    return this.#index.value;
  }
}

function hasResources({ resources }: GroupVersionDefinition, names: readonly string[]): boolean {
  if (resources.length !== names.length) return false;
  const known = new Set(names);
  return resources.every(({ type, plural }) => type.is === 'struct' && known.has(plural));
}

const documentOf = (name: string, { json, protobuf }: Hashes): PreparedDocument => ({
  json: formOf(`${name}.json.gz`, json),
  protobuf: formOf(`${name}.pb.gz`, protobuf),
});

function formOf(file: string, hash: string): PreparedForm {
  const gzip = () => readFile(new URL(file, folder));
  return { hash, gzip, chunks: async () => [await unzipped(await gzip())] };
}

function unzipped(bytes: Buffer): Promise<Buffer> {
  const { gunzip } = process.getBuiltinModule('node:zlib');
  return promisify<Buffer, Buffer>(gunzip)(bytes);
}
