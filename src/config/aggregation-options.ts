// Options of requests that go on to other servers of the cluster, in the words of kube-apiserver where it has them.

import type { GivenAddresses } from '../webhooks/given-addresses.ts';
import { OptionError } from './option-error.ts';
import type { ResolvedOptions } from './server-options.ts';

export interface AggregationConfig {
  readonly routesToEndpoints: boolean;
  readonly rejectsRedirects: boolean;
  readonly webhookAddresses: GivenAddresses;
}

export function resolveAggregation(options: ResolvedOptions): AggregationConfig {
  return {
    routesToEndpoints: options.enableAggregatorRouting,
    rejectsRedirects: options.aggregatorRejectForwardingRedirect,
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
