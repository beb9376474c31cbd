// Documents about the resources: built when a client first asks, while what they describe stays the same, with an ETag.

import { memoized } from '../base/memoized.ts';
import { gzipWhole } from '../codec/compression.ts';
import type { ApiResponse, Exchange, Sink } from '../meta/exchange.ts';
import type { Resources } from '../registry/resources.ts';
import { type Chunks, hashOf, lengthOf } from './chunks.ts';
import { outcomeOf } from './preconditions.ts';
import type { ShownVersion } from './shown-apis.ts';

/** What a document describes: one group-version, or all of them. Neither is ever changed; a change makes new ones. */
export type Subject = ShownVersion | readonly ShownVersion[];

/** How a document is made. */
export interface Recipe {
  readonly subject: Subject;
  build(): Promise<Chunks>;
  /** Names the document before it is built: differs where the documents differ. The hash of the body without it. */
  hash?(): Promise<string | undefined>;
}

interface Known {
  readonly subject: Subject;
  hash: string | undefined;
  /** When it was first asked for. */
  since: number | undefined;
  body: Chunks | undefined;
  /** Clients that ask meanwhile wait for the same document. */
  building: Promise<Chunks> | undefined;
}

/** Bodies beyond that are built again when they are asked for; the newest is always kept. */
const keptBytes = 16 * 1024 * 1024;

export class Documents {
  /** Those asked for last come last. */
  readonly #known = new Map<string, Known>();

  constructor(resources: Resources) {
    resources.onChange(() => this.#forgetOutdated(resources));
  }

  /** In hexadecimal. */
  async hash(key: string, recipe: Recipe): Promise<string> {
    const known = this.#find(key, recipe.subject);
    known.hash ??= await recipe.hash?.();
    if (known.hash === undefined) await this.#build(known, recipe);
    return known.hash as unknown as string;
  }

  async body(key: string, recipe: Recipe): Promise<Chunks> {
    const known = this.#find(key, recipe.subject);
    this.#known.delete(key);
    this.#known.set(key, known);
    return known.body ?? this.#build(known, recipe);
  }

  /** Since when the document is as it is, as far as clients can know. */
  since(key: string, subject: Subject, now: number): number {
    const known = this.#find(key, subject);
    known.since ??= now;
    return known.since;
  }

  #find(key: string, subject: Subject): Known {
    const known = this.#known.get(key);
    if (known?.subject === subject) return known;
    const fresh: Known = { subject, hash: undefined, since: undefined, body: undefined, building: undefined };
    this.#known.set(key, fresh);
    return fresh;
  }

  #build(known: Known, recipe: Recipe): Promise<Chunks> {
    known.building ??= this.#make(known, recipe).finally(() => {
      known.building = undefined;
    });
    return known.building;
  }

  async #make(known: Known, recipe: Recipe): Promise<Chunks> {
    const body = await recipe.build();
    known.hash ??= (await recipe.hash?.()) ?? (await hashOf(body));
    known.body = body;
    this.#dropOldBodies(known);
    return body;
  }

  #dropOldBodies(newest: Known): void {
    let room = keptBytes - lengthOf(newest.body ?? []);
    for (const known of [...this.#known.values()].reverse()) {
      if (known === newest || known.body === undefined) continue;
      room -= lengthOf(known.body);
      if (room < 0) known.body = undefined;
    }
  }

  #forgetOutdated(resources: Resources): void {
    for (const [key, { subject }] of this.#known) if (!isCurrent(resources, subject)) this.#known.delete(key);
  }
}

/** What describes all group-versions is outdated by every change. */
function isCurrent(resources: Resources, subject: Subject): boolean {
  return !isMany(subject) && resources.findGroupVersion(subject.group, subject.version) === subject;
}

const isMany = (subject: Subject): subject is readonly ShownVersion[] => Array.isArray(subject);

interface Answered {
  readonly hash: string;
  /** By the server's clock; such a document answers every conditional request, others go by their tag. */
  readonly modified?: number;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the answer depends on; by default, what the client accepts. */
  readonly vary?: string | readonly string[];
  /** Not asked for where the client has the document. */
  body(): Promise<Chunks>;
}

/** The document, unless the client says that it has it, or wants another one. */
export async function answerDocument({ request }: Exchange, answered: Answered): Promise<ApiResponse> {
  const { hash, modified, contentType, vary = 'Accept' } = answered;
  const tag = `"${hash}"`;
  const named = { etag: tag, ...(vary === '' ? {} : { vary }), ...answered.headers };
  const status = outcomeOf(request, { tag, modified });
  if (status === 304) return { status, headers: named };
  const dated = modified === undefined ? {} : { 'last-modified': new Date(modified).toUTCString() };
  const headers = { 'content-type': contentType, ...dated, ...named };
  if (status === 412) return { status, headers };
  const chunks = await answered.body();
  const [only] = chunks;
  const gzipBody = async (sink: Sink) => writeAll(sink, [await compressedOf(chunks)]);
  if (only !== undefined && chunks.length === 1) return { status: 200, headers, body: only, gzipBody };
  return { status: 200, headers, body: (sink) => writeAll(sink, chunks), expectedLength: lengthOf(chunks), gzipBody };
}

/** Kept as long as the document is: clients that ask meanwhile wait for the same bytes. */
const compressedOf = memoized((chunks: Chunks): Promise<Buffer> => gzipWhole(Buffer.concat(chunks)));

async function writeAll(sink: Sink, chunks: Chunks): Promise<void> {
  for (const chunk of chunks) {
    if (sink.isGone) return;
    if (!sink.write(chunk)) await sink.drained();
  }
}
