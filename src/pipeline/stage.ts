// One step of the way from request to answer.

import type { MaybePromise } from '../base/maybe-promise.ts';
import type { ApiResponse, Exchange } from '../meta/exchange.ts';

/** Returns an answer to end the way here, nothing to go on; throws an ApiError to refuse. */
export type Stage = (exchange: Exchange) => MaybePromise<ApiResponse | undefined>;
