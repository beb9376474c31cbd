// The scale subresource of custom resources: a definition says where the numbers stand.

import { goTypeName } from '../base/go-format.ts';
import { getOwn, isJsonObject, type JsonObject, type JsonValue, setOwn } from '../base/json.ts';
import type { customResourceSubresourceScale } from '../groups/apiextensions/v1/custom-resource-definition.ts';
import { type Scale, scale } from '../groups/autoscaling/v1/scale.ts';
import { scaleBySelector } from '../groups/subresources.ts';
import { invalidValue } from '../meta/field-errors.ts';
import type { ApiObject } from '../meta/object.ts';
import { type FieldError, internalError } from '../meta/status.ts';
import type { ViewSubresource } from '../schema/resource.ts';
import type { Infer } from '../schema/types.ts';

export type ScalePaths = Infer<typeof customResourceSubresourceScale>;

export function customScale(paths: ScalePaths): ViewSubresource {
  const { specReplicasPath = '', statusReplicasPath = '', labelSelectorPath = '' } = paths;
  return {
    ...scaleBySelector,
    type: scale,
    view(parent) {
      const replicas = numberAt(parent, specReplicasPath);
      const selector = labelSelectorPath === '' ? undefined : valueAt(parent, labelSelectorPath);
      const { name, namespace, uid, resourceVersion, creationTimestamp } = parent.metadata;
      return {
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        metadata: { name, namespace, uid, resourceVersion, creationTimestamp } as ApiObject['metadata'],
        spec: replicas ? { replicas } : {},
        status: {
          replicas: numberAt(parent, statusReplicasPath) ?? 0,
          ...(typeof selector === 'string' && selector !== '' ? { selector } : {}),
        },
      };
    },
    write(view, parent) {
      const { spec = {} } = view as Scale;
      return withValue(parent as unknown as JsonObject, stepsOf(specReplicasPath), spec.replicas ?? 0) as never;
    },
    demandShown(parent) {
      if (numberAt(parent, specReplicasPath) === undefined)
        throw internalError(`the spec replicas field ${JSON.stringify(specReplicasPath)} does not exist`);
    },
  };
}

const stepsOf = (path: string): readonly string[] => path.replace(/^\./, '').split('.');

function valueAt(object: ApiObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = object as unknown as JsonObject;
  for (const step of stepsOf(path)) value = isJsonObject(value) ? getOwn(value, step) : undefined;
  return value;
}

function numberAt(object: ApiObject, path: string): number | undefined {
  const value = valueAt(object, path);
  return Number.isInteger(value) ? (value as number) : undefined;
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
  const selector = labelSelectorPath ? valueAt(object, labelSelectorPath) : undefined;
  const isOdd = selector !== undefined && typeof selector !== 'string';
  return [
    ...validateReplicas(object, statusReplicasPath),
    ...(isOdd && labelSelectorPath
      ? [invalidValue(labelSelectorPath, '', wrongType(labelSelectorPath, selector, 'string'))]
      : []),
  ];
}

const maxReplicas = 2147483647;

function validateReplicas(object: ApiObject, path: string): readonly FieldError[] {
  const value = valueAt(object, path);
  if (value === undefined) return [];
  if (!Number.isInteger(value) && typeof value !== 'bigint')
    return [invalidValue(path, 0, wrongType(path, value, 'int64'))];
  if ((value as number) < 0) return [invalidValue(path, value, 'should be a non-negative integer')];
  return (value as number) > maxReplicas
    ? [invalidValue(path, value, `should be less than or equal to ${maxReplicas}`)]
    : [];
}

const wrongType = (path: string, value: JsonValue, wanted: string): string =>
  `.${stepsOf(path).join('.')} accessor error: ${shown(value)} is of the type ${value === null ? '<nil>' : goTypeName(value)}, expected ${wanted}`;

const shown = (value: JsonValue): string => (value === null ? '<nil>' : String(value));
