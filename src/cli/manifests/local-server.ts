// A server in this process that manifests are checked against: it has a memory store, and no socket.

import { type JsonValue, stringifyJson } from '../../base/json/json.ts';
import { parseJsonText } from '../../base/json/json-scan.ts';
import type { ServerOptions } from '../../config/options.ts';
import type { ApiRequest } from '../../meta/exchange.ts';
import type { Status } from '../../meta/status.ts';
import { loopbackUser, type UserInfo } from '../../meta/user.ts';
import type { ResourcesChange } from '../../registry/resources.ts';
import { createHookedServer } from '../../server/create-server.ts';
import type { Server } from '../../server/server.ts';
import type { ServerHooks, ServerParts } from '../../server/start/server-hooks.ts';
import { objectPath } from '../../testing/typed-client.ts';
import type { ManifestObject } from './read-manifests.ts';

/** The controllers that decide whether an object is accepted; others would only change objects. */
const controllers = [
  'serviceaccount-controller',
  'resourcequota-controller',
  'clusterrole-aggregation-controller',
  'validatingadmissionpolicy-status-controller',
];

export interface LocalAnswer {
  readonly status: number;
  /** Texts of the Warning headers. */
  readonly warnings: readonly string[];
  /** An object, or a Status; empty for a write that is done. */
  readonly body: Readonly<Record<string, unknown>>;
}

interface LocalRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  /** The server itself when not given. */
  readonly user?: UserInfo | undefined;
  /** Whether the answer to a write is read too. */
  readonly returnsObject?: true;
}

interface DefinitionSpec {
  readonly group?: string;
  readonly names?: { readonly plural?: string };
  readonly versions?: readonly { readonly name: string; readonly served?: boolean }[];
}

interface ServedKind {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

export interface ObjectPath {
  readonly collection: string;
  readonly object: string;
}

type Identity = Pick<ManifestObject, 'apiVersion' | 'kind' | 'name' | 'namespace'>;

export class LocalServer {
  readonly #server: Server & ServerParts;
  readonly #namespace: string;

  private constructor(server: Server & ServerParts, namespace: string) {
    this.#server = server;
    this.#namespace = namespace;
  }

  /** `namespace` is that of objects that name none. */
  static async open(options: ServerOptions, namespace = 'default'): Promise<LocalServer> {
    const { store: _, dataDir: __, ...others } = options;
    const server = await createHookedServer({ verbosity: 0, controllers, ...others, store: 'memory' }, {});
    return new LocalServer(server, namespace);
  }

  /** A server that runs already, as its administrator. */
  static around(server: Server & ServerParts): LocalServer {
    return new LocalServer(server, 'default');
  }

  /** With a port, and all controllers that are on by default. */
  static async listen(options: ServerOptions, hooks: ServerHooks): Promise<LocalServer> {
    const { store: _, dataDir: __, ...others } = options;
    const server = await createHookedServer(
      { verbosity: 0, shutdownGraceSeconds: 1, ...others, store: 'memory' },
      hooks,
    );
    try {
      await server.listen();
    } catch (error) {
      await server.close();
      throw error;
    }
    return new LocalServer(server, 'default');
  }

  /** Throws for a server without a port. */
  get url(): string {
    return this.#server.url;
  }

  /** A link to sign in to the web console, which works once; undefined where the console is off. */
  signInLink(): string | undefined {
    return this.#server.signInLink();
  }

  get kubeconfig(): string {
    return this.#server.kubeconfig;
  }

  /** Undefined for a kind that is not served. */
  pathOf({ apiVersion, kind, name, namespace = this.#namespace }: Identity): ObjectPath | undefined {
    return objectPath(this.#server.resources.groupVersions, { apiVersion, kind, metadata: { name, namespace } });
  }

  /** Empty for objects that are in no namespace. */
  namespaceOf(object: Identity): string {
    const path = this.pathOf(object);
    return path?.collection.includes('/namespaces/') ? (object.namespace ?? this.#namespace) : '';
  }

  async send(request: LocalRequest): Promise<LocalAnswer> {
    const { status, headers, body } = await this.#server.handler(apiRequestOf(request));
    if (typeof body === 'function') throw new Error(`${request.method} ${request.path}: the answer is a stream`);
    const warnings = [headers['warning'] ?? headers['Warning'] ?? []].flat().flatMap(warningsOf);
    const isNeeded = status >= 400 || request.method === 'GET' || request.returnsObject === true;
    return { status, warnings, body: isNeeded ? bodyOf(Buffer.from(body ?? '').toString(), status) : {} };
  }

  /** Waits for the controllers of the server. */
  settled(): Promise<void> {
    return this.#server.settled();
  }

  /** Resolves to true when all of these are served, to false if that takes longer. */
  async #areServed(kinds: readonly ServedKind[], timeoutMs: number): Promise<boolean> {
    const { resources } = this.#server;
    const isServed = () =>
      kinds.every(({ group, version, plural }) =>
        resources.findGroupVersion(group, version)?.resources.some((one) => one.plural === plural),
      );
    if (isServed()) return true;
    return new Promise((resolve) => {
      const end = (result: boolean) => {
        clearTimeout(timer);
        changes.close();
        resolve(result);
      };
      const timer = setTimeout(() => end(false), timeoutMs);
      const changes = resources.onChange((_: ResourcesChange) => isServed() && end(true));
    });
  }

  /** Waits for the kinds of a definition that was stored; objects of other kinds are not waited for. */
  async definitionServed({ kind, value }: ManifestObject, timeoutMs = 3000): Promise<boolean> {
    if (kind !== 'CustomResourceDefinition') return true;
    const { group = '', versions = [], names } = value['spec'] as unknown as DefinitionSpec;
    const { plural = '' } = names ?? {};
    const served = versions.filter((one) => one.served).map(({ name: version }) => ({ group, version, plural }));
    return this.#areServed(served, timeoutMs);
  }

  /** Remembers all objects, and restores them when it is called. */
  checkpoint(): () => Promise<void> {
    const checkpoint = this.#server.store.checkpoint?.();
    return async () => checkpoint?.restore();
  }

  close(): Promise<void> {
    return this.#server.close();
  }
}

function apiRequestOf({ method, path, body, contentType = 'application/json', user }: LocalRequest): ApiRequest {
  const bytes = Buffer.from(body === undefined ? '' : stringifyJson(body as JsonValue));
  const headers = new Map([
    ['accept', 'application/json'],
    ['content-type', contentType],
    ['user-agent', 'keelson-cli'],
  ]);
  const [bare = '', rawQuery = ''] = path.split('?', 2);
  return {
    ...{ method, path: bare, rawQuery },
    peer: { address: 'in-process', trustedUser: user ?? loopbackUser },
    header: (name) => headers.get(name),
    hasHeader: (prefix) => [...headers.keys()].some((name) => name.startsWith(prefix)),
    headers: () => [...headers],
    readBody: () => Promise.resolve(bytes),
  };
}

/** The texts of `299 - "text"`, several of them separated by commas. */
function warningsOf(header: string): readonly string[] {
  return [...header.matchAll(/299 \S+ ("(?:[^"\\]|\\.)*")/g)].map(([, quoted = '""']) => unquoted(quoted));
}

const unquoted = (quoted: string) => quoted.slice(1, -1).replace(/\\(.)/gs, '$1');

function bodyOf(text: string, code: number): LocalAnswer['body'] {
  if (text.startsWith('{')) return parseJsonText(text) as unknown as LocalAnswer['body'];
  const status: Partial<Status> = { status: 'Failure', message: text.trim(), code };
  return status as LocalAnswer['body'];
}
