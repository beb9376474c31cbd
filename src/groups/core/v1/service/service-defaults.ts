// What a service gets that its author left out, as far as the object itself tells.

import { isReachedFromOutside, type ServiceSpec as Spec } from './service-fields.ts';
import type { Service } from './service-type.ts';

type Port = NonNullable<Spec['ports']>[number];

const threeHours = 10800;

export function defaultService(object: Service): Service {
  const spec = defaultSpec(object.spec ?? {});
  const status = defaultStatus(object, spec.type);
  return { ...object, spec, ...(status === undefined ? {} : { status }) };
}

function defaultSpec(given: Spec): Spec {
  const { sessionAffinityConfig, ...rest } = given;
  const type = given.type || 'ClusterIP';
  const sessionAffinity = given.sessionAffinity || 'None';
  const spec: Spec = {
    ...rest,
    type,
    sessionAffinity,
    ...(given.ports === undefined ? {} : { ports: given.ports.map(defaultPort) }),
    ...affinity(sessionAffinity, sessionAffinityConfig),
  };
  return {
    ...spec,
    ...(isReachedFromOutside(spec) && !spec.externalTrafficPolicy ? { externalTrafficPolicy: 'Cluster' } : {}),
    ...(spec.internalTrafficPolicy === undefined && hasTraffic(type) ? { internalTrafficPolicy: 'Cluster' } : {}),
    ...(spec.allocateLoadBalancerNodePorts === undefined && type === 'LoadBalancer'
      ? { allocateLoadBalancerNodePorts: true }
      : {}),
  };
}

const hasTraffic = (type: string) => type === 'ClusterIP' || type === 'NodePort' || type === 'LoadBalancer';

function defaultPort(port: Port): Port {
  return { ...port, protocol: port.protocol || 'TCP', targetPort: port.targetPort || (port.port ?? 0) };
}

function affinity(
  kind: string,
  config: Spec['sessionAffinityConfig'],
): { readonly sessionAffinityConfig?: NonNullable<Spec['sessionAffinityConfig']> } {
  if (kind === 'None' || (kind !== 'ClientIP' && config === undefined)) return {};
  if (kind !== 'ClientIP' || config?.clientIP?.timeoutSeconds !== undefined)
    return { sessionAffinityConfig: config as NonNullable<typeof config> };
  return { sessionAffinityConfig: { clientIP: { timeoutSeconds: threeHours } } };
}

/** Addresses of a load balancer are its own by default. */
function defaultStatus({ status }: Service, type: string | undefined): Service['status'] {
  const ingress = status?.loadBalancer?.ingress;
  if (type !== 'LoadBalancer' || ingress === undefined) return status;
  const modes = ingress.map((one) => (one.ip && one.ipMode === undefined ? { ...one, ipMode: 'VIP' } : one));
  return { ...status, loadBalancer: { ...status?.loadBalancer, ingress: modes } };
}
