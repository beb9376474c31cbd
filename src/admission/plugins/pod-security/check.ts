// The form of a check of the pod security standards, and the words in which checks speak.

import type { Container } from '../../../groups/core/v1/pod/container-defaults.ts';
import type { PodSpec } from '../../../groups/core/v1/pod/pod-spec.ts';
import type { Dialect } from '../../../meta/dialect.ts';

export interface CheckedPod {
  readonly spec: PodSpec;
  readonly annotations: Readonly<Record<string, string>>;
  /** Minor release whose standards count. */
  readonly release: number;
  readonly dialect: Dialect;
}

export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

export interface Check {
  /** Minor release that began with it. */
  readonly since: number;
  /** Undefined when there is nothing wrong. */
  run(pod: CheckedPod): Violation | undefined;
}

/** All containers of a pod, whenever they run. */
export const containersOf = ({ initContainers, containers, ephemeralContainers }: PodSpec): readonly Container[] => [
  ...(initContainers ?? []),
  ...(containers ?? []),
  ...((ephemeralContainers ?? []) as readonly Container[]),
];

export const named = (containers: readonly Container[]): readonly string[] => containers.map(({ name }) => name ?? '');

// compat: names and values inside quotation marks are not escaped
export const quoted = (words: readonly string[]): string => words.map((word) => `"${word}"`).join(', ');

/** `container "a"`, `containers "a", "b"`. */
export const listed = (noun: string, names: readonly string[]): string =>
  `${noun}${names.length === 1 ? '' : 's'} ${quoted(names)}`;

/** The pod itself, containers, or both; undefined when neither. */
export function setters(podToo: boolean, containers: readonly string[]): readonly string[] | undefined {
  const parts = [...(podToo ? ['pod'] : []), ...(containers.length > 0 ? [listed('container', containers)] : [])];
  return parts.length === 0 ? undefined : parts;
}

export const distinct = (words: readonly string[]): readonly string[] => [...new Set(words)].sort();

/** From 1.35 on a pod whose users are others than those of its node may do more inside. */
export const hasOwnUsers = ({ spec, release }: CheckedPod): boolean => release >= 35 && spec.hostUsers === false;

/** Rules of Linux mean nothing to pods that say they are for another system. */
export const isWindows = ({ spec, release }: CheckedPod): boolean => release >= 25 && spec.os?.name === 'windows';
