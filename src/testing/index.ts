// Keelson inside the tests of other programs.
//
//   const server = await startTestServer({ manifests: ['crds/', 'seed.yaml'] });
//   const pod = await server.client.pods('default').get('web');
//   await server.close();

export { type Clock, systemClock, type Timer } from '../base/time/clock.ts';
export { Client, RequestError } from '../client/client.ts';
export { OptionError } from '../config/option-error.ts';
export {
  assertCondition,
  assertEvent,
  assertFinalizer,
  assertNoObject,
  assertObject,
  assertOwner,
} from './assertions.ts';
export type { ExpectedCondition, ExpectedEvent, ExpectedObject } from './checks.ts';
export type { EventuallyOptions } from './eventually.ts';
export { FakeClock } from './fake-clock.ts';
export type { DropOptions, FailOptions, Fault, FaultTurns, SlowOptions, ThrottleOptions } from './faults.ts';
export type { Journal, JournalEntry } from './journal.ts';
export type { ClusterKinds, NamespacedKinds } from './kinds/built-in-kinds.ts';
export type { Manifest } from './manifests.ts';
export type { RequestFilter, SeenRequest } from './request-filter.ts';
export type { ServerFaults, WatchFilter } from './server-faults.ts';
export { TestClock } from './test-clock.ts';
export {
  startTestServer,
  type TestServer,
  type TestServerOptions,
  type TestSnapshot,
  type TestUser,
} from './test-server.ts';
export type {
  Change,
  KindOf,
  ListOptions,
  ResourceClient,
  TypedClient,
  TypedWatchEvent,
} from './typed-client.ts';
