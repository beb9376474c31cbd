// Pods that are there already when their namespace begins to ask for more: nothing happens to them, but the client is warned.

import { andThen, type MaybePromise } from '../../../base/maybe-promise.ts';
import type { Pod } from '../../../groups/core/v1/pod.ts';
import type { AdmissionEngines, PodSecuritySettings } from '../../engines.ts';
import type { AdmissionRequest } from '../../plugin.ts';
import { type LevelVersion, reasonsOf, shown, violationsOf } from './policy.ts';

const pods = { group: '', version: 'v1', resource: 'pods' };

type Engines = Pick<AdmissionEngines, 'objects' | 'dialect'> & {
  readonly settings: { readonly podSecurity: PodSecuritySettings };
};

/** So many are looked at, so that the answer does not wait for long. */
const mostPods = 3000;

export function warnOfExisting(
  { objects, dialect, settings }: Engines,
  request: AdmissionRequest,
  wanted: LevelVersion,
): MaybePromise<void> {
  const { runtimeClasses } = settings.podSecurity.exemptions;
  return andThen(objects.first(pods, request.name, mostPods), ({ objects: first, total }) => {
    const looked = (first as readonly Pod[]).filter(({ spec }) => !runtimeClasses.has(spec?.runtimeClassName ?? ''));
    const left = total - (first.length - looked.length);
    if (looked.length < left)
      request.warn(
        `new PodSecurity enforce level only checked against the first ${looked.length} of ${left} existing pods`,
      );
    const lines = grouped(looked.map((pod) => [pod, reasonsOf(violationsOf(wanted, pod, dialect))] as const));
    if (lines.length === 0) return;
    const about = `the new PodSecurity enforce level "${shown(wanted)}"`;
    request.warn(`existing pods in namespace ${JSON.stringify(request.name)} violate ${about}`);
    for (const line of lines) request.warn(line);
  });
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
