// NodeRestriction: the program on a node writes about itself and about what runs there, and about nothing else.

import { isSameJson } from '../../../base/json/json.ts';
import { andThen } from '../../../base/maybe-promise.ts';
import type { CertificateSigningRequest } from '../../../groups/certificates/v1/certificate-signing-request-type.ts';
import { changes } from '../../../groups/changes.ts';
import type { Node } from '../../../groups/core/v1/node/node-type.ts';
import {
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
} from '../../../groups/core/v1/volume/persistent-volume-claim-type.ts';
import { apiserverWord, type Dialect, groupName, labelKey, nodeAgent } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { nodeOfUser } from '../../../meta/user.ts';
import { meansSame } from '../../../schema/same-meaning.ts';
import { type AdmissionPlugin, type AdmissionRequest, refusal } from '../../plugin.ts';
import { askedCertificate } from '../asked-certificate.ts';
import { forbiddenLabels } from './node-labels.ts';
import { restrictEviction, restrictPod, restrictPodStatus, restrictToken } from './node-pods.ts';
import type { NodeEngines, NodeRule } from './node-rule.ts';
import { restrictPodCertificate } from './pod-certificates.ts';

export function nodeRestriction(engines: NodeEngines): AdmissionPlugin {
  const rules = rulesOf(engines.dialect);
  return {
    name: 'NodeRestriction',
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    covers: ({ group, plural }) => rules.has(`${group}/${plural}`),
    mutate(request) {
      const node = nodeOfUser(request.user);
      if (node === undefined) return request.object;
      if (node === '') throw refusal(request, `could not determine node from user "${request.user.name}"`);
      const { group, plural } = request.definition;
      return andThen(rules.get(`${group}/${plural}`)?.(engines, request, node), () => request.object);
    },
  };
}

/** By group and plural of the resource. */
function rulesOf(dialect: Dialect): ReadonlyMap<string, NodeRule> {
  const group = (id: string) => groupName(dialect, id);
  return new Map<string, NodeRule>([
    ['/pods', ofPods],
    ['/nodes', ofNodes],
    ['/persistentvolumeclaims', ofClaims],
    ['/serviceaccounts', ofAccounts],
    [`${group('coordination')}/leases`, ofLeases],
    [`${group('storage')}/csinodes`, ofCsiNodes],
    [`${group('resource')}/resourceslices`, ofSlices],
    [`${group('certificates')}/certificatesigningrequests`, ofRequests],
    [`${group('certificates')}/podcertificaterequests`, restrictPodCertificate],
  ]);
}

const podRules: Readonly<Record<string, NodeRule>> = {
  '': restrictPod,
  status: restrictPodStatus,
  eviction: restrictEviction,
};

const ofPods: NodeRule = (engines, request, node) => {
  const rule = Object.hasOwn(podRules, request.subresource) ? podRules[request.subresource] : undefined;
  if (rule !== undefined) return rule(engines, request, node);
  const what = `unexpected pod subresource "${request.subresource}"`;
  throw refusal(request, `${what}, only 'status' and 'eviction' are allowed`);
};

const ofNodes: NodeRule = ({ dialect }, request, node) => {
  const { operation, name } = request;
  const no = (why: string) => refusal(request, `node "${node}" is not allowed to ${why}`);
  if (name !== node) throw no(`modify node "${name}"`);
  if (operation === 'DELETE') {
    if (dialect.rules.ownNodeDeletion === 'allowed') return;
    throw no(`delete node "${name}"`);
  }
  const next = request.object as Node | undefined;
  if (operation === 'CREATE') {
    // what a node's configuration names its node may read
    if (next?.spec?.configSource != null) throw no('create pods with a non-nil configSource');
    const labels = forbiddenLabels(next?.metadata.labels, {}, dialect);
    if (labels.length > 0) throw no(`set the following labels: ${labels.join(', ')}`);
  } else checkOwnNode(request, next, request.oldObject as Node | undefined, dialect, no);
};

