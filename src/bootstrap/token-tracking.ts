// Since when the uses of token Secrets are recorded: a ConfigMap that cleaners of old tokens look at.

import { type Client, isConflict, isNotFound } from '../client/client.ts';
import { apiserverWord, type Dialect } from '../meta/dialect.ts';
import type { ApiObject, ObjectRef } from '../meta/object.ts';

interface ConfigMap extends ApiObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** If some servers record and others do not, they would alternately make and delete it: once in this time is enough. */
const createEveryMs = 30 * 60_000;

export const tokenTrackingRef = (dialect: Dialect): ObjectRef => ({
  namespace: dialect.systemNamespace,
  name: `${apiserverWord(dialect)}-legacy-service-account-token-tracking`,
});

export class TokenTracking {
  readonly #client: Client;
  readonly #dialect: Dialect;
  #createdAt = Number.NEGATIVE_INFINITY;

  constructor(client: Client, dialect: Dialect) {
    this.#client = client;
    this.#dialect = dialect;
  }

  async reconcile(now: number): Promise<void> {
    const { namespace, name } = tokenTrackingRef(this.#dialect);
    const collection = `/api/v1/namespaces/${namespace}/configmaps`;
    const current = await this.#client.find<ConfigMap>(`${collection}/${name}`);
    const since = new Date(now).toISOString().slice(0, 10);
    if (current === undefined) await this.#create(collection, name, since, now);
    else if (!isDate(current.data?.['since'] ?? ''))
      await this.#client.replace(`${collection}/${name}`, { ...current, data: { ...current.data, since } });
  }

  async #create(collection: string, name: string, since: string, now: number): Promise<void> {
    if (now - this.#createdAt < createEveryMs) return;
    const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name }, data: { since } };
    try {
      await this.#client.create(collection, object);
      this.#createdAt = now;
    } catch (error) {
      // another server was faster, or the namespace is not there yet and the next look is soon
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
  }
}

const isDate = (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
