// The scale subresource of custom resources: a definition says where the numbers stand.

import { getOwn, isJsonObject, type JsonObject, type JsonValue, setOwn } from '../base/json/json.ts';
import type { customResourceSubresourceScale } from '../groups/apiextensions/v1/custom-resource-definition-type.ts';
import { type Scale, scale } from '../groups/autoscaling/v1/scale.ts';
import { replicaColumns, replicasPath, scaleBySelector } from '../groups/subresources.ts';
import { invalidValue } from '../meta/field-errors.ts';
import type { ApiObject } from '../meta/object.ts';
import { badRequest, type FieldError, internalError, plainError } from '../meta/status.ts';
import type { Column } from '../schema/column.ts';
import { nameColumn } from '../schema/columns.ts';
import type { ViewSubresource } from '../schema/subresource.ts';
import type { Infer } from '../schema/types.ts';
import { goPlain, goTypeName } from '../wording/go-format.ts';
import { creationColumn } from './columns.ts';

export type ScalePaths = Infer<typeof customResourceSubresourceScale>;

/** Name and age are those of tables of custom resources. */
const columns = [nameColumn, ...replicaColumns, creationColumn] as readonly Column[];

export function customScale(paths: ScalePaths): ViewSubresource {
  const { specReplicasPath = '', statusReplicasPath = '', labelSelectorPath = '' } = paths;
  const { validate: _, ...shared } = scaleBySelector;
  const view = (parent: ApiObject): ApiObject => {
    const replicas = numberAt(parent, specReplicasPath);
    const selector = labelSelectorPath === '' ? undefined : textAt(parent, labelSelectorPath);
    const { name, namespace, uid, resourceVersion, creationTimestamp } = parent.metadata;
    return {
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name, namespace, uid, resourceVersion, creationTimestamp } as ApiObject['metadata'],
      spec: replicas ? { replicas } : {},
      status: {
        replicas: numberAt(parent, statusReplicasPath) ?? 0,
        ...(selector ? { selector } : {}),
      },
    };
  };
  const hasReplicas = (parent: ApiObject) => numberAt(parent, specReplicasPath) !== undefined;
  return {
    ...shared,
    type: scale,
    columns,
    view,
    patched: (parent) => (hasReplicas(parent) ? view(parent) : { ...view(parent), spec: { replicas: unset } }),
    write(shown, parent) {
      const { replicas = 0 } = (shown as Scale).spec ?? {};
      if (replicas === unset) throw cannotBeEmpty(specReplicasPath);
      return withValue(parent as unknown as JsonObject, stepsOf(specReplicasPath), replicas) as unknown as ApiObject;
    },
    field: { inView: replicasPath, inParent: stepsOf(specReplicasPath) },
    // compat: a configuration for the scale of a custom resource may say what is there, and nothing else
    applyProblem: 'request to convert CR to an invalid group/version: autoscaling/v1',
    demandShown(parent) {
      if (!hasReplicas(parent))
        throw internalError(`the spec replicas field ${JSON.stringify(specReplicasPath)} does not exist`);
    },
  };
}

/** compat: where there is no number of replicas, patches find this one, and may not leave it */
const unset = -2147483648;

const cannotBeEmpty = (path: string) => badRequest(`the spec replicas field ${JSON.stringify(path)} cannot be empty`);

const stepsOf = (path: string): readonly string[] => path.replace(/^\./, '').split('.');

/** What stands at a path, or why nothing can stand there. */
interface Found {
  readonly value?: JsonValue | undefined;
  readonly problem?: string;
}

function lookUp(object: ApiObject, path: string, wanted: 'int64' | 'string'): Found {
  let value: JsonValue | undefined = object as unknown as JsonObject;
  const passed: string[] = [];
  for (const step of stepsOf(path)) {
    if (value === undefined || value === null) return {};
    passed.push(step);
    if (!isJsonObject(value)) return { problem: wrongType(passed, value, 'map[string]interface{}') };
    value = getOwn(value, step);
  }
  if (value === undefined || isOf(value, wanted)) return { value };
  return { problem: wrongType(passed, value, wanted) };
}

const isOf = (value: JsonValue, wanted: 'int64' | 'string'): boolean =>
  wanted === 'string' ? typeof value === 'string' : Number.isInteger(value) || typeof value === 'bigint';

function numberAt(object: ApiObject, path: string): number | undefined {
  const { value, problem } = lookUp(object, path, 'int64');
  if (problem !== undefined) throw plainError(problem);
  return value as number | undefined;
}

function textAt(object: ApiObject, path: string): string | undefined {
  const { value, problem } = lookUp(object, path, 'string');
  if (problem !== undefined) throw plainError(problem);
  return value as string | undefined;
}

function withValue(object: JsonObject, [step = '', ...rest]: readonly string[], value: JsonValue): JsonObject {
  const result: JsonObject = { ...object };
  const inner = getOwn(object, step);
  setOwn(result, step, rest.length === 0 ? value : withValue(isJsonObject(inner) ? inner : {}, rest, value));
  return result;
}

/** What is wrong with the number of replicas that are wanted. */
export function validateScaleSpec(object: ApiObject, { specReplicasPath = '' }: ScalePaths): readonly FieldError[] {
  return validateReplicas(object, specReplicasPath);
}

/** What is wrong with the number of replicas that there are, and with the selector. */
export function validateScaleStatus(object: ApiObject, paths: ScalePaths): readonly FieldError[] {
  const { statusReplicasPath = '', labelSelectorPath } = paths;
  const { problem } = labelSelectorPath ? lookUp(object, labelSelectorPath, 'string') : {};
  return [
    ...validateReplicas(object, statusReplicasPath),
    ...(labelSelectorPath && problem !== undefined ? [invalidValue(labelSelectorPath, '', problem)] : []),
  ];
}

const maxReplicas = 2147483647;

function validateReplicas(object: ApiObject, path: string): readonly FieldError[] {
  const { value, problem } = lookUp(object, path, 'int64');
  if (problem !== undefined) return [invalidValue(path, 0, problem)];
  if (value === undefined) return [];
  if ((value as number) < 0) return [invalidValue(path, value, 'should be a non-negative integer')];
  return (value as number) > maxReplicas
    ? [invalidValue(path, value, `should be less than or equal to ${maxReplicas}`)]
    : [];
}

const wrongType = (steps: readonly string[], value: JsonValue, wanted: string): string =>
  `.${steps.join('.')} accessor error: ${goPlain(value)} is of the type ${goTypeName(value)}, expected ${wanted}`;
