// Binding a pod to a node: what a scheduler does once it has chosen.

import { notSupported, required } from '../../../../meta/field-errors.ts';
import type { ApiObject, ObjectRef } from '../../../../meta/object.ts';
import { badRequest, conflict, notFound, plainError, success } from '../../../../meta/status.ts';
import { formatTime } from '../../../../meta/time.ts';
import type { Action, ActionCall } from '../../../../schema/action.ts';
import type { ResourceOf } from '../../../../schema/object-access.ts';
import type { PartSubresource } from '../../../../schema/part-subresource.ts';
import type { Infer } from '../../../../schema/types.ts';
import { status as statusType } from '../../../meta/v1/types.ts';
import type { bindingType } from './binding-type.ts';
import { withCondition } from './pod-status.ts';
import type { Pod } from './pod-type.ts';

type Binding = ApiObject & Infer<typeof bindingType>;

const pods: ResourceOf<Pod> = { group: '', version: 'v1', resource: 'pods' };

/** The binding decides about node, annotations and labels of a pod; nothing else passes this way. */
const assignment: PartSubresource<Pod> = { is: 'part', name: 'binding', verbs: [], merge: (next) => next };

export const bindPod: Action<Binding> = {
  answer: statusType,
  async run(binding, call) {
    const ref = refOf(binding, call);
    checkTarget(binding);
    if (ref.name === '') throw badRequest('Name parameter required.');
    if ((await call.objects.get(pods, ref)) === undefined) throw notFound({ ...pods, name: ref.name });
    const assign = (pod: Pod) => assigned(pod, binding, formatTime(call.clock.now()));
    const { uid: expectedUid } = binding.metadata;
    await call.objects.update(pods, ref, assign, { dryRun: call.dryRun, part: assignment, expectedUid });
    return { ...success(201) };
  },
};

// compat: a binding to something that is no node is an unexpected error
function checkTarget({ target }: Binding): void {
  const { kind = '', name } = target ?? {};
  const wrong = [
    ...(kind === '' || kind === 'Node' ? [] : [notSupported('target.kind', kind, ['Node', '<empty>'])]),
    ...(name ? [] : [required('target.name')]),
  ];
  const told = wrong.map(({ field, message }) => `${field}: ${message}`);
  if (told.length > 0) throw plainError(told.length === 1 ? (told[0] as string) : `[${told.join(', ')}]`);
}

/** The pod is named by the URL, or by the binding itself where it is posted as its own object. */
function refOf({ metadata }: Binding, { ref }: ActionCall): ObjectRef {
  const name = metadata.name ?? '';
  if (ref.name !== '' && name !== ref.name) throw badRequest('name in URL does not match name in Binding object');
  return { namespace: ref.namespace, name: ref.name || name };
}

function assigned(pod: Pod, { metadata, target }: Binding, now: string): ApiObject {
  const name = pod.metadata.name ?? '';
  const refuse = (why: string) => conflict({ group: '', resource: 'pods/binding', name }, why);
  const { spec = {}, status = {} } = pod;
  if (pod.metadata.deletionTimestamp !== undefined)
    throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  if (spec.nodeName) throw refuse(`pod ${name} is already assigned to node ${JSON.stringify(spec.nodeName)}`);
  if ((spec.schedulingGates ?? []).length > 0) throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);
  const { nominatedNodeName: _, ...rest } = status;
  return {
    ...pod,
    metadata: withExtras(pod.metadata, metadata),
    spec: { ...spec, nodeName: target?.name ?? '' },
    status: withCondition(rest, { type: 'PodScheduled', status: 'True' }, now),
  };
}

function withExtras(
  meta: ApiObject['metadata'],
  { annotations, labels }: ApiObject['metadata'],
): ApiObject['metadata'] {
  return {
    ...meta,
    ...(annotations ? { annotations: { ...meta.annotations, ...annotations } } : {}),
    ...(labels ? { labels: { ...meta.labels, ...labels } } : {}),
  };
}
