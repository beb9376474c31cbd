// What a node may do with pods: show those it runs by itself, report about those it was given, and send them away.

import { isSameJson } from '../../../base/json/json.ts';
import { andThen, type MaybePromise } from '../../../base/maybe-promise.ts';
import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';
import { labelKey } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { notFound } from '../../../meta/status.ts';
import { type AdmissionRequest, refusal } from '../../plugin.ts';
import { referenceOf } from './mirror-references.ts';
import type { NodeEngines, NodeRule } from './node-rule.ts';
import { restrictAudiences } from './token-audiences.ts';

const pods = { group: '', version: 'v1', resource: 'pods' };
const nodes = { group: '', version: 'v1', resource: 'nodes' };

export const restrictPod: NodeRule = (engines, request, node) => {
  switch (request.operation) {
    case 'CREATE':
      return checkMirror(engines, request, node);
    case 'DELETE':
      return ownPod(engines, request, request.name, node, `node "${node}" can only delete pods with`);
    default:
      throw refusal(
        request,
        `unexpected operation "${request.operation}", node "${node}" can only create and delete mirror pods`,
      );
  }
};

const checkMirror: NodeRule = ({ dialect, objects }, request, node) => {
  const pod = request.object as Pod;
  const mirror = labelKey(dialect, 'config.mirror');
  const no = (why: string) => refusal(request, why);
  if (pod.metadata.annotations?.[mirror] === undefined)
    throw no(`pod does not have "${mirror}" annotation, node "${node}" can only create mirror pods`);
  if (pod.spec?.nodeName !== node) throw no(`node "${node}" can only create pods with spec.nodeName set to itself`);
  const uid = ownerOf(request, pod, node);
  return andThen(objects.get(nodes, { namespace: '', name: node }), (found) => {
    if (found === undefined) throw notFound({ group: '', resource: 'node', name: node });
    const known = found.metadata.uid ?? '';
    if (uid !== known) throw no(`node ${node} UID mismatch: expected ${uid} got ${known}`);
    checkReferences(request, pod, node);
  });
};

/** The uid that a pod has for the node that owns it. */
function ownerOf(request: AdmissionRequest, { metadata }: Pod, node: string): string {
  const [owner, ...others] = metadata.ownerReferences ?? [];
  const no = (why: string) => refusal(request, `node "${node}" ${why}`);
  if (others.length > 0) throw no('can only create pods with a single owner reference set to itself');
  if (owner === undefined || owner.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node)
    throw no('can only create pods with an owner reference set to itself');
  if (owner.controller !== true) throw no('can only create pods with a controller owner reference set to itself');
  if (owner.blockOwnerDeletion === true) throw no('must not set blockOwnerDeletion on an owner reference');
  return owner.uid;
}

/** What a pod refers to its node may read: a node could read everything by way of pods of its own making. */
function checkReferences(request: AdmissionRequest, pod: Pod, node: string): void {
  const reference = referenceOf(pod);
  if (reference === undefined) return;
  throw refusal(
    request,
    'problem' in reference
      ? `error checking mirror pod for API references: ${reference.problem}`
      : `node "${node}" can not create pods that reference ${reference.resource}`,
  );
}

export const restrictPodStatus: NodeRule = (_, request, node) => {
  if (request.operation !== 'UPDATE') throw refusal(request, `unexpected operation "${request.operation}"`);
  const [next, old] = [request.object as Pod, request.oldObject as Pod];
  const no = (why: string) => refusal(request, `node "${node}" ${why}`);
  if (old.spec?.nodeName !== node) throw no('can only update pod status for pods with spec.nodeName set to itself');
  if (!isSameJson(next.metadata.labels ?? {}, old.metadata.labels ?? {}))
    throw no('cannot update labels through pod status');
  if (!isSameJson(next.status?.resourceClaimStatuses ?? [], old.status?.resourceClaimStatuses ?? []))
    throw no('cannot update resource claim statues');
  if (!isSameJson(next.status?.extendedResourceClaimStatus, old.status?.extendedResourceClaimStatus))
    throw no('cannot update extended resource claim status');
};

export const restrictEviction: NodeRule = (engines, request, node) => {
  if (request.operation !== 'CREATE') throw refusal(request, `unexpected operation ${request.operation}`);
  const name = request.name || (request.object?.metadata.name ?? '');
  if (name === '') throw refusal(request, 'could not determine pod from request data');
  return ownPod(engines, request, name, node, `node ${node} can only evict pods with`);
};

function ownPod(
  { objects }: NodeEngines,
  request: AdmissionRequest,
  name: string,
  node: string,
  may: string,
): MaybePromise<void> {
  return andThen(objects.get(pods, { namespace: request.namespace, name }), (pod) => {
    if (pod === undefined) throw notFound({ group: '', resource: 'pod', name });
    if ((pod as Pod).spec?.nodeName !== node) throw refusal(request, `${may} spec.nodeName set to itself`);
  });
}

/** A token is for a pod that the node runs, and for those that the pod's volumes name. */
export const restrictToken: NodeRule = (engines, request, node) => {
  const { boundObjectRef: bound, audiences } = ((request.object ?? {}) as TokenRequest).spec ?? {};
  if (bound?.apiVersion !== 'v1' || bound.kind !== 'Pod' || !bound.name)
    throw refusal(request, 'node requested token not bound to a pod');
  const { name, uid } = bound;
  if (!uid) throw refusal(request, 'node requested token with a pod binding without a uid');
  return andThen(engines.objects.get(pods, { namespace: request.namespace, name }), (pod) => {
    if (pod === undefined) throw notFound({ group: '', resource: 'pod', name });
    if (pod.metadata.uid !== uid)
      throw refusal(
        request,
        `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
      );
    if ((pod as Pod).spec?.nodeName !== node)
      throw refusal(request, 'node requested token bound to a pod scheduled on a different node');
    if (engines.gates.ServiceAccountNodeAudienceRestriction)
      return restrictAudiences(engines, request, pod as Pod, audiences ?? []);
  });
};

interface TokenRequest extends ApiObject {
  readonly spec?: {
    readonly audiences?: readonly string[] | null;
    readonly boundObjectRef?: { apiVersion?: string; kind?: string; name?: string; uid?: string };
  };
}
