// Flags of requests that go on to other servers of the cluster.

import { flag, inGroup } from './flag.ts';
import { texts, yesOrNo } from './flag-values.ts';

export const aggregationFlags = inGroup('Aggregation', [
  flag({
    name: 'enable-aggregator-routing',
    option: 'enableAggregatorRouting',
    type: yesOrNo,
    default: 'false',
    help: 'Whether the servers of aggregated APIs are reached at the endpoints of their services instead of the cluster IP.',
  }),
  flag({
    name: 'aggregator-reject-forwarding-redirect',
    option: 'aggregatorRejectForwardingRedirect',
    type: yesOrNo,
    default: 'true',
    help: 'Whether redirects by the servers of aggregated APIs are refused instead of passed on to clients.',
  }),
  flag({
    name: 'webhook-service-addresses',
    option: 'webhookServiceAddresses',
    type: texts,
    help: 'Where webhooks of services are called, as NAMESPACE/NAME[:PORT]=HOST:PORT, separated by commas; their cluster IP or endpoints otherwise.',
  }),
]);
