// Secrets that hold a token of a service account: filled while the account exists, removed with it, and no longer
// mentioned by it once they are gone (spec: Service account automation).

import { isConflict, isForbidden, isNotFound } from '../../client/client.ts';
import { labelKey } from '../../meta/dialect.ts';
import { generateName } from '../../meta/names.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { Controller, ControllerContext } from '../controller.ts';
import { mentioning, metadataOf, only, type StoredChange } from '../object-feed.ts';
import type { WorkOutcome } from '../work-queue.ts';

/** Makes the token that a Secret is to hold. */
export type TokenIssuer = (secret: ApiObject, account: ApiObject) => string | Promise<string>;

interface TokenSecretOptions {
  /** Secrets stay empty without one. */
  readonly issue?: TokenIssuer | undefined;
  rootCa(): string;
}

interface Secret extends ApiObject {
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
}

interface ServiceAccount extends ApiObject {
  readonly secrets?: readonly { readonly name?: string }[];
}

export function tokenSecretController(context: ControllerContext, options: TokenSecretOptions): Controller {
  const { feed, dialect } = context;
  const known = new TokenSecretIndex(
    labelKey(dialect, 'service-account-token'),
    labelKey(dialect, 'service-account.name'),
  );
  const worker = new TokenSecretWorker(context, options, known);
  const queue = context.queue({ name: 'serviceaccount_tokens', workers: 4, work: (key) => worker.work(key) });

  function onAccount({ namespace, name, json }: StoredChange): void {
    if (json === undefined) for (const secret of known.secretsOf(namespace, name)) queue.add(`${namespace}/${secret}`);
    else if (options.issue !== undefined && dialect.rules.tokenSecrets === 'always') queue.add(`${namespace}//${name}`);
  }

  function onSecret(change: StoredChange): void {
    const { isToken, wasToken } = known.take(change);
    if (isToken || wasToken) queue.add(`${change.namespace}/${change.name}`);
  }

  feed.subscribe({
    wants: only('', 'serviceaccounts', 'secrets'),
    onChange: (change) => (change.resource.plural === 'secrets' ? onSecret(change) : onAccount(change)),
    onRestart: () => known.clear(),
  });
  return { close: () => queue.close() };
}

/** Which account each token Secret is for; names only. */
class TokenSecretIndex {
  readonly #isToken: (json: Uint8Array) => boolean;
  readonly #nameKey: string;
  readonly #accountOf = new Map<string, string>();
  readonly #secretsOf = new Map<string, Set<string>>();

  constructor(type: string, nameKey: string) {
    this.#isToken = mentioning(`"type":${JSON.stringify(type)}`);
    this.#nameKey = nameKey;
  }

  take({ namespace, name, json }: StoredChange): { isToken: boolean; wasToken: boolean } {
    const key = `${namespace}/${name}`;
    const wasToken = this.#accountOf.has(key);
    const isToken = json !== undefined && this.#isToken(json);
    if (isToken) this.#set(namespace, name, metadataOf(json)?.annotations?.[this.#nameKey] ?? '');
    return { isToken, wasToken };
  }

  accountOf(namespace: string, secret: string): string | undefined {
    return this.#accountOf.get(`${namespace}/${secret}`);
  }

  secretsOf(namespace: string, account: string): readonly string[] {
    return [...(this.#secretsOf.get(`${namespace}/${account}`) ?? [])];
  }

  forget(namespace: string, secret: string): void {
    const key = `${namespace}/${secret}`;
    const account = `${namespace}/${this.#accountOf.get(key)}`;
    this.#accountOf.delete(key);
    const secrets = this.#secretsOf.get(account);
    secrets?.delete(secret);
    if (secrets?.size === 0) this.#secretsOf.delete(account);
  }

  clear(): void {
    this.#accountOf.clear();
    this.#secretsOf.clear();
  }

  #set(namespace: string, secret: string, account: string): void {
    if (this.accountOf(namespace, secret) !== account) this.forget(namespace, secret);
    this.#accountOf.set(`${namespace}/${secret}`, account);
    const secrets = this.#secretsOf.get(`${namespace}/${account}`) ?? new Set();
    this.#secretsOf.set(`${namespace}/${account}`, secrets.add(secret));
  }
}

class TokenSecretWorker {
  readonly #context: ControllerContext;
  readonly #options: TokenSecretOptions;
  readonly #known: TokenSecretIndex;