function checkOwnNode(
  request: AdmissionRequest,
  next: Node | undefined,
  old: Node | undefined,
  dialect: Dialect,
  no: (why: string) => Error,
): void {
  const { configSource } = next?.spec ?? {};
  if (configSource != null && !isSameJson(configSource, old?.spec?.configSource))
    throw no('update configSource to a new non-nil configSource');
  if (!isSameJson(next?.spec?.taints ?? [], old?.spec?.taints ?? [])) throw no('modify taints');
  if (!isSameJson(next?.metadata.ownerReferences ?? [], old?.metadata.ownerReferences ?? []))
    throw no('modify ownerReferences');
  const labels = forbiddenLabels(next?.metadata.labels, old?.metadata.labels, dialect);
  // compat: this one message does not begin with the name of the node
  if (labels.length > 0) throw refusal(request, `is not allowed to modify labels: ${labels.join(', ')}`);
}

const claimStatus = ['capacity', 'conditions', 'allocatedResources', 'allocatedResourceStatuses'] as const;

const ofClaims: NodeRule = (_, request, node) => {
  if (request.subresource !== 'status') throw refusal(request, 'may only update PVC status');
  if (request.operation !== 'UPDATE') throw refusal(request, `unexpected operation "${request.operation}"`);
  const rest = (claim: PersistentVolumeClaim) => {
    const { managedFields: _m, resourceVersion: _r, ...metadata } = claim.metadata;
    const status = Object.entries(claim.status ?? {}).filter(
      ([key]) => !(claimStatus as readonly string[]).includes(key),
    );
    return { metadata, spec: claim.spec, status: Object.fromEntries(status) };
  };
  const [next, old] = [request.object, request.oldObject] as [PersistentVolumeClaim, PersistentVolumeClaim];
  const [now, before] = [rest(next), rest(old)];
  if (meansSame(persistentVolumeClaimType, now, before)) return;
  const why = `node "${node}" is not allowed to update fields other than status.quantity and status.conditions`;
  throw refusal(request, `${why}: ${changes('PersistentVolumeClaim', before, now)}`);
};

const ofAccounts: NodeRule = (engines, request, node) => {
  if (request.operation === 'CREATE' && request.subresource === 'token') return restrictToken(engines, request, node);
};

const ofLeases: NodeRule = ({ dialect: { nodeLeaseNamespace: home } }, request, node) => {
  if (request.namespace !== home) throw refusal(request, `can only access leases in the "${home}" system namespace`);
  if (request.name !== node)
    throw refusal(request, 'can only access node lease with the same name as the requesting node');
};

const ofCsiNodes: NodeRule = (_, request, node) => {
  if (request.name !== node)
    throw refusal(request, 'can only access CSINode with the same name as the requesting node');
};

const ofSlices: NodeRule = (_, request, node) => {
  const { operation, object, oldObject } = request;
  const check = (slice: ApiObject | undefined, verb: string) => {
    const { spec } = (slice ?? {}) as { spec?: { nodeName?: string } };
    if (spec?.nodeName !== node)
      throw refusal(request, `can only ${verb} ResourceSlice with the same NodeName as the requesting node`);
  };
  if (operation === 'CREATE') check(object, 'create');
  // a collection as a whole has no object: each of its objects comes by itself
  if (operation === 'DELETE' && oldObject !== undefined) check(oldObject, 'delete');
};

/** A node asks for certificates of its own, where the signer is for nodes. */
const ofRequests: NodeRule = ({ dialect, gates }, request, node) => {
  if (request.operation !== 'CREATE' || request.subresource !== '') return;
  if (gates.AllowInsecureKubeletCertificateSigningRequests) return;
  const agent = nodeAgent(dialect);
  const signers = [`${agent}-serving`, `${apiserverWord(dialect)}-client-${agent}`].map((one) =>
    labelKey(dialect, one),
  );
  const { signerName = '' } = (request.object as CertificateSigningRequest).spec ?? {};
  if (!signers.includes(signerName)) return;
  const { subject } = askedCertificate(request, 'unable to parse csr');
  if (subject.commonName !== `system:node:${node}`)
    throw refusal(request, `can only create a node CSR with CN=system:node:${node}`);
};
