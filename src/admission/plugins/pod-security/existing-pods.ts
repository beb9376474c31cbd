// Pods that are there already when their namespace begins to ask for more: nothing happens to them, but the client is warned.

import { forEachInTurns } from '../../../base/time/turns.ts';
import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { AdmissionEngines, PodSecuritySettings } from '../../engines.ts';
import type { AdmissionRequest } from '../../plugin.ts';
import { type LevelVersion, reasonsOf, shown, violationsOf } from './policy.ts';

const pods = { group: '', version: 'v1', resource: 'pods' };

type Engines = Pick<AdmissionEngines, 'clock' | 'objects' | 'dialect'> & {
  readonly settings: { readonly podSecurity: PodSecuritySettings };
};

/** So many are looked at, for so long and no longer than half of what the request has left: the client waits for it. */
const mostPods = 3000;
const mostMs = 1000;

/** Other requests are served between two pods. */
export async function warnOfExisting(engines: Engines, request: AdmissionRequest, wanted: LevelVersion): Promise<void> {
  const now = engines.clock.now();
  const end = now + Math.min(mostMs, (request.deadline - now) / 2);
  const isOver = () => engines.clock.now() >= end;
  let all: readonly (() => ApiObject)[];
  try {
    all = await engines.objects.each(pods, request.name);
  } catch {
    return request.warn('failed to list pods while checking new PodSecurity enforce level');
  }
  const { chosen, total } = await choosePods(all, engines.settings.podSecurity, isOver);
  const judged: (readonly [pod: Pod, reasons: string])[] = [];
  await forEachInTurns(chosen, (pod) => {
    if (judged.length === 0 || !isOver()) judged.push([pod, reasonsOf(violationsOf(wanted, pod, engines.dialect))]);
  });
  if (judged.length < total)
    request.warn(
      `new PodSecurity enforce level only checked against the first ${judged.length} of ${total} existing pods`,
    );
  tell(request, wanted, grouped(judged));
}

interface Chosen {
  readonly chosen: readonly Pod[];
  /** How many there are that count. */
  readonly total: number;
}

/** Of the pods of a controller, which are equal, one comes first and the others last. */
async function choosePods(
  all: readonly (() => ApiObject)[],
  { exemptions: { runtimeClasses } }: PodSecuritySettings,
  isOver: () => boolean,
): Promise<Chosen> {
  const first: Pod[] = [];
  const others: Pod[] = [];
  const controllers = new Set<string>();
  let total = all.length;
  let isDone = false;
  await forEachInTurns(all, (parse) => {
    if (isDone) return;
    const pod = parse() as Pod;
    if (runtimeClasses.has(pod.spec?.runtimeClassName ?? '')) total--;
    else (isFirstOf(controllers, pod) ? first : others).push(pod);
    // those that are left only count where some may be exempt
    isDone = isOver() || (first.length >= mostPods && runtimeClasses.size === 0);
  });
  return { chosen: [...first, ...others].slice(0, mostPods), total };
}

/** Whether no pod of its controller was seen before; a pod without one is by itself. */
function isFirstOf(controllers: Set<string>, { metadata }: Pod): boolean {
  const controller = metadata.ownerReferences?.find((owner) => owner.controller)?.uid;
  if (controller === undefined) return true;
  const isFirst = !controllers.has(controller);
  controllers.add(controller);
  return isFirst;
}

function tell(request: AdmissionRequest, wanted: LevelVersion, lines: readonly string[]): void {
  if (lines.length === 0) return;
  const about = `the new PodSecurity enforce level "${shown(wanted)}"`;
  request.warn(`existing pods in namespace ${JSON.stringify(request.name)} violate ${about}`);
  for (const line of lines) request.warn(line);
}

/** Pods with the same reasons are told together, by the name of the first. */
function grouped(judged: readonly (readonly [pod: Pod, reasons: string])[]): readonly string[] {
  const byReasons = new Map<string, string[]>();
  for (const [{ metadata }, reasons] of judged) {
    if (reasons === '') continue;
    const names = byReasons.get(reasons) ?? [];
    byReasons.set(reasons, names);
    names.push(metadata.name ?? '');
  }
  return [...byReasons]
    .map(([reasons, names]) => {
      const [first = '', ...others] = names.sort();
      const more = others.length === 0 ? '' : ` (and ${others.length} other pod${others.length === 1 ? '' : 's'})`;
      return `${first}${more}: ${reasons}`;
    })
    .sort();
}
