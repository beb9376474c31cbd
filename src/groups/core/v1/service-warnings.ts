// What is odd about a service: fields that do nothing where they are, and those that are going.

import type { Dialect } from '../../../meta/dialect.ts';
import { addressListWarnings, addressWarnings, rangeListWarnings } from '../../address-warnings.ts';
import type { Service } from './service.ts';

type Spec = NonNullable<Service['spec']>;

const isHeadless = ({ type, clusterIP }: Spec) => type === 'ClusterIP' && clusterIP === 'None';

export function serviceWarnings({ metadata, spec = {} }: Service, dialect: Dialect): readonly string[] {
  const hints = `service.${dialect.labelDomain}/topology-aware-hints`;
  const mode = `service.${dialect.labelDomain}/topology-mode`;
  const hasHints = Object.hasOwn(metadata.annotations ?? {}, hints);
  return [
    ...(hasHints ? [`annotation ${hints} is deprecated, please use ${mode} instead`] : []),
    ...(spec.clusterIP === 'None' ? [] : addressListWarnings(spec.clusterIPs, 'spec.clusterIPs')),
    ...(isHeadless(spec) ? headlessWarnings(spec) : []),
    ...externalWarnings(spec),
    ...(spec.loadBalancerIP ? addressWarnings(spec.loadBalancerIP, 'spec.loadBalancerIP') : []),
    ...rangeListWarnings(spec.loadBalancerSourceRanges, 'spec.loadBalancerSourceRanges'),
    ...nameWarnings(spec),
    ...(spec.trafficDistribution === 'PreferClose'
      ? ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"']
      : []),
  ];
}

function headlessWarnings({ loadBalancerIP, externalIPs = [], sessionAffinity }: Spec): readonly string[] {
  const ignored = [
    ...(loadBalancerIP ? ['loadBalancerIP'] : []),
    ...(externalIPs.length > 0 ? ['externalIPs'] : []),
    ...(sessionAffinity === 'None' ? [] : ['SessionAffinity']),
  ];
  return ignored.map((name) => `spec.${name} is ignored for headless services`);
}

function externalWarnings(spec: Spec): readonly string[] {
  const { externalIPs = [], type } = spec;
  const inUse = externalIPs.length > 0 && !isHeadless(spec) && type !== 'ExternalName';
  const advice = 'spec.externalIPs is deprecated and may no longer be implemented in some clusters';
  return [...addressListWarnings(externalIPs, 'spec.externalIPs'), ...(inUse ? [advice] : [])];
}

function nameWarnings({ type, externalIPs = [], externalName }: Spec): readonly string[] {
  if (type === 'ExternalName')
    return externalIPs.length > 0 ? ['spec.externalIPs is ignored when spec.type is "ExternalName"'] : [];
  return externalName ? ['spec.externalName is ignored when spec.type is not "ExternalName"'] : [];
}

/** What a load balancer reports. */
export const serviceStatusWarnings = ({ status }: Service): readonly string[] =>
  (status?.loadBalancer?.ingress ?? []).flatMap(({ ip = '' }, index) =>
    addressWarnings(ip, `status.loadBalancer.ingress[${index}]`),
  );
