// Keelson as a library.
//
//   import { createServer } from 'keelson';
//   await using server = await createServer({ store: 'embedded', dataDir: 'data' });
//   await server.listen();

export type { CloudDisk, LocateVolume, VolumePlace } from './admission/plugins/volume-places.ts';
export { type Clock, systemClock, type Timer } from './base/time/clock.ts';
export {
  Client,
  type ClientAnswer,
  type ClientRequest,
  isConflict,
  isForbidden,
  isInvalid,
  isNotFound,
  type ObjectList,
  RequestError,
  type Transport,
  type WatchEvent,
} from './client/client.ts';
export { type Connection, type ConnectOptions, connect } from './client/connect.ts';
export { Informer, type InformerOptions } from './client/informer.ts';
export { type Kubeconfig, KubeconfigError } from './client/kubeconfig/kubeconfig.ts';
export { type KubeconfigSource, loadKubeconfig } from './client/kubeconfig/load.ts';
export {
  addFinalizer,
  type Condition,
  findCondition,
  ownerReference,
  removeFinalizer,
  updateStatus,
  withCondition,
} from './client/operator.ts';
export type { ExtensionServerOptions, ExtensionService } from './config/extension-options.ts';
export { type Log, OptionError, type ServerOptions } from './config/options.ts';
export { type WorkOutcome, WorkQueue, type WorkQueueOptions } from './controllers/work-queue.ts';
export { cluster, type Dialect, type DialectNames, type DialectRules, kubernetes } from './meta/dialect.ts';
export type { ApiObject, ObjectMeta, OwnerReference } from './meta/object.ts';
export type { Revision } from './meta/revision.ts';
export type { UserInfo } from './meta/user.ts';
export { createExtensionServer, createServer } from './server/create-server.ts';
export type { ExtensionServer, Server } from './server/server.ts';
export type {
  CommitResult,
  ListQuery,
  ListResult,
  Store,
  StoredEntry,
  StoreEvent,
  StoreWatch,
  StoreWatcher,
  Write,
} from './storage/store.ts';
export type { InProcessFetch, InProcessInit } from './transport/in-process.ts';
