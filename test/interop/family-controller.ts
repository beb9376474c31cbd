// A controller as people write them with @kubernetes/client-node: it leads by a Lease, learns from informers, makes
// children of parents and cleans up behind a finalizer. Parents say in `data.count` how many children they want.

import {
  ApiException,
  CoordinationV1Api,
  CoreV1Api,
  type Informer,
  type KubeConfig,
  makeInformer,
  type ObjectCache,
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
  type V1Lease,
  V1MicroTime,
} from '@kubernetes/client-node';

export interface FamilyOptions {
  readonly config: KubeConfig;
  readonly identity: string;
  readonly namespace: string;
  /** Called for what cannot go on at once; it is tried again. */
  onTrouble(error: unknown): void;
}

export const finalizer = 'example.com/family';
const lockName = 'family-controller';
const leaseSeconds = 2;
const retryMs = 50;

type Cache = Informer<V1ConfigMap> & ObjectCache<V1ConfigMap>;

export class FamilyController {
  /** Parents that were cleaned up, in order. */
  readonly cleaned: string[] = [];
  readonly #options: FamilyOptions;
  readonly #core: CoreV1Api;
  readonly #leases: CoordinationV1Api;
  readonly #parents: Cache;
  readonly #children: Cache;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #working = new Map<string, Promise<void>>();
  #campaigning = Promise.resolve();
  #stopped = false;
  #leads = false;

  constructor(options: FamilyOptions) {
    const { config } = options;
    this.#options = options;
    this.#core = config.makeApiClient(CoreV1Api);
    this.#leases = config.makeApiClient(CoordinationV1Api);
    this.#parents = this.#informer('family=parent');
    this.#children = this.#informer('family=child');
  }

  get leads(): boolean {
    return this.#leads;
  }

  start(): void {
    this.#campaigning = this.#campaign();
  }

  /** Gives the lease back, so that the next one need not wait. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all([this.#parents.stop(), this.#children.stop()]);
    await Promise.all([this.#campaigning, ...this.#working.values()]);
    if (this.#leads) await this.#write(await this.#lease(), '');
    this.#leads = false;
  }

  #later(run: () => void): void {
    if (this.#stopped) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, retryMs);
    this.#timers.add(timer);
  }

  async #campaign(): Promise<void> {
    const holds = await this.#hold().catch((error: unknown) => {
      if (!isConflict(error)) this.#options.onTrouble(error);
      return this.#leads;
    });
    if (this.#stopped) return;
    if (holds && !this.#leads) {
      this.#leads = true;
      for (const informer of [this.#parents, this.#children]) this.#follow(informer);
    }
    this.#later(() => this.start());
  }

  async #hold(): Promise<boolean> {
    const { identity, namespace } = this.#options;
    const lease = await this.#lease();
    if (lease === undefined) {
      const body = { metadata: { name: lockName }, spec: spec(identity) };
      await this.#leases.createNamespacedLease({ namespace, body });
      return true;
    }
    const { holderIdentity, renewTime } = lease.spec ?? {};
    // the client hands times of this precision out as text
    const isFresh = renewTime !== undefined && Date.parse(String(renewTime)) + leaseSeconds * 1000 > Date.now();
    if (holderIdentity && holderIdentity !== identity && isFresh) return false;
    await this.#write(lease, identity);
    return true;
  }

  async #lease(): Promise<V1Lease | undefined> {
    const { namespace } = this.#options;
    return found(this.#leases.readNamespacedLease({ namespace, name: lockName }));
  }

  async #write(lease: V1Lease | undefined, identity: string): Promise<void> {
    if (lease === undefined) return;
    const { namespace } = this.#options;
    await this.#leases.replaceNamespacedLease({ namespace, name: lockName, body: { ...lease, spec: spec(identity) } });
  }

  #informer(labelSelector: string): Cache {
    const { namespace, config } = this.#options;
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const list = () => this.#core.listNamespacedConfigMap({ namespace, labelSelector });
    const informer = makeInformer(config, path, list, labelSelector);
    for (const event of ['add', 'update', 'delete'] as const) informer.on(event, (object) => this.#enqueue(object));
    informer.on('error', () => this.#later(() => this.#follow(informer)));
    return informer;
  }

  #follow(informer: Cache): void {
    if (this.#stopped) return;
    informer.start().catch((error: unknown) => {
      this.#options.onTrouble(error);
      this.#later(() => this.#follow(informer));
    });
  }

  /** A child is its parent's concern. One look at a parent at a time. */
  #enqueue({ metadata = {} }: V1ConfigMap): void {
    const name = metadata.ownerReferences?.[0]?.name ?? metadata.name ?? '';
    const before = this.#working.get(name) ?? Promise.resolve();
    const work = before.then(() => this.#attempt(name));
    this.#working.set(name, work);
  }