  constructor(context: ControllerContext, options: TokenSecretOptions, known: TokenSecretIndex) {
    this.#context = context;
    this.#options = options;
    this.#known = known;
  }

  /** A key is `namespace/secret`, or `namespace//account` for an account that needs a Secret. */
  async work(key: string): Promise<WorkOutcome> {
    const [namespace = '', secret = '', account] = key.split('/');
    try {
      if (account !== undefined) await this.#createFor(namespace, account);
      else await this.#reconcileSecret(namespace, secret);
      return 'done';
    } catch (error) {
      if (isConflict(error)) return 'again';
      if (isNotFound(error) || isForbidden(error)) return 'done';
      throw error;
    }
  }

  async #reconcileSecret(namespace: string, name: string): Promise<void> {
    const { client, dialect } = this.#context;
    const path = `/api/v1/namespaces/${namespace}/secrets/${name}`;
    const secret = await client.find<Secret>(path);
    if (secret === undefined) return this.#unmention(namespace, name);
    if (secret.type !== labelKey(dialect, 'service-account-token')) return;
    const { annotations = {}, uid } = secret.metadata;
    const accountName = annotations[labelKey(dialect, 'service-account.name')] ?? '';
    const account = await client.find<ServiceAccount>(`/api/v1/namespaces/${namespace}/serviceaccounts/${accountName}`);
    const wantedUid = annotations[labelKey(dialect, 'service-account.uid')];
    if (account === undefined || (wantedUid && wantedUid !== account.metadata.uid))
      await client.delete(path, { preconditions: { uid } });
    else await this.#fill(path, secret, account);
  }

  /** A Secret that is gone is not to be mentioned by its account. */
  async #unmention(namespace: string, name: string): Promise<void> {
    const accountName = this.#known.accountOf(namespace, name);
    if (!accountName) return;
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${accountName}`;
    const account = await this.#context.client.find<ServiceAccount>(path);
    if (account?.secrets?.some((secret) => secret.name === name)) {
      const secrets = account.secrets.filter((secret) => secret.name !== name);
      await this.#context.client.replace(path, { ...account, secrets });
    }
    this.#known.forget(namespace, name);
    if (account !== undefined && this.#context.dialect.rules.tokenSecrets === 'always')
      await this.#createFor(namespace, accountName);
  }

  async #fill(path: string, secret: Secret, account: ServiceAccount): Promise<void> {
    const { issue, rootCa } = this.#options;
    if (issue === undefined) return;
    const ca = encode(rootCa());
    const { data = {} } = secret;
    if (data['token'] && data['namespace'] && data['ca.crt'] === ca) return;
    const uidKey = labelKey(this.#context.dialect, 'service-account.uid');
    const annotations = { ...secret.metadata.annotations, [uidKey]: account.metadata.uid ?? '' };
    const named = { ...secret, metadata: { ...secret.metadata, annotations } };
    const token = data['token'] ?? encode(await issue(named, account));
    const filled = {
      ...data,
      'ca.crt': ca,
      namespace: data['namespace'] ?? encode(account.metadata.namespace ?? ''),
      token,
    };
    await this.#context.client.replace(path, { ...named, data: filled });
  }

  async #createFor(namespace: string, accountName: string): Promise<void> {
    const { client, dialect } = this.#context;
    if (this.#options.issue === undefined || this.#known.secretsOf(namespace, accountName).length > 0) return;
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${accountName}`;
    const account = await client.find<ServiceAccount>(path);
    if (account === undefined || account.metadata.deletionTimestamp !== undefined) return;
    const name = generateName(`${accountName}-token-`);
    const annotations = { [labelKey(dialect, 'service-account.name')]: accountName };
    await client.create(`/api/v1/namespaces/${namespace}/secrets`, {
      kind: 'Secret',
      apiVersion: 'v1',
      metadata: { name, annotations },
      type: labelKey(dialect, 'service-account-token'),
    });
    await client.replace(path, { ...account, secrets: [...(account.secrets ?? []), { name }] });
  }
}

const encode = (text: string) => Buffer.from(text).toString('base64');
