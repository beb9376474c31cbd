// Clients that write and watch while the server is killed, and remember what they were told.

/** A server, over connections that several of its threads serve. */
export interface Reached {
  /** Undefined when no answer came. */
  call(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly body: string } | undefined>;
  /** Lines of a stream, until it ends or breaks. */
  lines(path: string, onLine: (line: string) => void): Promise<void>;
}

export const collection = '/api/v1/namespaces/default/configmaps';

/** A write that was acknowledged. */
export interface Acknowledged {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly name: string;
  /** Undefined for a delete, whose answer does not tell it. */
  readonly version: number | undefined;
  readonly value: string;
}

/** An event as a watcher saw it. */
export interface Seen {
  readonly type: string;
  readonly name: string;
  readonly version: number;
  readonly value: string;
}

interface Stored {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
  readonly data: { readonly value: string };
}

const keysPerWriter = 4;

export class Writer {
  readonly acknowledged: Acknowledged[] = [];
  readonly problems: string[] = [];
  readonly #target: Reached;
  readonly #id: number;
  readonly #known = new Map<string, Stored | undefined>();
  #count = 0;

  constructor(target: Reached, id: number) {
    this.#target = target;
    this.#id = id;
  }

  async run(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const name = `w${this.#id}-${Math.floor(Math.random() * keysPerWriter)}`;
      if (!this.#known.has(name)) await this.#look(name);
      else await this.#write(name, this.#known.get(name));
    }
  }

  /** What is there, after a write of unknown fate. */
  async #look(name: string): Promise<void> {
    const answer = await this.#target.call('GET', `${collection}/${name}`);
    if (answer?.status === 404) this.#known.set(name, undefined);
    else if (answer?.status === 200) this.#known.set(name, JSON.parse(answer.body) as Stored);
  }

  async #write(name: string, old: Stored | undefined): Promise<void> {
    this.#known.delete(name);
    const value = `${this.#id}.${this.#count++}`;
    const path = `${collection}/${name}`;
    if (old !== undefined && Math.random() < 0.2) {
      const answer = await this.#target.call('DELETE', path);
      if (answer?.status !== 200) return;
      this.acknowledged.push({ type: 'DELETED', name, version: undefined, value: old.data.value });
      this.#known.set(name, undefined);
      return this.#readElsewhere(name, undefined);
    }
    const { resourceVersion } = old?.metadata ?? {};
    const metadata = { name, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
    const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata, data: { value } };
    const answer = await this.#target.call(old ? 'PUT' : 'POST', old ? path : collection, object);
    if (answer?.status !== (old ? 200 : 201)) return;
    const stored = JSON.parse(answer.body) as Stored;
    const type = old ? 'MODIFIED' : 'ADDED';
    this.acknowledged.push({ type, name, version: Number(stored.metadata.resourceVersion), value });
    this.#known.set(name, stored);
    await this.#readElsewhere(name, stored.metadata.resourceVersion);
  }

  /** The next request, perhaps on another thread, shows what was acknowledged: only this writer changes the object. */
  async #readElsewhere(name: string, version: string | undefined): Promise<void> {
    const isObject = Math.random() < 0.5;
    const path = isObject ? `${collection}/${name}` : `${collection}?fieldSelector=metadata.name=${name}`;
    const answer = await this.#target.call('GET', path);
    if (answer === undefined || (answer.status !== 200 && answer.status !== 404)) return;
    const body = JSON.parse(answer.body) as Stored & { readonly items?: readonly Stored[] };
    const found = isObject ? body.metadata.resourceVersion : body.items?.[0]?.metadata.resourceVersion;
    if (found !== version) this.problems.push(`${name} was read at ${found} after ${version} was acknowledged`);
  }
}

export class Watcher {
  readonly seen: Seen[] = [];
  readonly problems: string[] = [];
  readonly #target: Reached;
  #version: number;

  constructor(target: Reached, version: number) {
    this.#target = target;
    this.#version = version;
  }

  /** Watches on and on, each time from where it was. */
  async run(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const query = `watch=1&allowWatchBookmarks=true&timeoutSeconds=5&resourceVersion=${this.#version}`;
      await this.#target.lines(`${collection}?${query}`, (line) => this.#take(line));
    }
  }

  /** The last look, after everything has settled. */
  async finish(version: number): Promise<void> {
    const deadline = Date.now() + 30_000;
    await this.run(() => this.#version >= version || Date.now() > deadline);
    if (this.#version < version) this.problems.push(`stopped at ${this.#version}, ${version} was the end`);
  }

  #take(line: string): void {
    const { type, object } = JSON.parse(line) as { type: string; object: Stored & { code?: number } };
    if (type === 'ERROR' || object.code !== undefined) {
      // the store is away; what matters is what comes afterwards
      if (object.code === 410) this.problems.push(line);
      return;
    }
    const version = Number(object.metadata.resourceVersion);
    if (version < this.#version) this.problems.push(`${version} came after ${this.#version}`);
    if (type !== 'BOOKMARK') {
      if (version === this.#version) this.problems.push(`${version} came twice`);
      this.seen.push({ type, name: object.metadata.name, version, value: object.data.value });
    }
    this.#version = version;
  }
}
