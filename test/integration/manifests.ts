// The least that each kind must be given to be accepted, by group (without its domain) and kind.

import { type DialectNames, kubernetes } from '../../src/meta/dialect.ts';
import type { ResourceDefinition } from '../../src/schema/resource.ts';

interface Manifest {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: { readonly name: string };
}

type Body = { readonly metadata?: { readonly name?: string } } & Readonly<Record<string, unknown>>;

const labels = { app: 'a' };
const selector = { matchLabels: labels };
const podSpec = { containers: [{ name: 'c', image: 'i' }] };
const template = { metadata: { labels }, spec: podSpec };
const jobTemplate = { spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } } } };
const webhook = {
  name: 'a.example.com',
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  clientConfig: { url: 'https://example.com/hook' },
};
const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const matchConstraints = {
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
};
const mutation = {
  patchType: 'JSONPatch',
  jsonPatch: { expression: '[JSONPatch{op: "add", path: "/data", value: {}}]' },
};

export const signingRequest = `-----BEGIN CERTIFICATE REQUEST-----
MIHnMIGOAgEAMCwxDTALBgNVBAoMBGRldnMxDDAKBgNVBAoMA29wczENMAsGA1UE
AwwEamFuZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABILIGxIHB8P4IMyetX7z
RR0aOB5MWGkuWeY8mCirivPTnx901Xyzi2S2Afy1KMWc6GJlVp+RM9XlmNJHIY+G
paOgADAKBggqhkjOPQQDAgNIADBFAiEAgAccC+8zsYN33jVjrac+gJQTlZXk/IJM
Lqn+iZoe80oCIEV79eNCF4ysW4qag7lZf+alv6eisGQjmiicEdX1XnlG
-----END CERTIFICATE REQUEST-----
`;

export const rootCertificate = `-----BEGIN CERTIFICATE-----
MIIBdTCCARugAwIBAgIURN2i5PlEZlCYmedDqGSrC1NiylgwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEcm9vdDAgFw0yNjExMTUxNzIwMjNaGA8yMTI2MTAyMjE3MjAy
M1owDzENMAsGA1UEAwwEcm9vdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABBVt
EbPlCc+lktjAbKG9wax2exIkPpMxso46MDcmXv75OU3RHqWbtNs90PqE+jCUK7KK
N+QU4M8ayLc/3uShbUKjUzBRMB0GA1UdDgQWBBRKnVWRx+D8HCEwwth3gwNRjd6W
0DAfBgNVHSMEGDAWgBRKnVWRx+D8HCEwwth3gwNRjd6W0DAPBgNVHRMBAf8EBTAD
AQH/MAoGCCqGSM49BAMCA0gAMEUCIQDyELFqJyC0fCfE4bW5VZ1vuJ85JR05AA4I
2PLHfaNsWAIgUa9IDmzy5JDs+RfAkWH7ePxUOsZZxhY+/kdPnAFGDvg=
-----END CERTIFICATE-----
`;

