// Behaviour that is switched by a name, as kube-apiserver's --feature-gates does it.

import { OptionError } from './option-error.ts';

/** Every gate that changes something here, and its default. */
const defaults = {
  /** Lists in pages: without it `limit` and `continue` mean nothing. */
  APIListChunking: true,
  /** The CA of the server as a ClusterTrustBundle; the API itself is turned on by the runtime config. */
  ClusterTrustBundle: false,
  /** The status of device claims: binding, and reports of drivers, need rights of their own. */
  DRAResourceClaimGranularStatusAuthorization: true,
  /** Groups of pods that are scheduled together: plugins hold them to their workloads. */
  GenericWorkload: false,
  /** Webhooks and policies may stand in files; names that end accordingly are for them alone. */
  ManifestBasedAdmissionControlConfig: false,
  /** Changes of pods are held to what their nodes say they can do. */
  NodeDeclaredFeatures: true,
  /** Old requests of pods for certificates are deleted; the API itself is turned on by the runtime config. */
  PodCertificateRequest: false,
  /** Logs of one stream of a container: without it `stream` may not be asked for. */
  PodLogsQuerySplitStreams: false,
  /** Pods get the zone and region of their node. */
  PodTopologyLabelsAdmission: true,
  /** Jobs whose pods are a gang keep how many of them run at once. */
  WorkloadWithJob: false,
};

export type FeatureGates = Readonly<typeof defaults>;

export function resolveFeatureGates(given: Readonly<Record<string, boolean>> = {}): FeatureGates {
  for (const name of Object.keys(given))
    if (!Object.hasOwn(defaults, name)) throw new OptionError(`featureGates: unknown gate ${JSON.stringify(name)}`);
  return { ...defaults, ...given };
}
