// A simulated node as an object: what its kubelet would report.

import { createHash } from 'node:crypto';
import type { ApiObject } from '../../meta/object.ts';
import { release } from '../../meta/release.ts';
import { formatTime } from '../../meta/time.ts';
import type { SimulationKeys } from '../keys.ts';
import { nodeCidr, nodeIp } from './addresses.ts';

const kubeletPort = 10250;

const capacity = {
  cpu: '32',
  'ephemeral-storage': '1Ti',
  'hugepages-1Gi': '0',
  'hugepages-2Mi': '0',
  memory: '256Gi',
  pods: '110',
};

const zones = ['zone-a', 'zone-b', 'zone-c'];

interface NodeOptions {
  readonly name: string;
  readonly index: number;
  /** Number of simulated nodes: several are spread over zones. */
  readonly count: number;
  readonly keys: SimulationKeys;
  readonly now: number;
}

export function nodeObject({ name, index, count, keys, now }: NodeOptions): object {
  const zone = count > 1 ? { [keys.region]: 'region-1', [keys.zone]: zones[index % zones.length] as string } : {};
  const cidr = nodeCidr(index);
  return {
    kind: 'Node',
    apiVersion: 'v1',
    metadata: {
      name,
      labels: { [keys.architecture]: 'amd64', [keys.hostname]: name, [keys.os]: 'linux', ...zone },
    },
    spec: { podCIDR: cidr, podCIDRs: [cidr], providerID: `simulation://${name}` },
    status: {
      capacity,
      allocatable: capacity,
      addresses: [
        { type: 'InternalIP', address: nodeIp(index) },
        { type: 'Hostname', address: name },
      ],
      conditions: nodeConditions(now),
      daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } },
      nodeInfo: nodeInfo(name),
      runtimeHandlers: [{ name: '', features: { recursiveReadOnlyMounts: false, userNamespaces: true } }],
    },
  };
}

type Condition = Readonly<Record<string, string>>;

const healthy: readonly Condition[] = [
  pressure('MemoryPressure', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
  pressure('DiskPressure', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
  pressure('PIDPressure', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
  { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' },
];

function pressure(type: string, reason: string, message: string): Condition {
  return { type, status: 'False', reason, message };
}

/** The conditions of a healthy node; `before` are those that it has, which keep the time of their last change. */
export function nodeConditions(now: number, before: readonly Condition[] = []): readonly Condition[] {
  const time = formatTime(now);
  const others = before.filter(({ type }) => !healthy.some((one) => one['type'] === type));
  const own = healthy.map((condition) => {
    const old = before.find(({ type }) => type === condition['type']);
    const since = old?.['status'] === condition['status'] ? (old?.['lastTransitionTime'] ?? time) : time;
    return { ...condition, lastHeartbeatTime: time, lastTransitionTime: since };
  });
  return [...others, ...own];
}

/** Ids that stay the same for a name. */
function idOf(name: string, what: string): string {
  const hex = createHash('sha256').update(`${name}/${what}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}

const nodeInfo = (name: string) => ({
  machineID: idOf(name, 'machine').replaceAll('-', ''),
  systemUUID: idOf(name, 'system'),
  bootID: idOf(name, 'boot'),
  kernelVersion: '6.12.0-simulated',
  osImage: 'Simulated Linux',
  containerRuntimeVersion: 'containerd://2.1.0',
  kubeletVersion: `v${release.major}.${release.minor}.${release.patch}`,
  kubeProxyVersion: '',
  operatingSystem: 'linux',
  architecture: 'amd64',
});

/** The lease by which a node shows that it is alive. */
export function leaseObject(
  node: ApiObject,
  { now, seconds }: { readonly now: string; readonly seconds: number },
): object {
  const { name = '', uid = '' } = node.metadata;
  return {
    metadata: { name, ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }] },
    spec: { holderIdentity: name, leaseDurationSeconds: seconds, renewTime: now },
  };
}
