// Options of requests that go on to the servers of aggregated APIs, in the words of kube-apiserver.

export interface AggregationOptions {
  /** Whether those servers are reached at the endpoints of their services; at the cluster IP when not given. */
  readonly enableAggregatorRouting?: boolean;
  /** Whether their answers may not lead clients elsewhere; true when not given. */
  readonly aggregatorRejectForwardingRedirect?: boolean;
}

export interface AggregationConfig {
  readonly routesToEndpoints: boolean;
  readonly rejectsRedirects: boolean;
}

export function resolveAggregation(options: AggregationOptions): AggregationConfig {
  return {
    routesToEndpoints: options.enableAggregatorRouting ?? false,
    rejectsRedirects: options.aggregatorRejectForwardingRedirect ?? true,
  };
}
