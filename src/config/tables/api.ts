// Options of what the API offers.

import { option } from '../option.ts';
import { gates, switches, textOrNone, texts } from '../value-types.ts';

export const apiOptions = {
  runtimeConfig: option({
    type: switches,
    flag: 'runtime-config',
    help: 'Turns APIs on or off: api/all, api/beta, a group-version or one of its resources.',
    note: "Such as { 'api/beta': true, 'apps/v1/deployments': false }.",
  }),
  featureGates: option({
    type: gates,
    flag: 'feature-gates',
    help: 'Turns behaviour on or off by name, as in AllAlpha=true; changes something here: APIListChunking (lists in pages; on), ClusterTrustBundle (publishes the CA; off), DRAResourceClaimGranularStatusAuthorization (rights to bind device claims and to report about devices; on), GenericWorkload, WorkloadWithJob (groups of pods; off), ManifestBasedAdmissionControlConfig (admission from files; off), NodeDeclaredFeatures, PodTopologyLabelsAdmission (on), PodCertificateRequest (deletes old requests of pods for certificates; off), PodLogsQuerySplitStreams (logs of one stream; off).',
  }),
  serviceClusterIpRange: option({
    // one text to the reference, which shows it as it was given
    type: { ...texts, show: (given) => given.join(',') },
    flag: 'service-cluster-ip-range',
    default: '10.0.0.0/24',
    help: 'CIDR range that services get their addresses from; one of each IP family, separated by a comma, for both.',
  }),
  serviceNodePortRange: option({
    type: textOrNone,
    flag: 'service-node-port-range',
    default: '30000-32767',
    help: 'Ports that services may open on every node.',
  }),
};
