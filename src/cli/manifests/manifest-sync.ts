// Keeps the objects of a server equal to those of manifests: applies what changed, and deletes what manifests no longer have.

import { isDeepStrictEqual } from 'node:util';
import { titleOf } from '../validate/finding.ts';
import { findingsOf } from '../validate/findings-of-answer.ts';
import { inApplyOrder } from './apply-order.ts';
import type { LocalAnswer, LocalServer } from './local-server.ts';
import { type ManifestObject, readManifests } from './read-manifests.ts';

export interface SyncResult {
  /** `Deployment web` by what happened to it. */
  readonly created: readonly string[];
  readonly changed: readonly string[];
  readonly deleted: readonly string[];
  /** With the file and line. */
  readonly problems: readonly string[];
}

interface Applied {
  readonly title: string;
  readonly manifest: ManifestObject['value'];
  readonly resourceVersion: string;
  /** When the apply last changed a field; controllers change objects as well. */
  readonly appliedAt: string;
}

export interface SyncOptions {
  readonly paths: readonly string[];
  readonly recursive: boolean;
  /** Owner of the applied fields. */
  readonly fieldManager: string;
  /** Whether objects are deleted that manifests no longer have. */
  readonly prunes: boolean;
}

export class ManifestSync {
  readonly #server: LocalServer;
  readonly #options: SyncOptions;
  /** By path, in the order in which they were applied. */
  #applied = new Map<string, Applied>();

  constructor(server: LocalServer, options: SyncOptions) {
    this.#server = server;
    this.#options = options;
  }

  /** The server was reset: nothing of what was applied is there. */
  forget(): void {
    this.#applied = new Map();
  }

  async run(): Promise<SyncResult> {
    const result = {
      created: [] as string[],
      changed: [] as string[],
      deleted: [] as string[],
      problems: [] as string[],
    };
    const { paths, recursive, prunes } = this.#options;
    const { objects, faults } = await readManifests(paths, { recursive });
    for (const { file, position, message } of faults) result.problems.push(`${file}:${position.line}: ${message}`);
    const current = new Map<string, Applied>();
    for (const object of inApplyOrder(objects)) await this.#apply(object, current, result);
    // a file that cannot be read deletes nothing
    const removed =
      faults.length > 0 || !prunes ? [] : [...this.#applied].filter(([path]) => !current.has(path)).reverse();
    for (const [path, { title }] of removed) {
      const { status, body } = await this.#server.send({ method: 'DELETE', path });
      if (status < 300 || status === 404) result.deleted.push(title);
      else result.problems.push(`${title}: ${String(body['message'])}`);
    }
    this.#applied = faults.length > 0 ? new Map([...this.#applied, ...current]) : current;
    return result;
  }

  #versionOf({ body }: LocalAnswer): Pick<Applied, 'resourceVersion' | 'appliedAt'> {
    const { resourceVersion = '', managedFields = [] } = body['metadata'] as AppliedMeta;
    const { fieldManager } = this.#options;
    const own = managedFields.find(({ manager, operation }) => manager === fieldManager && operation === 'Apply');
    return { resourceVersion, appliedAt: own?.time ?? '' };
  }

  async #apply(object: ManifestObject, current: Map<string, Applied>, result: MutableResult): Promise<void> {
    const path = this.#server.pathOf(object)?.object;
    const title = titleOf(object);
    const place = `${object.file}:${object.find('').line}`;
    if (path === undefined || object.name === '') {
      const problem = object.name === '' ? 'only objects with a name are applied' : 'this kind is not served';
      result.problems.push(`${place}: ${title}: ${problem}`);
      return;
    }
    const before = this.#applied.get(path);
    if (before !== undefined) current.set(path, before);
    const query = new URLSearchParams({
      ...{ fieldManager: this.#options.fieldManager, force: 'true', fieldValidation: 'Warn' },
    });
    const answer = await this.#server.send({
      ...{ method: 'PATCH', path: `${path}?${query}`, body: object.value, returnsObject: true },
      contentType: 'application/apply-patch+yaml',
    });
    for (const { file, line, message } of findingsOf(object, answer))
      result.problems.push(`${file}:${line}: ${title}: ${message}`);
    if (answer.status >= 300) return;
    const applied = { title, manifest: object.value, ...this.#versionOf(answer) };
    current.set(path, applied);
    if (answer.status === 201) result.created.push(title);
    else if (before === undefined || hasChanged(before, applied)) result.changed.push(title);
    await this.#server.definitionServed(object);
  }
}

function hasChanged(before: Applied, now: Applied): boolean {
  if (before.resourceVersion === now.resourceVersion) return false;
  return before.appliedAt !== now.appliedAt || !isDeepStrictEqual(before.manifest, now.manifest);
}

type MutableResult = { readonly [K in keyof SyncResult]: string[] };

interface AppliedMeta {
  readonly resourceVersion?: string;
  readonly managedFields?: readonly {
    readonly manager?: string;
    readonly operation?: string;
    readonly time?: string;
  }[];
}
