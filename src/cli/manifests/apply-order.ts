// The order in which objects are applied, so that each finds those that it needs.

import { isJsonObject } from '../../base/json/json.ts';
import type { ManifestObject } from './read-manifests.ts';

/** Kinds that others need, in order. The parameters of policies come before `policies`, all other kinds last. */
const kindsInOrder = {
  namespaces: ['Namespace'],
  definitions: ['CustomResourceDefinition'],
  classes: ['PriorityClass', 'StorageClass', 'IngressClass', 'RuntimeClass', 'DeviceClass', 'ServiceAccount'],
  roles: ['ClusterRole', 'Role'],
  bindings: ['ClusterRoleBinding', 'RoleBinding'],
  limits: ['LimitRange', 'ResourceQuota'],
  policies: ['ValidatingAdmissionPolicy', 'MutatingAdmissionPolicy'],
  policyBindings: ['ValidatingAdmissionPolicyBinding', 'MutatingAdmissionPolicyBinding'],
  data: ['PersistentVolume', 'PersistentVolumeClaim', 'Service'],
  contents: ['ConfigMap', 'Secret'],
} as const;

type Step = keyof typeof kindsInOrder | 'parameters' | 'others';

const steps: readonly Step[] = [
  ...(['namespaces', 'definitions', 'classes', 'roles', 'bindings', 'limits'] as const),
  ...(['parameters', 'policies', 'policyBindings', 'data', 'contents', 'others'] as const),
];

const stepOfKind = new Map<string, Step>(
  Object.entries(kindsInOrder).flatMap(([step, kinds]) => kinds.map((kind) => [kind, step as Step] as const)),
);

/** Objects in the order in which they are applied; those of one step keep their order. */
export function inApplyOrder<T extends ManifestObject>(objects: readonly T[]): readonly T[] {
  const parameterKinds = parameterKindsOf(objects);
  const stepOf = (object: ManifestObject): Step => {
    const step = stepOfKind.get(object.kind);
    const isParameter = parameterKinds.has(`${object.apiVersion} ${object.kind}`);
    return isParameter && (step === undefined || step === 'contents') ? 'parameters' : (step ?? 'others');
  };
  const byStep = new Map<Step, T[]>(steps.map((step) => [step, []]));
  for (const object of objects) byStep.get(stepOf(object))?.push(object);
  return [...byStep.values()].flat();
}

/** Whether the server reads objects of this kind when it checks others: of the rest only quotas count them. */
export const isReadByServer = ({ kind }: ManifestObject): boolean =>
  stepOfKind.has(kind) && !(kindsInOrder.contents as readonly string[]).includes(kind);

/** The kinds of policies' parameters, as `apiVersion kind`. */
export const parameterKindsOf = (objects: readonly ManifestObject[]): ReadonlySet<string> =>
  new Set(objects.map(parameterKindOf));

/** The kind of a policy's parameters; empty for everything else. */
function parameterKindOf({ value: { spec } }: ManifestObject): string {
  const parameters = isJsonObject(spec) ? spec['paramKind'] : undefined;
  return isJsonObject(parameters) ? `${String(parameters['apiVersion'])} ${String(parameters['kind'])}` : '';
}
