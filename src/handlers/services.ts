// The engines that verb handlers may use.

import type { AdmissionChain } from '../admission/chain.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Clock } from '../base/time/clock.ts';
import type { Deadlines } from '../base/time/deadlines.ts';
import type { AccessControl } from '../meta/access.ts';
import type { Backends } from '../meta/backend.ts';
import type { Dialect } from '../meta/dialect.ts';
import type { Exchange } from '../meta/exchange.ts';
import type { RequestInfo } from '../meta/request-info.ts';
import type { Tokens } from '../meta/tokens.ts';
import type { UserInfo } from '../meta/user.ts';
import type { ObjectAccess } from '../schema/object-access.ts';
import type { ComputedCall } from '../schema/resource.ts';
import type { IdentityHeaders } from './connect/passed-headers.ts';
import type { KeptForms } from './forms/kept-forms.ts';
import type { OpenConnections } from './long-running.ts';

export interface Services {
  readonly dialect: Dialect;
  readonly clock: Clock;
  /** For what waits long and in great numbers. */
  readonly deadlines: Deadlines;
  readonly admission: AdmissionChain;
  /** Stored objects for actions to use. */
  readonly objects: ObjectAccess;
  /** Other servers that requests go on to. */
  readonly backends: Backends;
  /** Headers by which this server learns who a client is; other servers do not get them. */
  readonly identityHeaders: IdentityHeaders;
  /** Those of them that a client is connected with. */
  readonly connections: OpenConnections;
  /** Throws when a user may not do something that the request itself does not say. */
  requireAccess(user: UserInfo, info: RequestInfo): MaybePromise<void>;
  readonly access: AccessControl;
  readonly tokens: Tokens;
  /** The parts of the server that can fail on their own. */
  readonly components: ComputedCall['components'];
  /** Tells those who run the server what they may want to know. */
  notice(fields: object, message: string): void;
  /** Bytes a request body may have. */
  readonly maxBodyBytes: number;
  /** A watch without timeoutSeconds lasts between this and twice this. */
  readonly minWatchSeconds: number;
  /** Messages of objects that were sent lately. */
  readonly keptForms: KeptForms;
  /** Whether lists come in pages for those who ask for them. */
  readonly chunksLists: boolean;
  /** Objects that the deletion of a collection deletes at a time. */
  readonly deleteCollectionWorkers: number;
  /** Which address of a node is used: the first of these that it has. */
  readonly nodeAddressTypes: readonly string[];
  /** Whether nodes can be asked for one stream of a container's log. */
  readonly splitsLogs: boolean;
  /** Headers by which calls of other servers continue a trace that the client began and this server does not take. */
  traceHeaders(exchange: Exchange): Readonly<Record<string, string>>;
}
