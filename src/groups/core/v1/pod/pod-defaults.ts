// What a pod's description becomes when it leaves things out. Templates get fewer defaults than pods: what depends
// on the pod as a whole is settled only when a pod is made from the template.

import { withFields } from '../../../../base/maps/with-fields.ts';
import { defaultVolume } from '../volume/volume-defaults.ts';
import { type Container, defaultContainer, type EphemeralContainer, requestLimits } from './container-defaults.ts';
import { defaultPodResources } from './pod-resources.ts';
import type { PodSpec, PodTemplateSpec } from './pod-spec.ts';
import { roundedAmounts, roundedResources } from './rounded-amounts.ts';

const defaultGracePeriodSeconds = 30;

/** Defaults of a template, whatever it leaves out. */
export function defaultPodTemplate(template: PodTemplateSpec): PodTemplateSpec {
  return { ...template, spec: defaultPodSpec(template.spec ?? {}) };
}

/** Defaults that pods and templates share. */
export function defaultPodSpec(spec: PodSpec): PodSpec {
  const account = spec.serviceAccountName || spec.serviceAccount;
  const { volumes, containers, initContainers, ephemeralContainers } = spec;
  return withFields(spec, {
    volumes: volumes?.map(defaultVolume),
    initContainers: initContainers?.map(defaultContainer),
    containers: containers?.map(defaultContainer),
    ephemeralContainers: ephemeralContainers?.map((one) => defaultContainer(one) as EphemeralContainer),
    restartPolicy: spec.restartPolicy || 'Always',
    terminationGracePeriodSeconds: spec.terminationGracePeriodSeconds ?? defaultGracePeriodSeconds,
    dnsPolicy: spec.dnsPolicy || 'ClusterFirst',
    // the older name of the field always says the same
    serviceAccountName: account || undefined,
    serviceAccount: account || undefined,
    securityContext: spec.securityContext ?? {},
    overhead: spec.overhead && roundedAmounts(spec.overhead),
    resources: spec.resources && roundedResources(spec.resources),
    schedulerName: spec.schedulerName || 'default-scheduler',
  });
}

/** Defaults of a pod that its template does not get. */
export function defaultWholePod(given: PodSpec): PodSpec {
  const spec = defaultPodSpec(given);
  const defaultInPod = (container: Container) => requestLimits(spec.hostNetwork ? onHostPorts(container) : container);
  const whole = withFields(spec, {
    initContainers: spec.initContainers?.map(defaultInPod),
    containers: spec.containers?.map(defaultInPod),
    enableServiceLinks: spec.enableServiceLinks ?? true,
  });
  return defaultPodResources(whole);
}

/** In the network of the node every port is a port of the node. */
function onHostPorts(container: Container): Container {
  const { ports } = container;
  if (!ports) return container;
  return {
    ...container,
    ports: ports.map((port) =>
      port.hostPort || !port.containerPort ? port : { ...port, hostPort: port.containerPort },
    ),
  };
}
