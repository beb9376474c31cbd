// Flags about what the API offers.

import { type Flag, flag, inGroup } from './flag.ts';
import { gates, switches, textOrNone, texts } from './flag-values.ts';

export const apiFlags: readonly Flag[] = inGroup('API', [
  flag({
    name: 'runtime-config',
    option: 'runtimeConfig',
    type: switches,
    help: 'Turns APIs on or off: api/all, api/beta, a group-version or one of its resources.',
  }),
  flag({
    name: 'feature-gates',
    option: 'featureGates',
    type: gates,
    help: 'Turns behaviour on or off by name, as in AllAlpha=true; changes something here: APIListChunking (lists in pages; on), ClusterTrustBundle (publishes the CA; off), DRAResourceClaimGranularStatusAuthorization (rights to bind device claims and to report about devices; on), GenericWorkload, WorkloadWithJob (groups of pods; off), ManifestBasedAdmissionControlConfig (admission from files; off), NodeDeclaredFeatures, PodTopologyLabelsAdmission (on), PodCertificateRequest (deletes old requests of pods for certificates; off), PodLogsQuerySplitStreams (logs of one stream; off).',
  }),
  flag({
    name: 'service-cluster-ip-range',
    option: 'serviceClusterIpRange',
    // one text to the reference, which shows it as it was given
    type: { ...texts, show: (given) => given.join(',') },
    default: '10.0.0.0/24',
    help: 'CIDR range that services get their addresses from; one of each IP family, separated by a comma, for both.',
  }),
  flag({
    name: 'service-node-port-range',
    option: 'serviceNodePortRange',
    type: textOrNone,
    default: '30000-32767',
    help: 'Ports that services may open on every node.',
  }),
]);
