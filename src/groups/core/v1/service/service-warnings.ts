// What is odd about a service: fields that do nothing where they are, and those that are going.

import type { Dialect } from '../../../../meta/dialect.ts';
import { type Warnings, warnEach } from '../../../../meta/warn-each.ts';
import { addressListWarnings, addressWarnings, rangeListWarnings } from '../../../address-warnings.ts';
import type { Service } from './service-type.ts';

type Spec = NonNullable<Service['spec']>;

const isHeadless = ({ type, clusterIP }: Spec) => type === 'ClusterIP' && clusterIP === 'None';

export function serviceWarnings({ metadata, spec = {} }: Service, dialect: Dialect): Warnings {
  const preferred = 'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"';
  return [
    ...hintWarnings(metadata.annotations ?? {}, dialect),
    ...(spec.clusterIP === 'None' ? [] : addressListWarnings(spec.clusterIPs, 'spec.clusterIPs')),
    ...(isHeadless(spec) ? headlessWarnings(spec) : []),
    ...externalWarnings(spec),
    ...(spec.loadBalancerIP ? addressWarnings(spec.loadBalancerIP, 'spec.loadBalancerIP') : []),
    ...rangeListWarnings(spec.loadBalancerSourceRanges, 'spec.loadBalancerSourceRanges'),
    ...nameWarnings(spec),
    ...(spec.trafficDistribution === 'PreferClose' ? [preferred] : []),
  ];
}

function hintWarnings(annotations: Readonly<Record<string, string>>, { labelDomain }: Dialect): Warnings {
  const hints = `service.${labelDomain}/topology-aware-hints`;
  if (!Object.hasOwn(annotations, hints)) return [];
  return [`annotation ${hints} is deprecated, please use service.${labelDomain}/topology-mode instead`];
}

function headlessWarnings({ loadBalancerIP, externalIPs = [], sessionAffinity }: Spec): readonly string[] {
  const ignored = [
    ...(loadBalancerIP ? ['loadBalancerIP'] : []),
    ...(externalIPs.length > 0 ? ['externalIPs'] : []),
    ...(sessionAffinity === 'None' ? [] : ['SessionAffinity']),
  ];
  return ignored.map((name) => `spec.${name} is ignored for headless services`);
}

function externalWarnings(spec: Spec): Warnings {
  const { externalIPs = [], type } = spec;
  const inUse = externalIPs.length > 0 && !isHeadless(spec) && type !== 'ExternalName';
  const deprecated = 'spec.externalIPs is deprecated and may no longer be implemented in some clusters';
  return [...addressListWarnings(externalIPs, 'spec.externalIPs'), ...(inUse ? [deprecated] : [])];
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
