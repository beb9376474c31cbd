// IP families of a service: what it asks for, what the cluster has, and what follows when it does not say.

import { isSameJson } from '../../../../base/json/json.ts';
import { invalidValue } from '../../../../meta/field-errors.ts';
import type { IpFamily } from '../../../../meta/ip.ts';
import type { FieldError } from '../../../../meta/status.ts';
import { familyOf, validateAddresses } from './service-address-rules.ts';
import { headlessAddress, isHeadless, type ServiceSpec } from './service-fields.ts';

/** Families that the cluster hands addresses out of; the first is the usual one. */
type ClusterFamilies = readonly IpFamily[];

interface ResolvedFamilies {
  readonly spec: ServiceSpec;
  readonly errors: readonly FieldError[];
}

const policyAt = 'spec.ipFamilyPolicy';

/** Fills in families and policy. */
export function resolveFamilies(
  given: ServiceSpec,
  old: ServiceSpec | undefined,
  cluster: ClusterFamilies,
): ResolvedFamilies {
  if (given.type === 'ExternalName' || keepsBothStacks(given, old)) return { spec: given, errors: [] };
  const spec = { ...given, ipFamilyPolicy: given.ipFamilyPolicy ?? defaultPolicy(given, old) };
  const malformed = validateAddresses(spec, old?.clusterIPs);
  if (malformed.length > 0) return { spec, errors: malformed };
  const shortened = old === undefined ? spec : shorten(spec, old);
  const errors = [...policyErrors(shortened, old), ...addressErrors(shortened, cluster)];
  if (errors.length > 0) return { spec: shortened, errors };
  return choose(withFamiliesOfAddresses(shortened), cluster);
}

/** A service that takes both families where there are two keeps what it has, whatever the cluster has become. */
function keepsBothStacks(spec: ServiceSpec, old: ServiceSpec | undefined): boolean {
  return (
    old !== undefined &&
    spec.type === old.type &&
    spec.ipFamilyPolicy === 'PreferDualStack' &&
    old.ipFamilyPolicy === 'PreferDualStack' &&
    isSameJson(spec.clusterIPs, old.clusterIPs) &&
    isSameJson(spec.ipFamilies, old.ipFamilies)
  );
}

const isUnselectedHeadless = (spec: ServiceSpec) =>
  spec.clusterIP === headlessAddress && Object.keys(spec.selector ?? {}).length === 0;

function defaultPolicy(spec: ServiceSpec, old: ServiceSpec | undefined): string {
  if (old?.ipFamilyPolicy !== undefined) return old.ipFamilyPolicy;
  return isUnselectedHeadless(spec) ? 'RequireDualStack' : 'SingleStack';
}

/** Asking for a single stack is asking for the second address to go. */
function shorten(spec: ServiceSpec, old: ServiceSpec): ServiceSpec {
  if (spec.ipFamilyPolicy !== 'SingleStack') return spec;
  const { clusterIPs = [], ipFamilies = [] } = spec;
  const dropsAddress = clusterIPs.length > 1 && isSameJson(clusterIPs, old.clusterIPs);
  const dropsFamily = ipFamilies.length > 1 && isSameJson(ipFamilies, old.ipFamilies);
  return {
    ...spec,
    ...(dropsAddress ? { clusterIPs: clusterIPs.slice(0, 1) } : {}),
    ...(dropsFamily ? { ipFamilies: ipFamilies.slice(0, 1) } : {}),
  };
}

function policyErrors(spec: ServiceSpec, old: ServiceSpec | undefined): readonly FieldError[] {
  const { ipFamilyPolicy: policy, clusterIPs = [], ipFamilies = [] } = spec;
  const wrong = (detail: string) => invalidValue(policyAt, policy, detail);
  const both = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
  if (policy === 'SingleStack')
    return [
      ...(clusterIPs.length === 2 ? [wrong(`${both} cluster IPs are specified`)] : []),
      ...(ipFamilies.length === 2 ? [wrong(`${both} IP families are specified`)] : []),
    ];
  const reduced = (now: readonly string[], before: readonly string[] = []) =>
    now.length > 0 && now.length < before.length;
  return [
    ...(reduced(clusterIPs, old?.clusterIPs)
      ? [wrong("must be 'SingleStack' to release the secondary cluster IP")]
      : []),
    ...(reduced(ipFamilies, old?.ipFamilies)
      ? [wrong("must be 'SingleStack' to release the secondary IP family")]
      : []),
  ];
}

/** Addresses whose family the client did not name must be of one that the cluster has. */
function addressErrors(spec: ServiceSpec, cluster: ClusterFamilies): readonly FieldError[] {
  const { clusterIPs = [], ipFamilies = [] } = spec;
  if (isHeadless(spec)) return [];
  return clusterIPs.slice(ipFamilies.length).flatMap((ip, index) => {
    const family = familyOf(ip) as IpFamily;
    const at = `spec.clusterIPs[${ipFamilies.length + index}]`;
    return cluster.includes(family)
      ? []
      : [invalidValue(at, clusterIPs, `${family} is not configured on this cluster`)];
  });
}

function withFamiliesOfAddresses(spec: ServiceSpec): ServiceSpec {
  const { clusterIPs = [], ipFamilies = [] } = spec;
  if (isHeadless(spec)) return spec;
  const inferred = clusterIPs.slice(ipFamilies.length).map((ip) => familyOf(ip) as string);
  return { ...spec, ipFamilies: [...ipFamilies, ...inferred] };
}

const otherFamily = (family: string) => (family === 'IPv4' ? 'IPv6' : 'IPv4');

function choose(spec: ServiceSpec, cluster: ClusterFamilies): ResolvedFamilies {
  const { ipFamilies = [], ipFamilyPolicy: policy } = spec;
  // nothing has to be handed out: such a service may have families that the cluster has not
  const anyFamily = isUnselectedHeadless(spec);
  const errors = anyFamily ? [] : missingFamilies(spec, cluster);
  if (errors.length > 0) return { spec, errors };
  const chosen = ipFamilies.length > 0 ? ipFamilies : [cluster[0] ?? 'IPv4'];
  const wantsSecond = policy !== 'SingleStack' && chosen.length === 1 && (anyFamily || cluster.length === 2);
  const all = wantsSecond ? [...chosen, otherFamily(chosen[0] as string)] : chosen;
  return { spec: { ...spec, ipFamilies: all }, errors: [] };
}

function missingFamilies(spec: ServiceSpec, cluster: ClusterFamilies): readonly FieldError[] {
  const { ipFamilies = [], ipFamilyPolicy: policy } = spec;
  const known: readonly string[] = cluster;
  const dual = 'this cluster is not configured for dual-stack services';
  return [
    ...(policy === 'RequireDualStack' && cluster.length < 2 ? [invalidValue(policyAt, policy, dual)] : []),
    ...ipFamilies.flatMap((family, index) =>
      known.includes(family)
        ? []
        : [invalidValue(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster')],
    ),
  ];
}
