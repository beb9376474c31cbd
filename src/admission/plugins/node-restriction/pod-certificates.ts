// Certificates of pods: a node asks for those of pods that it runs, and says about them what is stored.

import type { PodCertificateRequest } from '../../../groups/certificates/v1beta1/pod-certificate-request-type.ts';
import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';
import { labelKey } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { notFound, plainError } from '../../../meta/status.ts';
import { type AdmissionRequest, refusal } from '../../plugin.ts';
import type { NodeEngines, NodeRule } from './node-rule.ts';

type Spec = NonNullable<PodCertificateRequest['spec']>;

export const restrictPodCertificate: NodeRule = (engines, request, node) => {
  const { operation, subresource } = request;
  if (operation !== 'CREATE') throw refusal(request, `unexpected operation ${operation}`);
  if (subresource !== '') throw refusal(request, `unexpected subresource ${subresource}`);
  const { spec = {} } = request.object as PodCertificateRequest;
  if (spec.nodeName !== node)
    throw refusal(
      request,
      `PodCertificateRequest.Spec.NodeName="${spec.nodeName ?? ''}", which is not the requesting node "${node}"`,
    );
  return checkSubject(engines, request, spec);
};

/** What a cache may know late is an error that clients try again after, not a refusal. */
async function checkSubject(engines: NodeEngines, request: AdmissionRequest, spec: Spec): Promise<void> {
  const { nodeName = '', nodeUID = '', podName = '', podUID = '' } = spec;
  const shown = `"${request.namespace}/${podName}"`;
  const node = await stored(engines, 'node', { namespace: '', name: nodeName }, `node "${nodeName}"`);
  if (node.metadata.uid !== nodeUID)
    throw plainError(
      `PodCertificateRequest for pod ${shown} names node UID "${nodeUID}", inconsistent with the running node ("${node.metadata.uid ?? ''}")`,
    );
  const pod = (await stored(engines, 'pod', { namespace: request.namespace, name: podName }, `pod ${shown}`)) as Pod;
  if (pod.metadata.uid !== podUID)
    throw plainError(
      `PodCertificateRequest for pod ${shown} contains pod UID ("${podUID}") which differs from running pod "${pod.metadata.uid ?? ''}"`,
    );
  if (pod.spec?.nodeName !== nodeName)
    throw refusal(request, `pod ${shown} is not running on node "${nodeName}" named in the PodCertificateRequest`);
  if (pod.metadata.annotations?.[labelKey(engines.dialect, 'config.mirror')] !== undefined)
    throw refusal(request, `pod ${shown} is a mirror pod`);
  await checkAccount(engines, request, spec, pod);
}

async function checkAccount(
  engines: NodeEngines,
  request: AdmissionRequest,
  spec: Spec,
  { spec: running }: Pod,
): Promise<void> {
  const { podName = '', serviceAccountName: name = '', serviceAccountUID = '' } = spec;
  const { namespace } = request;
  const about = `PodCertificateRequest for pod "${namespace}/${podName}"`;
  const used = running?.serviceAccountName ?? '';
  if (name !== used)
    throw refusal(
      request,
      `${about} contains serviceAccountName ("${name}") that differs from running pod ("${used}")`,
    );
  const account = await stored(
    engines,
    'serviceaccount',
    { namespace, name },
    `service account "${namespace}/${name}"`,
  );
  if (account.metadata.uid !== serviceAccountUID)
    throw plainError(
      `${about} names service account UID "${serviceAccountUID}", which differs from the running service account ("${account.metadata.uid ?? ''}")`,
    );
}

async function stored(
  { objects }: NodeEngines,
  kind: 'node' | 'pod' | 'serviceaccount',
  ref: { readonly namespace: string; readonly name: string },
  shown: string,
): Promise<ApiObject> {
  const found = await objects.get({ group: '', version: 'v1', resource: `${kind}s` }, ref);
  if (found !== undefined) return found;
  const { message } = notFound({ group: '', resource: kind, name: ref.name });
  throw plainError(`while retrieving ${shown} named in the PodCertificateRequest: ${message}`);
}
