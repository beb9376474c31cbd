// Keeps the objects of a server equal to those of manifests: applies what changed, and deletes what manifests no longer have.

import { inApplyOrder } from '../manifests/apply-order.ts';
import type { LocalAnswer, LocalServer } from '../manifests/local-server.ts';
import { type ManifestObject, readManifests } from '../manifests/read-manifests.ts';
import { titleOf } from '../validate/finding.ts';
import { findingsOf } from '../validate/findings-of-answer.ts';

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
  readonly resourceVersion: string;
}

const query = 'fieldManager=keelson-dev&force=true&fieldValidation=Warn';

export class ManifestSync {
  readonly #server: LocalServer;
  readonly #paths: readonly string[];
  readonly #recursive: boolean;
  /** By path, in the order in which they were applied. */
  #applied = new Map<string, Applied>();

  constructor(server: LocalServer, paths: readonly string[], recursive: boolean) {
    this.#server = server;
    this.#paths = paths;
    this.#recursive = recursive;
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
    const { objects, faults } = await readManifests(this.#paths, { recursive: this.#recursive });
    for (const { file, position, message } of faults) result.problems.push(`${file}:${position.line}: ${message}`);
    const current = new Map<string, Applied>();
    for (const object of inApplyOrder(objects)) await this.#apply(object, current, result);
    // a file that cannot be read deletes nothing
    const removed = faults.length > 0 ? [] : [...this.#applied].filter(([path]) => !current.has(path)).reverse();
    for (const [path, { title }] of removed) {
      const { status, body } = await this.#server.send({ method: 'DELETE', path });
      if (status < 300 || status === 404) result.deleted.push(title);
      else result.problems.push(`${title}: ${String(body['message'])}`);
    }
    this.#applied = faults.length > 0 ? new Map([...this.#applied, ...current]) : current;
    return result;
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
    const answer = await this.#server.send({
      ...{ method: 'PATCH', path: `${path}?${query}`, body: object.value, returnsObject: true },
      contentType: 'application/apply-patch+yaml',
    });
    for (const { file, line, message } of findingsOf(object, answer))
      result.problems.push(`${file}:${line}: ${title}: ${message}`);
    if (answer.status >= 300) return;
    const resourceVersion = versionOf(answer);
    current.set(path, { title, resourceVersion });
    if (answer.status === 201) result.created.push(title);
    else if (before?.resourceVersion !== resourceVersion) result.changed.push(title);
    await this.#server.definitionServed(object);
  }
}

type MutableResult = { readonly [K in keyof SyncResult]: string[] };

const versionOf = ({ body }: LocalAnswer) => String((body['metadata'] as { resourceVersion?: string }).resourceVersion);
