// How many addresses services have, and how many are left.

import { type Dialect, groupName } from '../meta/dialect.ts';
import { formatRange, type IpRange, parseIp, parseRange, rangeContains, sizeOfRange } from '../meta/ip.ts';
import type { Resources } from '../registry/resources.ts';
import { type MetricSource, metric } from './metric-source.ts';

export function addressMetrics(
  resources: Resources,
  dialect: Dialect,
  ranges: readonly string[],
): readonly MetricSource[] {
  const parsed = ranges.map((text) => parseRange(text) as IpRange);
  const taken = (range: IpRange): number => {
    const addresses = resources.find(groupName(dialect, 'networking'), 'v1', 'ipaddresses');
    if (addresses === undefined) return 0;
    const { cache, prefix: at } = addresses.registry;
    const names = cache
      .present()
      .range(at)
      .map(({ key }) => parseIp(key.slice(at.length)));
    return names.filter((address) => address !== undefined && rangeContains(range, address)).length;
  };
  const values = (read: (range: IpRange) => number) => () =>
    parsed.map((range) => ({ labels: { cidr: formatRange(range) }, value: read(range) }));
  return [
    metric('kube_apiserver_clusterip_allocator_allocated_ips', values(taken)),
    metric(
      'kube_apiserver_clusterip_allocator_available_ips',
      values((range) => usable(range) - taken(range)),
    ),
  ];
}

/** Without the first address, and in IPv4 the last. */
function usable(range: IpRange): number {
  return Number(sizeOfRange(range)) - (range.address.family === 'IPv4' ? 2 : 1);
}
