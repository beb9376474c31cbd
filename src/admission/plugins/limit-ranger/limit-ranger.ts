// LimitRanger: containers get the requests and limits they leave out, and pods, containers and claims keep within limits.

import { andThen } from '../../../base/maybe-promise.ts';
import type { Container } from '../../../groups/core/v1/pod/container-defaults.ts';
import { containerTotal } from '../../../groups/core/v1/pod/pod-resources.ts';
import type { PodSpec } from '../../../groups/core/v1/pod/pod-spec.ts';
import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';
import type { LimitRange } from '../../../groups/core/v1/quota/limit-range-type.ts';
import type { PersistentVolumeClaim } from '../../../groups/core/v1/volume/persistent-volume-claim-type.ts';
import { type Dialect, labelKey } from '../../../meta/dialect.ts';
import { withMeta } from '../../../meta/object.ts';
import type { AdmissionEngines } from '../../engines.ts';
import { type AdmissionPlugin, type AdmissionRequest, objectsOf, refusal, writes } from '../../plugin.ts';
import { type Asked, amountsOf, type LimitItem, requestViolations, violations } from './limit-constraints.ts';

type Amounts = Readonly<Record<string, string>>;
type Engines = Pick<AdmissionEngines, 'dialect' | 'objects'>;

const limitRanges = { group: '', version: 'v1', resource: 'limitranges' };

export function limitRanger({ dialect, objects }: Engines): AdmissionPlugin {
  const isPod = objectsOf('', 'pods', 'resize');
  const isClaim = objectsOf('', 'persistentvolumeclaims');
  const rangesFor = (request: AdmissionRequest) => objects.list(limitRanges, request.namespace);
  return {
    name: 'LimitRanger',
    operations: writes,
    covers: (definition, subresource) => isPod(definition, subresource) || isClaim(definition, subresource),
    mutate(request) {
      const { object, definition } = request;
      if (isExempt(request) || !isPod(definition, '')) return object;
      return andThen(rangesFor(request), (ranges) => {
        const all = [...(ranges as readonly LimitRange[]).map(defaultsOf), ...ownDefaults(request, dialect)];
        return all.reduce((pod, defaults) => withDefaults(pod, defaults, dialect), object as Pod);
      });
    },
    validate(request) {
      if (isExempt(request)) return;
      return andThen(rangesFor(request), (ranges) => {
        for (const { spec } of ranges as readonly LimitRange[]) check(request, spec?.limits ?? []);
      });
    },
  };
}

/** Containers of a pod only change by a resize, and what goes need not be right any more. */
function isExempt({ definition, operation, subresource, oldObject }: AdmissionRequest): boolean {
  if (oldObject?.metadata.deletionTimestamp !== undefined) return true;
  return operation === 'UPDATE' && definition.plural === 'pods' && subresource === '';
}

interface Defaults {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

function defaultsOf({ spec }: LimitRange): Defaults {
  const items = (spec?.limits ?? []).filter(({ type }) => type === 'Container');
  return {
    requests: joined(items.map(({ defaultRequest }) => defaultRequest)),
    limits: joined(items.map((item) => item.default)),
  };
}

/** Of amounts that are given twice the later ones count. */
const joined = (all: readonly (Amounts | undefined)[]): Amounts =>
  Object.fromEntries(all.flatMap((amounts) => Object.entries(amounts ?? {})));

function ownDefaults({ namespace }: AdmissionRequest, { rules }: Dialect): readonly Defaults[] {
  const cpu = rules.defaultCpuRequest;
  return cpu === 'none' || namespace !== 'default' ? [] : [{ requests: { cpu }, limits: {} }];
}

function withDefaults(pod: Pod, defaults: Defaults, dialect: Dialect): Pod {
  if (Object.keys(defaults.requests).length + Object.keys(defaults.limits).length === 0) return pod;
  const told: string[] = [];
  const filled = (what: string) => (container: Container) => fill(container, defaults, what, told);
  const { containers, initContainers } = pod.spec ?? {};
  const spec = {
    ...pod.spec,
    ...(containers ? { containers: containers.map(filled('container')) } : {}),
    ...(initContainers ? { initContainers: initContainers.map(filled('init container')) } : {}),
  };
  if (told.length === 0) return pod;
  const mark = { [labelKey(dialect, 'limit-ranger')]: `LimitRanger plugin set: ${told.join('; ')}` };
  return withMeta({ ...pod, spec }, { annotations: { ...pod.metadata.annotations, ...mark } });
}

/** Maps are written in order of their keys. */
const sorted = (amounts: Amounts): Amounts =>
  Object.fromEntries(Object.entries(amounts).sort(([a], [b]) => (a < b ? -1 : 1)));

function fill(container: Container, defaults: Defaults, what: string, told: string[]): Container {
  const { requests = {}, limits = {} } = container.resources ?? {};
  const lacks = (given: Amounts, own: Amounts) =>
    Object.fromEntries(
      Object.entries(given)
        .filter(([name]) => !Object.hasOwn(own, name))
        .sort(),
    );
  const more = { requests: lacks(defaults.requests, requests), limits: lacks(defaults.limits, limits) };
  for (const [names, kind] of [
    [Object.keys(more.requests), 'request'] as const,
    [Object.keys(more.limits), 'limit'] as const,
  ])
    if (names.length > 0) told.push(`${names.join(', ')} ${kind} for ${what} ${container.name}`);
  const resources = {
    ...container.resources,
    ...(Object.keys(more.limits).length > 0 ? { limits: sorted({ ...limits, ...more.limits }) } : {}),
    ...(Object.keys(more.requests).length > 0 ? { requests: sorted({ ...requests, ...more.requests }) } : {}),
  };
  return { ...container, resources };
}

function check(request: AdmissionRequest, items: readonly LimitItem[]): void {
  const found =
    request.definition.plural === 'pods'
      ? podErrors(request.object as Pod, items)
      : claimErrors(request.object as PersistentVolumeClaim, items);
  const all = [...new Set(found)];
  if (all.length > 0) throw refusal(request, all.length === 1 ? (all[0] as string) : `[${all.join(', ')}]`);
}

function podErrors({ spec = {} }: Pod, items: readonly LimitItem[]): readonly string[] {
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(askedBy);
  return items.flatMap((item) => {
    if (item.type === 'Container') return containers.flatMap((asked) => violations(item, asked));
    return item.type === 'Pod' ? violations(item, askedByPod(spec)) : [];
  });
}

const askedBy = ({ resources }: Container): Asked => ({
  requests: amountsOf(resources?.requests),
  limits: amountsOf(resources?.limits),
});

/** What its containers need together, unless it says so for itself. */
function askedByPod(spec: PodSpec): Asked {
  const total = (part: 'requests' | 'limits') =>
    new Map([...containerTotal(spec, part), ...amountsOf(spec.resources?.[part])]);
  return { requests: total('requests'), limits: total('limits') };
}

function claimErrors({ spec }: PersistentVolumeClaim, items: readonly LimitItem[]): readonly string[] {
  const requests = amountsOf(spec?.resources?.requests);
  return items
    .filter(({ type }) => type === 'PersistentVolumeClaim')
    .flatMap((item) => requestViolations(item, requests));
}
