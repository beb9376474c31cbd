// A place for tests to take part: requests are held up, refused or written down after the caller was let in.

import type { MaybePromise } from '../base/maybe-promise.ts';
import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import type { Stage } from './stage.ts';

export interface Interceptor {
  /** As a stage: answers, throws an ApiError, waits, or lets the request go on. */
  before(exchange: Exchange): MaybePromise<ApiResponse | undefined>;
  /** Every answer passes here on its way to the client, also those of requests that were refused; gives back what is sent. */
  after(exchange: Exchange, response: ApiResponse): ApiResponse;
}

/** No stage at all where nothing takes part. */
export function interceptStages({ interceptor }: { readonly interceptor?: Interceptor | undefined }): readonly Stage[] {
  return interceptor === undefined ? [] : [(exchange) => interceptor.before(exchange)];
}