  async #attempt(name: string): Promise<void> {
    if (this.#stopped) return;
    try {
      await this.#reconcile(name);
    } catch (error) {
      this.#options.onTrouble(error);
      this.#later(() => this.#enqueue({ metadata: { name } }));
    }
  }

  async #reconcile(name: string): Promise<void> {
    const { namespace } = this.#options;
    const parent = await found(this.#core.readNamespacedConfigMap({ namespace, name }));
    if (parent?.metadata?.labels?.['family'] !== 'parent') return;
    if (parent.metadata.deletionTimestamp !== undefined) return this.#cleanUp(parent);
    if (!parent.metadata.finalizers?.includes(finalizer)) await this.#setFinalizers(parent, [finalizer]);
    await this.#setChildren(parent, Number(parent.data?.['count'] ?? 0));
  }

  /** The children go first. */
  async #cleanUp(parent: V1ConfigMap): Promise<void> {
    const { name = '', finalizers = [] } = parent.metadata ?? {};
    if (!finalizers.includes(finalizer)) return;
    await this.#setChildren(parent, 0);
    await this.#setFinalizers(
      parent,
      finalizers.filter((other) => other !== finalizer),
    );
    this.cleaned.push(name);
  }

  async #setChildren(parent: V1ConfigMap, count: number): Promise<void> {
    const { namespace } = this.#options;
    const { name: parentName = '', uid = '' } = parent.metadata ?? {};
    const { items } = await this.#core.listNamespacedConfigMap({ namespace, labelSelector: 'family=child' });
    const own = items.filter(({ metadata }) => metadata?.ownerReferences?.[0]?.uid === uid);
    for (const { metadata } of own.slice(count))
      await found(this.#core.deleteNamespacedConfigMap({ namespace, name: metadata?.name ?? '' }));
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: parentName, uid };
    for (let index = own.length; index < count; index++) {
      const ownerReferences = [{ ...owner, controller: true, blockOwnerDeletion: true }];
      const metadata = { generateName: `${parentName}-`, labels: { family: 'child' }, ownerReferences };
      await this.#core.createNamespacedConfigMap({ namespace, body: { metadata } });
    }
  }

  async #setFinalizers(parent: V1ConfigMap, finalizers: readonly string[]): Promise<void> {
    const { namespace } = this.#options;
    const { name = '', uid, resourceVersion } = parent.metadata ?? {};
    const body = { metadata: { uid, resourceVersion, finalizers } };
    const asMergePatch = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
    await this.#core.patchNamespacedConfigMap({ namespace, name, body }, asMergePatch);
  }
}

const spec = (holderIdentity: string) => ({
  holderIdentity,
  leaseDurationSeconds: leaseSeconds,
  renewTime: new V1MicroTime(),
});

const hasCode = (error: unknown, code: number) => error instanceof ApiException && error.code === code;
const isConflict = (error: unknown) => hasCode(error, 409);

async function found<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (hasCode(error, 404)) return undefined;
    throw error;
  }
}
