// Looks at one range of service addresses: its finalizer, and whether it is ready.

import { isConflict, isNotFound } from '../../client/client.ts';
import { isUsableIn, managerLabel } from '../../groups/core/v1/service/cluster-addresses.ts';
import { readyRange, type ServiceCIDR } from '../../groups/networking/v1/service-cidr.ts';
import { groupName } from '../../meta/dialect.ts';
import { type IpRange, parseIp, parseRange } from '../../meta/ip.ts';
import { formatTime } from '../../meta/time.ts';
import type { ControllerContext } from '../controller.ts';
import type { WorkOutcome } from '../work-queue.ts';

/** As its field manager. */
const controllerName = 'service-cidr-controller';
/** Other servers may take an address from a range until they see that it is being deleted. */
const graceMs = 10_000;

export async function reconcileRange(context: ControllerContext, path: string): Promise<WorkOutcome> {
  try {
    const range = await context.client.find<ServiceCIDR>(path);
    if (range === undefined) return 'done';
    const { deletionTimestamp } = range.metadata;
    if (deletionTimestamp !== undefined) return await release(context, path, range, Date.parse(deletionTimestamp));
    await setFinalizer(context, path, range, true);
    await setCondition(context, path, range, readyRange);
    return 'done';
  } catch (error) {
    if (isConflict(error)) return 'again';
    if (isNotFound(error)) return 'done';
    throw error;
  }
}

async function release(
  context: ControllerContext,
  path: string,
  range: ServiceCIDR,
  deletedMs: number,
): Promise<WorkOutcome> {
  if (await hasDependents(context, range)) {
    await setCondition(context, path, range, heldRange);
    return 'done';
  }
  const leftMs = deletedMs + graceMs - context.clock.now();
  if (leftMs > 0) return leftMs;
  await setFinalizer(context, path, range, false);
  return 'done';
}

const heldRange = {
  status: 'False',
  reason: 'Terminating',
  message: 'Services have addresses of this range: delete them, or create another range that contains their addresses',
} as const;

/** Whether there are addresses of services in this range that are in no other. A range that is being deleted does not count. */
async function hasDependents(context: ControllerContext, range: ServiceCIDR): Promise<boolean> {
  const { client, dialect } = context;
  const root = `/apis/${groupName(dialect, 'networking')}/v1`;
  const all = (await client.list(`${root}/servicecidrs`)).items as readonly ServiceCIDR[];
  const others = all.filter(({ metadata }) => metadata.deletionTimestamp === undefined).flatMap(rangesOf);
  const own = rangesOf(range);
  const selector = Object.entries(managerLabel(dialect)).map(([key, value]) => `${key}=${value}`);
  const addresses = `${root}/ipaddresses?labelSelector=${encodeURIComponent(selector.join(','))}`;
  for await (const { items } of client.pages(addresses)) {
    const found = items.map(({ metadata }) => parseIp(metadata.name ?? ''));
    const isIn = (ranges: readonly IpRange[], address: NonNullable<(typeof found)[number]>) =>
      ranges.some((one) => isUsableIn(one, address));
    if (found.some((address) => address !== undefined && isIn(own, address) && !isIn(others, address))) return true;
  }
  return false;
}

const rangesOf = ({ spec }: ServiceCIDR): readonly IpRange[] =>
  (spec?.cidrs ?? []).map(parseRange).filter((range) => range !== undefined);

async function setFinalizer(
  { client, dialect }: ControllerContext,
  path: string,
  { metadata }: ServiceCIDR,
  isHeld: boolean,
): Promise<void> {
  const finalizer = `${groupName(dialect, 'networking')}/service-cidr-finalizer`;
  const { uid, resourceVersion, finalizers = [] } = metadata;
  if (finalizers.includes(finalizer) === isHeld) return;
  const next = isHeld ? [...finalizers, finalizer] : finalizers.filter((name) => name !== finalizer);
  await client.merge(path, { metadata: { uid, resourceVersion, finalizers: next.length === 0 ? null : next } });
}

type Readiness = Pick<typeof readyRange | typeof heldRange, 'status' | 'message'> & { readonly reason?: string };

async function setCondition(
  { client, clock, dialect }: ControllerContext,
  path: string,
  range: ServiceCIDR,
  next: Readiness,
): Promise<void> {
  const old = (range.status?.conditions ?? []).find(({ type }) => type === 'Ready');
  const isSame = old?.status === next.status;
  if (isSame && (old?.reason ?? '') === (next.reason ?? '') && old?.message === next.message) return;
  const { uid, name } = range.metadata;
  const lastTransitionTime = isSame ? old?.lastTransitionTime : formatTime(clock.now());
  const condition = { type: 'Ready', ...next, lastTransitionTime };
  const apiVersion = `${groupName(dialect, 'networking')}/v1`;
  const applied = { kind: 'ServiceCIDR', apiVersion, metadata: { name, uid }, status: { conditions: [condition] } };
  await client.apply(`${path}/status`, applied, controllerName, { force: true });
}