const manifests: Readonly<Record<string, Body>> = {
  '/ConfigMap': {},
  '/Endpoints': {},
  '/Event': { involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' } },
  '/LimitRange': { spec: { limits: [{ type: 'Container', max: { cpu: '1' } }] } },
  '/Namespace': {},
  '/Node': {},
  '/PersistentVolume': {
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/tmp' } },
  },
  '/PersistentVolumeClaim': { spec: claim },
  '/Pod': { spec: podSpec },
  '/PodTemplate': { template },
  '/ReplicationController': { spec: { selector: labels, template } },
  '/ResourceQuota': {},
  '/Secret': {},
  '/Service': { spec: { ports: [{ port: 80 }] } },
  '/ServiceAccount': {},
  'admissionregistration/MutatingAdmissionPolicy': {
    spec: { matchConstraints, reinvocationPolicy: 'Never', mutations: [mutation] },
  },
  'admissionregistration/MutatingAdmissionPolicyBinding': { spec: { policyName: 'p' } },
  'admissionregistration/MutatingWebhookConfiguration': { webhooks: [webhook] },
  'admissionregistration/ValidatingAdmissionPolicy': {
    spec: { matchConstraints, validations: [{ expression: 'true' }] },
  },
  'admissionregistration/ValidatingAdmissionPolicyBinding': {
    spec: { policyName: 'p', validationActions: ['Deny'] },
  },
  'admissionregistration/ValidatingWebhookConfiguration': { webhooks: [webhook] },
  'apiextensions/CustomResourceDefinition': {
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  },
  'apiregistration/APIService': {
    metadata: { name: 'v1.example.com' },
    spec: {
      group: 'example.com',
      version: 'v1',
      groupPriorityMinimum: 100,
      versionPriority: 10,
      insecureSkipTLSVerify: true,
      service: { namespace: 'default', name: 's' },
    },
  },
  'apps/ControllerRevision': { data: { any: 'thing' }, revision: 1 },
  'apps/DaemonSet': { spec: { selector, template } },
  'apps/Deployment': { spec: { selector, template } },
  'apps/ReplicaSet': { spec: { selector, template } },
  'apps/StatefulSet': {
    spec: { selector, template, serviceName: 's', volumeClaimTemplates: [{ metadata: { name: 'v' }, spec: claim }] },
  },
  'autoscaling/HorizontalPodAutoscaler': {
    spec: { scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }, maxReplicas: 3 },
  },
  'batch/CronJob': { spec: { schedule: '@hourly', jobTemplate } },
  'batch/Job': jobTemplate,
  'certificates/CertificateSigningRequest': {
    spec: {
      request: Buffer.from(signingRequest).toString('base64'),
      signerName: 'example.com/signer',
      usages: ['client auth'],
    },
  },
  'certificates/ClusterTrustBundle': { spec: { trustBundle: rootCertificate } },
  'certificates/PodCertificateRequest': {
    spec: {
      signerName: 'example.com/signer',
      podName: 'p',
      podUID: 'u',
      serviceAccountName: 's',
      serviceAccountUID: 'u',
      nodeName: 'n',
      nodeUID: 'u',
      // an ed25519 key's request with an arbitrary subject
      stubPKCS10Request:
        'MH8wMwIBADAAMCowBQYDK2VwAyEA+tLVRq6FSTtqDwiJjd7uv386FJhF4HgeEdpdNv6jcHKgADAFBgMrZXADQQB4A4l8+wGR6bVyu1StHshzhGz1s4Ojo63W0aAc5vsqX2bJz6u9sIMixkMr/O1SOAXqGYbbxA1HLGwi+LxDmHAJ',
    },
  },
  'coordination/Lease': {},
  'coordination/LeaseCandidate': {
    spec: {
      leaseName: 'l',
      binaryVersion: '1.36.0',
      emulationVersion: '1.36.0',
      strategy: 'OldestEmulationVersion',
    },
  },
  'discovery/EndpointSlice': { addressType: 'IPv4' },
  'events/Event': {
    eventTime: '2030-01-01T00:00:00.000000Z',
    regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
    reportingController: 'example.com/controller',
    reportingInstance: 'i',
    action: 'A',
    reason: 'R',
    type: 'Normal',
  },
  'flowcontrol.apiserver/FlowSchema': { spec: { priorityLevelConfiguration: { name: 'x' } } },
  'flowcontrol.apiserver/PriorityLevelConfiguration': {
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
  },
  'internal.apiserver/StorageVersion': { metadata: { name: 'apps.deployments' } },
  'networking/IPAddress': {
    metadata: { name: '10.9.8.7' },
    spec: { parentRef: { resource: 'services', namespace: 'default', name: 's' } },
  },
  'networking/Ingress': { spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } },
  'networking/IngressClass': { spec: { controller: 'example.com/controller' } },
  'networking/NetworkPolicy': { spec: { podSelector: {} } },
  'networking/ServiceCIDR': { spec: { cidrs: ['10.77.0.0/24'] } },
  'node/RuntimeClass': { handler: 'h' },
  'policy/PodDisruptionBudget': { spec: { minAvailable: 1, selector } },
  'rbac.authorization/ClusterRole': {},
  'rbac.authorization/ClusterRoleBinding': { roleRef },
  'rbac.authorization/Role': {},
  'rbac.authorization/RoleBinding': { roleRef },
  'resource/DeviceClass': { spec: {} },
  'resource/DeviceTaintRule': { spec: { taint: { key: 'k', effect: 'NoSchedule' } } },
  'resource/ResourceClaim': { spec: {} },
  'resource/ResourceClaimTemplate': { spec: { spec: {} } },
  'resource/ResourcePoolStatusRequest': { spec: { driver: 'd.example.com' } },
  'resource/ResourceSlice': {
    spec: { driver: 'd.example.com', pool: { name: 'p', generation: 1, resourceSliceCount: 1 }, allNodes: true },
  },
  'scheduling/PodGroup': { spec: { schedulingPolicy: { basic: {} } } },
  'scheduling/PriorityClass': { value: 1 },
  'scheduling/Workload': { spec: { podGroupTemplates: [{ name: 't', schedulingPolicy: { basic: {} } }] } },
  'storage/CSIDriver': { spec: {} },
  'storage/CSINode': { spec: { drivers: [] } },
  'storage/CSIStorageCapacity': { storageClassName: 's' },
  'storage/StorageClass': { provisioner: 'example.com/p' },
  'storage/VolumeAttachment': {
    spec: { attacher: 'a.example.com', nodeName: 'n', source: { persistentVolumeName: 'v' } },
  },
  'storage/VolumeAttributesClass': { driverName: 'd.example.com', parameters: { a: 'b' } },
  'storagemigration/StorageVersionMigration': { spec: { resource: { group: 'apps', resource: 'deployments' } } },
};

/** In the words of another dialect. */
const inWordsOf = ({ apiDomain, labelDomain }: DialectNames, body: Body): Body =>
  JSON.parse(JSON.stringify(body).replaceAll('kubernetes.io', labelDomain).replaceAll('k8s.io', apiDomain)) as Body;

export function manifestOf({ group, version, kind }: ResourceDefinition, names: DialectNames = kubernetes): Manifest {
  const known = manifests[`${group.replace(`.${names.apiDomain}`, '')}/${kind}`];
  if (known === undefined) throw new Error(`no manifest for ${kind} of ${group}/${version}`);
  const body = inWordsOf(names, known);
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return { ...body, kind, apiVersion, metadata: { name: 'minimal', ...body.metadata } };
}
