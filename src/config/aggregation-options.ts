// Options of requests that go on to other servers of the cluster, in the words of kube-apiserver where it has them.

import type { GivenAddresses } from '../webhooks/given-addresses.ts';
import { OptionError } from './option-error.ts';

export interface AggregationOptions {
  /** Whether aggregated API servers are reached at the endpoints of their services; at the cluster IP when not given. */
  readonly enableAggregatorRouting?: boolean;
  /** Whether answers of aggregated API servers may not redirect clients; true when not given. */
  readonly aggregatorRejectForwardingRedirect?: boolean;
  /**
   * Where webhooks of services are called instead of the cluster IP or the endpoints, each as `NAMESPACE/NAME=HOST:PORT` for all ports of the service
   * or `NAMESPACE/NAME:PORT=HOST:PORT` for one.
   */
  readonly webhookServiceAddresses?: readonly string[];
}

export interface AggregationConfig {
  readonly routesToEndpoints: boolean;
  readonly rejectsRedirects: boolean;
  readonly webhookAddresses: GivenAddresses;
}

export function resolveAggregation(options: AggregationOptions): AggregationConfig {
  return {
    routesToEndpoints: options.enableAggregatorRouting ?? false,
    rejectsRedirects: options.aggregatorRejectForwardingRedirect ?? true,
    webhookAddresses: new Map((options.webhookServiceAddresses ?? []).map(givenAddress)),
  };
}

const form = /^([a-z0-9.-]+\/[a-z0-9.-]+(?::\d{1,5})?)=(\[[0-9a-f:.]+\]|[a-z0-9._-]+):(\d{1,5})$/i;

function givenAddress(text: string): readonly [string, { readonly host: string; readonly port: number }] {
  const [, service = '', host = '', digits = ''] = form.exec(text) ?? [];
  const port = Number(digits);
  if (port > 0 && port < 65_536) return [service, { host: host.replace(/^\[|\]$/g, ''), port }];
  const quotedText = JSON.stringify(text);
  throw new OptionError(`webhookServiceAddresses: ${quotedText} must be NAMESPACE/NAME[:PORT]=HOST:PORT`);
}
