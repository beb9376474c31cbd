// An operator as people write them with @kubernetes/client-node: it installs its definition, leads by a Lease, learns of its
// objects from an informer, makes a ConfigMap of each, tells a status and cleans up behind a finalizer.

import {
  ApiException,
  ApiextensionsV1Api,
  CoordinationV1Api,
  CoreV1Api,
  CustomObjectsApi,
  type Informer,
  type KubeConfig,
  type KubernetesObject,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1CustomResourceDefinition,
  V1MicroTime,
  Watch,
} from '@kubernetes/client-node';

export interface Garden extends KubernetesObject {
  readonly spec?: { readonly plant?: string };
  readonly status?: { readonly plant?: string };
}

interface OperatorOptions {
  readonly config: KubeConfig;
  readonly identity: string;
  readonly definition: V1CustomResourceDefinition;
}

export const finalizer = 'node.example.com/garden';
const namespace = 'default';
const lock = { namespace, name: 'gardener' };
const leaseSeconds = 2;
const retryMs = 50;
const asMergePatch = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);

export class GardenOperator {
  readonly #options: OperatorOptions;
  readonly #core: CoreV1Api;
  readonly #leases: CoordinationV1Api;
  readonly #custom: CustomObjectsApi;
  readonly #informer: Informer<Garden>;
  readonly #working = new Map<string, Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #campaign = Promise.resolve();
  #isStopped = false;
  leads = false;

  constructor(options: OperatorOptions) {
    const { config } = options;
    this.#options = options;
    this.#core = config.makeApiClient(CoreV1Api);
    this.#leases = config.makeApiClient(CoordinationV1Api);
    this.#custom = config.makeApiClient(CustomObjectsApi);
    const { group, version, plural } = this.#where;
    const path = `/apis/${group}/${version}/namespaces/${namespace}/${plural}`;
    this.#informer = makeInformer<Garden>(config, path, () => this.#custom.listNamespacedCustomObject(this.#where));
    for (const event of ['add', 'update'] as const) this.#informer.on(event, (garden) => this.#enqueue(garden));
  }

  get #where() {
    const { group, names } = this.#options.definition.spec;
    return { group, version: 'v1', namespace, plural: names.plural };
  }

  /** Resolves when the definition is established. */
  async start(): Promise<void> {
    const { config, definition } = this.#options;
    const extensions = config.makeApiClient(ApiextensionsV1Api);
    await unless(409, extensions.createCustomResourceDefinition({ body: definition }));
    await this.#established();
    this.#campaign = this.#hold();
  }

  /** Gives the lease back, so that the next one need not wait. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#informer.stop();
    await Promise.all([this.#campaign, ...this.#working.values()]);
    if (!this.leads) return;
    this.leads = false;
    const lease = await this.#leases.readNamespacedLease(lock);
    await this.#leases.replaceNamespacedLease({ ...lock, body: { ...lease, spec: {} } });
  }

  #established(): Promise<void> {
    const { config, definition } = this.#options;
    const fieldSelector = `metadata.name=${definition.metadata?.name}`;
    return new Promise((resolve, reject) => {
      const seen = (_type: string, { status }: V1CustomResourceDefinition) => {
        if (!status?.conditions?.some((one) => one.type === 'Established' && one.status === 'True')) return;
        resolve();
        void watching.then((watch) => watch.abort());
      };
      const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      const watching = new Watch(config).watch(path, { fieldSelector, timeoutSeconds: 20 }, seen, reject);
    });
  }

  async #hold(): Promise<void> {
    const holds = await this.#take().catch(() => this.leads);
    if (this.#isStopped) return;
    if (holds && !this.leads) {
      this.leads = true;
      await this.#informer.start();
    }
    this.#timer = setTimeout(() => {
      this.#campaign = this.#hold();
    }, retryMs);
  }

  async #take(): Promise<boolean> {
    const { identity } = this.#options;
    const spec = { holderIdentity: identity, leaseDurationSeconds: leaseSeconds, renewTime: new V1MicroTime() };
    const lease = await unless(404, this.#leases.readNamespacedLease(lock));
    if (lease === undefined) {
      await this.#leases.createNamespacedLease({ namespace, body: { metadata: { name: lock.name }, spec } });
      return true;
    }
    const { holderIdentity, renewTime } = lease.spec ?? {};
    const isFresh = renewTime !== undefined && Date.parse(String(renewTime)) + leaseSeconds * 1000 > Date.now();
    if (holderIdentity && holderIdentity !== identity && isFresh) return false;
    await this.#leases.replaceNamespacedLease({ ...lock, body: { ...lease, spec } });
    return true;
  }

  /** One look at a garden at a time; what fails is looked at again with the next event. */
  #enqueue({ metadata }: Garden): void {
    const name = metadata?.name ?? '';
    const before = this.#working.get(name) ?? Promise.resolve();
    this.#working.set(
      name,
      before.then(() => this.#reconcile(name)),
    );
  }

  async #reconcile(name: string): Promise<void> {
    if (this.#isStopped) return;
    const read = this.#custom.getNamespacedCustomObject({ ...this.#where, name }) as Promise<Garden>;
    const garden = await unless(404, read);
    if (garden === undefined) return;
    if (garden.metadata?.deletionTimestamp !== undefined) return this.#cleanUp(name);
    if (!garden.metadata?.finalizers?.includes(finalizer)) await this.#setFinalizers(name, [finalizer]);
    const plant = garden.spec?.plant ?? '';
    if (garden.status?.plant !== plant) await this.#grow(name, plant);
  }

  async #grow(name: string, plant: string): Promise<void> {
    const body = { metadata: { name }, data: { plant } };
    const made = await unless(409, this.#core.createNamespacedConfigMap({ namespace, body }));
    if (made === undefined) await this.#core.replaceNamespacedConfigMap({ namespace, name, body });
    const status = { phase: 'Grown', plant };
    await this.#custom.patchNamespacedCustomObjectStatus({ ...this.#where, name, body: { status } }, asMergePatch);
  }

  async #cleanUp(name: string): Promise<void> {
    await unless(404, this.#core.deleteNamespacedConfigMap({ namespace, name }));
    await unless(404, this.#setFinalizers(name, null));
  }

  #setFinalizers(name: string, finalizers: readonly string[] | null): Promise<unknown> {
    return this.#custom.patchNamespacedCustomObject(
      { ...this.#where, name, body: { metadata: { finalizers } } },
      asMergePatch,
    );
  }
}

/** Undefined where the server answers with that code. */
async function unless<T>(code: number, request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof ApiException && error.code === code) return undefined;
    throw error;
  }
}
