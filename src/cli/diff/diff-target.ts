// The places that manifests are compared with: a running server, or a server in this process that has the objects of another folder.

import { type Client, isNotFound, RequestError, type Transport } from '../../client/client.ts';
import { inApplyOrder } from '../manifests/apply-order.ts';
import type { LocalServer, ObjectPath } from '../manifests/local-server.ts';
import type { ManifestObject } from '../manifests/read-manifests.ts';

export type PlainObject = Readonly<Record<string, unknown>>;

export interface Comparison {
  /** Undefined for an object that is not there. */
  readonly before: PlainObject | undefined;
  readonly after: PlainObject;
}

export interface DiffTarget {
  /** Throws an Error for an object that would be refused. */
  compare(object: ManifestObject): Promise<Comparison>;
}

const applyType = 'application/apply-patch+yaml';

const queryOf = (fieldManager: string) =>
  `fieldManager=${encodeURIComponent(fieldManager)}&force=true&fieldValidation=Strict`;

/** Applies objects for real: the server is there for this comparison only. */
export class LocalTarget implements DiffTarget {
  readonly #server: LocalServer;
  readonly #fieldManager: string;

  private constructor(server: LocalServer, fieldManager: string) {
    this.#server = server;
    this.#fieldManager = fieldManager;
  }

  static async open(
    server: LocalServer,
    fieldManager: string,
    objects: readonly ManifestObject[],
    namespaces: readonly string[],
  ): Promise<LocalTarget> {
    const target = new LocalTarget(server, fieldManager);
    for (const name of namespaces) {
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
      await server.send({ method: 'POST', path: '/api/v1/namespaces', body });
    }
    for (const object of inApplyOrder(objects)) await target.compare(object);
    return target;
  }

  async compare(object: ManifestObject): Promise<Comparison> {
    const path = this.#server.pathOf(object);
    if (path === undefined) throw new Error(`${object.kind} of ${object.apiVersion} is not served`);
    const found = await this.#server.send({ method: 'GET', path: path.object });
    const { status, body } = await this.#server.send({
      ...{ method: 'PATCH', path: `${path.object}?${queryOf(this.#fieldManager)}`, body: object.value },
      ...{ contentType: applyType, returnsObject: true },
    });
    if (status >= 300) throw new Error(String(body['message']));
    await this.#server.definitionServed(object);
    return { before: found.status === 200 ? found.body : undefined, after: body };
  }
}

/** Asks a running server what an apply would do. */
export class RemoteTarget implements DiffTarget {
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #namespace: string;
  readonly #query: string;
  readonly #resources = new Map<string, Promise<readonly Resource[]>>();

  constructor(
    connection: { readonly client: Client; readonly transport: Transport },
    namespace: string,
    fieldManager: string,
  ) {
    this.#client = connection.client;
    this.#transport = connection.transport;
    this.#namespace = namespace;
    this.#query = `${queryOf(fieldManager)}&dryRun=All`;
  }

  async compare(object: ManifestObject): Promise<Comparison> {
    const path = await this.#pathOf(object);
    // its definition is new
    if (path === undefined) return { before: undefined, after: object.value };
    const before = object.name === '' ? undefined : await this.#client.find<PlainObject>(path.object);
    const request =
      object.name === ''
        ? ({ method: 'POST', path: `${path.collection}?dryRun=All&fieldValidation=Strict` } as const)
        : ({ method: 'PATCH', path: `${path.object}?${this.#query}`, contentType: applyType } as const);
    const { status, body } = await this.#transport.send({ ...request, body: object.value });
    if (status < 300) return { before, after: body as PlainObject };
    // its namespace is new
    if (status === 404 && before === undefined) return { before, after: object.value };
    throw new RequestError(`${request.method} ${path.object}`, status, body);
  }

  async #pathOf({
    apiVersion,
    kind,
    name,
    namespace = this.#namespace,
  }: ManifestObject): Promise<ObjectPath | undefined> {
    const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const asked = this.#resources.get(base) ?? this.#resourcesOf(base);
    this.#resources.set(base, asked);
    const resource = (await asked).find((one) => one.kind === kind && !one.name.includes('/'));
    if (resource === undefined) return undefined;
    const scope = resource.namespaced ? `/namespaces/${encodeURIComponent(namespace)}` : '';
    const collection = `${base}${scope}/${resource.name}`;
    return { collection, object: `${collection}/${encodeURIComponent(name)}` };
  }

  async #resourcesOf(base: string): Promise<readonly Resource[]> {
    try {
      const list = await this.#client.get<{ resources?: readonly Resource[] }>(base);
      return list.resources ?? [];
    } catch (error) {
      if (isNotFound(error)) return [];
      throw error;
    }
  }
}

interface Resource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}
