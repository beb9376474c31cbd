// Which pods a daemon set makes and deletes on its nodes, and in which order an update replaces them.

import { isReady } from '../../../groups/core/v1/pod/pod-status.ts';
import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';
import { isFinished } from '../pods.ts';
import type { Eligibility } from './eligibility.ts';

export interface DaemonNode extends Eligibility {
  readonly name: string;
  /** Oldest first. */
  readonly pods: readonly Pod[];
}

export interface DaemonChanges {
  /** Names of nodes that need a pod. */
  readonly created: readonly string[];
  readonly deleted: readonly Pod[];
}

interface Rules {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
  isUpdated(pod: Pod): boolean;
  isAvailable(pod: Pod): boolean;
}

const isDeleted = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;
const livingPods = ({ pods }: DaemonNode): readonly Pod[] => pods.filter((pod) => !isDeleted(pod));

/** What a node needs for one pod to run there. Pods that have ended are for the caller to delete first. */
export function placement(node: DaemonNode, rules: Rules): DaemonChanges {
  const living = livingPods(node);
  if (node.shouldRun && node.pods.length === 0) return { created: [node.name], deleted: [] };
  if (!node.mayStay) return { created: [], deleted: living };
  const running = living.filter((pod) => !isFinished(pod));
  if (rules.maxSurge === 0) return { created: [], deleted: running.slice(1) };
  if (running.length === 0 && living.length === 0 && node.shouldRun) return { created: [node.name], deleted: [] };
  const [fresh, ...spareFresh] = running.filter((pod) => rules.isUpdated(pod));
  const [old, ...spareOld] = running.filter((pod) => !rules.isUpdated(pod));
  const isReplaced = fresh !== undefined && old !== undefined && (!isReady(old) || rules.isAvailable(fresh));
  return { created: [], deleted: [...spareFresh, ...spareOld, ...(isReplaced ? [old] : [])] };
}

/** The next step of a rolling update. */
export function rollingUpdate(nodes: readonly DaemonNode[], rules: Rules): DaemonChanges {
  return rules.maxSurge === 0 ? replaceInPlace(nodes, rules) : replaceWithSurge(nodes, rules);
}

interface PodPair {
  readonly fresh: Pod | undefined;
  readonly old: Pod | undefined;
}

function pairOn(node: DaemonNode, { isUpdated }: Rules): PodPair {
  const living = livingPods(node);
  return { fresh: living.find(isUpdated), old: living.find((pod) => !isUpdated(pod)) };
}

/** Old pods that do not work go at once, others as far as pods may be unavailable. */
function replaceInPlace(nodes: readonly DaemonNode[], rules: Rules): DaemonChanges {
  let unavailable = 0;
  const broken: Pod[] = [];
  const candidates: Pod[] = [];
  for (const node of nodes.filter(({ shouldRun, pods }) => shouldRun || pods.length > 0)) {
    const { fresh, old } = pairOn(node, rules);
    if (old !== undefined && fresh === undefined) {
      if (rules.isAvailable(old)) candidates.push(old);
      else {
        broken.push(old);
        unavailable++;
      }
    } else if (fresh === undefined || old !== undefined || !rules.isAvailable(fresh)) unavailable++;
  }
  return { created: [], deleted: [...broken, ...candidates.slice(0, Math.max(rules.maxUnavailable - unavailable, 0))] };
}

/** New pods run next to old ones, up to the surge; an old one is deleted once the new one is available. */
function replaceWithSurge(nodes: readonly DaemonNode[], rules: Rules): DaemonChanges {
  let surge = 0;
  const broken: string[] = [];
  const candidates: string[] = [];
  const deleted: Pod[] = [];
  for (const node of nodes) {
    const { fresh, old } = pairOn(node, rules);
    if (old === undefined) continue;
    if (fresh !== undefined) {
      if (rules.isAvailable(fresh)) deleted.push(old);
      else surge++;
    } else if (!node.shouldRun) {
      if (!rules.isAvailable(old)) deleted.push(old);
    } else if (rules.isAvailable(old)) candidates.push(node.name);
    else broken.push(node.name);
  }
  return { created: [...broken, ...candidates.slice(0, Math.max(rules.maxSurge - surge, 0))], deleted };
}
