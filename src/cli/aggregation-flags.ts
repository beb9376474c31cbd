// Flags of requests that go on to the servers of aggregated APIs.

import { flag, inGroup } from './flag.ts';
import { yesOrNo } from './flag-values.ts';

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
]);
