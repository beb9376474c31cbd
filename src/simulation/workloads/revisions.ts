// Controller revisions: the templates that a stateful or daemon set has had, kept for rollbacks.

import { isConflict, isNotFound } from '../../client/client.ts';
import type { ControllerContext } from '../../controllers/controller.ts';
import type { ControllerRevision } from '../../groups/apps/v1/controller-revision.ts';
import type { PodTemplateSpec } from '../../groups/core/v1/pod/pod-spec.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { ObjectCache } from '../object-cache.ts';
import { collectionPath, controllerReference, isControlledBy, type OwnerKind } from './ownership.ts';

export const revisionLabel = 'controller-revision-hash';

/** A template as a revision holds it: what replaces the one of the owner. */
const dataOf = (template: PodTemplateSpec): object => ({ spec: { template: { ...template, $patch: 'replace' } } });

/** JSON as Go writes maps: keys in order, and no characters that HTML knows. */
function sortedJson(value: unknown): string {
  const sorted = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(sorted);
    if (typeof part !== 'object' || part === null) return part;
    const entries = Object.entries(part).filter(([, member]) => member !== undefined);
    return Object.fromEntries(
      entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, member]) => [key, sorted(member)]),
    );
  };
  const escapes: Readonly<Record<string, string>> = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026' };
  return JSON.stringify(sorted(value)).replace(/[<>&]/g, (char) => escapes[char] as string);
}

export const dataText = (template: PodTemplateSpec): string => sortedJson(dataOf(template));

export function templateIn({ data }: ControllerRevision): PodTemplateSpec {
  const { spec } = (data ?? {}) as { readonly spec?: { readonly template?: PodTemplateSpec & { $patch?: string } } };
  const { $patch: _, ...template } = spec?.template ?? {};
  return template as PodTemplateSpec;
}

/** Lowest first. */
const byRevision = (a: ControllerRevision, b: ControllerRevision): number => (a.revision ?? 0) - (b.revision ?? 0);

interface RevisionParts {
  readonly context: ControllerContext;
  readonly revisions: ObjectCache<ControllerRevision>;
  readonly ownerKind: OwnerKind;
}

interface NewRevision {
  readonly template: PodTemplateSpec;
  /** What its name ends with. */
  readonly hash: string;
}

/** The revisions of one owner. */
export class Revisions {
  readonly #parts: RevisionParts;
  readonly #owner: ApiObject;
  #all: readonly ControllerRevision[];

  constructor(parts: RevisionParts, owner: ApiObject) {
    this.#parts = parts;
    this.#owner = owner;
    this.#all = [...parts.revisions.controlledBy(owner.metadata.uid ?? '')].sort(byRevision);
  }

  get all(): readonly ControllerRevision[] {
    return this.#all;
  }

  named(name: string | undefined): ControllerRevision | undefined {
    return this.#all.find(({ metadata }) => metadata.name === name);
  }

  /** The revision of a template, which is the last one from now on. `taken` is called where another one has its name. */
  async latest({ template, hash }: NewRevision, taken: () => Promise<void>): Promise<ControllerRevision | undefined> {
    const text = dataText(template);
    const equal = this.#all.filter(({ data }) => sortedJson(data) === text).at(-1);
    const last = this.#all.at(-1);
    const revision = (last?.revision ?? 0) + 1;
    if (equal === undefined) return this.#create(template, { hash, revision, taken });
    return equal === last ? equal : this.#keep(await this.#replace({ ...equal, revision }));
  }

  async #create(
    template: PodTemplateSpec,
    { hash, revision, taken }: { hash: string; revision: number; taken(): Promise<void> },
  ): Promise<ControllerRevision | undefined> {
    const { context, ownerKind } = this.#parts;
    const { name = '', annotations, namespace } = this.#owner.metadata;
    const made = {
      kind: 'ControllerRevision',
      apiVersion: 'apps/v1',
      metadata: {
        name: `${name.slice(0, maxPrefixLength)}-${hash}`,
        namespace,
        labels: { ...template.metadata?.labels, [revisionLabel]: hash },
        ...(annotations === undefined ? {} : { annotations }),
        ownerReferences: [controllerReference(ownerKind, this.#owner)],
      },
      data: dataOf(template),
      revision,
    };
    try {
      return this.#keep(await context.client.create(this.#path(), made));
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
    const existing = await context.client.find<ControllerRevision>(this.#path(made.metadata.name));
    const isOurs = existing !== undefined && isControlledBy(existing, this.#owner);
    if (isOurs && sortedJson(existing.data) === sortedJson(made.data)) return this.#keep(existing);
    await taken();
    return undefined;
  }

  async #replace(revision: ControllerRevision): Promise<ApiObject> {
    return this.#parts.context.client.replace(this.#path(revision.metadata.name), revision);
  }

  #keep(stored: ApiObject): ControllerRevision {
    this.#parts.revisions.put(stored);
    const others = this.#all.filter(({ metadata }) => metadata.uid !== stored.metadata.uid);
    this.#all = [...others, stored as ControllerRevision].sort(byRevision);
    return stored as ControllerRevision;
  }

  /** Deletes the oldest of those that are not in use, until `limit` of them are left. */
  async truncate(limit: number, isInUse: (revision: ControllerRevision) => boolean): Promise<void> {
    const unused = this.#all.filter((one) => !isInUse(one));
    for (const { metadata } of unused.slice(0, Math.max(unused.length - limit, 0))) {
      try {
        await this.#parts.context.client.delete(this.#path(metadata.name));
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
  }

  #path(name?: string): string {
    const collection = collectionPath('apps/v1', this.#owner.metadata.namespace ?? '', 'controllerrevisions');
    return name === undefined ? collection : `${collection}/${name}`;
  }
}

/** The hash, a dash and what follows have to fit. */
const maxPrefixLength = 223;
