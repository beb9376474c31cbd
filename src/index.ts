// Keelson as a library.
//
//   import { createServer } from 'keelson';
//   await using server = await createServer({ store: 'embedded', dataDir: 'data' });
//   await server.listen();

export type { Clock, Timer } from './base/clock.ts';
export { cluster, type Dialect, type DialectNames, type DialectRules, kubernetes } from './meta/dialect.ts';
export type { Revision } from './meta/revision.ts';
export type { UserInfo } from './meta/user.ts';
export type { InProcessFetch, InProcessInit } from './server/in-process.ts';
export { type Log, OptionError, type ServerOptions } from './server/options.ts';
export { createServer, type Server } from './server/server.ts';
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
