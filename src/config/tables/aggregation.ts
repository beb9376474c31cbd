// Options of requests that go on to other servers of the cluster.

import { option } from '../option.ts';
import { texts, yesOrNo } from '../value-types.ts';

export const aggregationOptions = {
  enableAggregatorRouting: option({
    type: yesOrNo,
    flag: 'enable-aggregator-routing',
    default: 'false',
    help: 'Whether the servers of aggregated APIs are reached at the endpoints of their services instead of the cluster IP.',
  }),
  aggregatorRejectForwardingRedirect: option({
    type: yesOrNo,
    flag: 'aggregator-reject-forwarding-redirect',
    default: 'true',
    help: 'Whether redirects by the servers of aggregated APIs are refused instead of passed on to clients.',
  }),
  webhookServiceAddresses: option({
    type: texts,
    flag: 'webhook-service-addresses',
    help: 'Where webhooks of services are called, as NAMESPACE/NAME[:PORT]=HOST:PORT, separated by commas; their cluster IP or endpoints otherwise.',
  }),
};
