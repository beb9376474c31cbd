// What is odd about a service: fields that do nothing where they are, and those that are going.

import type { Dialect } from '../../../meta/dialect.ts';
import { type Warnings, warnEach } from '../../../meta/warn-each.ts';
import { addressListWarnings, addressWarnings, rangeListWarnings } from '../../address-warnings.ts';
import type { Service } from './service.ts';

type Spec = NonNullable<Service['spec']>;

const isHeadless = ({ type, clusterIP }: Spec) => type === 'ClusterIP' && clusterIP === 'None';

export function* serviceWarnings({ metadata, spec = {} }: Service, dialect: Dialect): Warnings {
  const hints = `service.${dialect.labelDomain}/topology-aware-hints`;
  const mode = `service.${dialect.labelDomain}/topology-mode`;
  if (Object.hasOwn(metadata.annotations ?? {}, hints))
    yield `annotation ${hints} is deprecated, please use ${mode} instead`;
  if (spec.clusterIP !== 'None') yield* addressListWarnings(spec.clusterIPs, 'spec.clusterIPs');
  if (isHeadless(spec)) yield* headlessWarnings(spec);
  yield* externalWarnings(spec);
  if (spec.loadBalancerIP) yield* addressWarnings(spec.loadBalancerIP, 'spec.loadBalancerIP');
  yield* rangeListWarnings(spec.loadBalancerSourceRanges, 'spec.loadBalancerSourceRanges');
  yield* nameWarnings(spec);
  if (spec.trafficDistribution === 'PreferClose')
    yield 'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"';
}

function headlessWarnings({ loadBalancerIP, externalIPs = [], sessionAffinity }: Spec): readonly string[] {
  const ignored = [
    ...(loadBalancerIP ? ['loadBalancerIP'] : []),
    ...(externalIPs.length > 0 ? ['externalIPs'] : []),
    ...(sessionAffinity === 'None' ? [] : ['SessionAffinity']),
  ];
  return ignored.map((name) => `spec.${name} is ignored for headless services`);
}

function* externalWarnings(spec: Spec): Warnings {
  const { externalIPs = [], type } = spec;
  const inUse = externalIPs.length > 0 && !isHeadless(spec) && type !== 'ExternalName';
  yield* addressListWarnings(externalIPs, 'spec.externalIPs');
  if (inUse) yield 'spec.externalIPs is deprecated and may no longer be implemented in some clusters';
}

function nameWarnings({ type, externalIPs = [], externalName }: Spec): readonly string[] {
  if (type === 'ExternalName')
    return externalIPs.length > 0 ? ['spec.externalIPs is ignored when spec.type is "ExternalName"'] : [];
  return externalName ? ['spec.externalName is ignored when spec.type is not "ExternalName"'] : [];
}

/** What a load balancer reports. */
export const serviceStatusWarnings = ({ status }: Service): Warnings =>
  warnEach(status?.loadBalancer?.ingress ?? [], ({ ip = '' }, index) =>
    addressWarnings(ip, `status.loadBalancer.ingress[${index}]`),
  );
