// Metrics of this process that the metrics library lacks, or counts from the first scrape. Those from /proc are left out where
// the system has no /proc.

import { readFile } from 'node:fs/promises';
import { type MetricSource, metric } from './metric-source.ts';
import type { NameOf } from './table/all-metrics.ts';

export const processMetrics: readonly MetricSource[] = [
  processMetric('process_cpu_seconds_total', async () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }),
  processMetric('process_cpu_user_seconds_total', async () => process.cpuUsage().user / 1e6),
  processMetric('process_cpu_system_seconds_total', async () => process.cpuUsage().system / 1e6),
  processMetric('process_virtual_memory_max_bytes', async () => virtualMemoryLimit(await read('limits'))),
  processMetric('process_network_receive_bytes_total', async () =>
    networkOctets(await read('net/netstat'), 'InOctets'),
  ),
  processMetric('process_network_transmit_bytes_total', async () =>
    networkOctets(await read('net/netstat'), 'OutOctets'),
  ),
];

function processMetric(
  name: NameOf<'counter' | 'gauge', never>,
  value: () => Promise<number | undefined>,
): MetricSource {
  return metric(name, async () => {
    const current = await value();
    return current === undefined ? [] : [{ labels: {}, value: current }];
  });
}

/** Empty where the kernel does not tell. */
async function read(name: string): Promise<string> {
  try {
    return await readFile(`/proc/self/${name}`, 'utf8');
  } catch {
    return '';
  }
}

/** `Max address space  <soft>  <hard>  bytes`; no limit is the largest number of 64 bits. */
export function virtualMemoryLimit(limits: string): number | undefined {
  const [, soft] = /^Max address space +(unlimited|[0-9]+) /m.exec(limits) ?? [];
  if (soft === undefined) return undefined;
  return soft === 'unlimited' ? 2 ** 64 : Number(soft);
}

/** A line of names and a line of numbers begin with the same word. */
export function networkOctets(netstat: string, name: string): number | undefined {
  const [names = [], numbers = []] = netstat
    .split('\n')
    .filter((line) => line.startsWith('IpExt: '))
    .map((line) => line.split(' '));
  const value = numbers[names.indexOf(name)];
  return value === undefined ? undefined : Number(value);
}
