// What a resize may change: requests and limits of cpu and memory, and nothing that makes the pod another one.

import { isSameJson } from '../../../base/json.ts';
import type { Dialect } from '../../../meta/dialect.ts';
import { forbiddenField, invalidValue } from '../../../meta/field-errors.ts';
import { findAfter, findEach } from '../../../meta/find-each.ts';
import type { ValidationErrors } from '../../rules.ts';
import type { Container } from './container-defaults.ts';
import type { Pod } from './pod.ts';
import { isMirror } from './pod-annotation-rules.ts';
import { qosClassOf } from './pod-resources.ts';
import type { PodSpec } from './pod-spec.ts';

const onlyResources = 'only cpu and memory resources are mutable';
const ofSidecars = 'only cpu and memory resources for sidecar containers are mutable';
const ofInitContainers = 'resources for non-sidecar init containers are immutable';
const lists = ['initContainers', 'containers'] as const;

/** Some pods cannot be resized at all: nothing else is said about them. */
export function validateResize(next: Pod, old: Pod, dialect: Dialect): ValidationErrors {
  if (isMirror(old, dialect)) return [forbiddenField('', 'static pods cannot be resized')];
  if (old.spec?.os?.name === 'windows') return [forbiddenField('', 'windows pods cannot be resized')];
  const [spec, was] = [next.spec ?? {}, old.spec ?? {}];
  const validationErrors = [
    ...validateClass(spec, old),
    ...(isSupported(old) ? [] : [forbiddenField('spec', 'Pod running on node without support for resize')]),
    ...lists.flatMap((list) => validateKept(spec, was, list)),
    ...lists.flatMap((list) => validateOthers(spec, was, list)),
  ];
  return findAfter(validationErrors, (found) => {
    if (found.length > 0 || isSameJson(withoutCompute(spec), withoutCompute(was))) return found;
    return [forbiddenField('spec', onlyResources)];
  });
}

function validateClass(spec: PodSpec, old: Pod): ValidationErrors {
  const was = old.status?.qosClass ?? qosClassOf(old.spec ?? {});
  const is = qosClassOf(spec);
  return was === is ? [] : [invalidValue('spec', was, 'Pod QOS Class may not change as a result of resizing')];
}

/** A node that can resize says what its containers have. */
function isSupported({ status }: Pod): boolean {
  const running = status?.containerStatuses?.find(({ state }) => state?.running !== undefined);
  return running === undefined || running.resources !== undefined;
}

const mayChange = (list: (typeof lists)[number], { restartPolicy }: Container) =>
  list === 'containers' || restartPolicy === 'Always';

/** What a resize may not take away altogether. */
function validateKept(next: PodSpec, old: PodSpec, list: (typeof lists)[number]): ValidationErrors {
  return findEach(old[list] ?? [], (was, i) => {
    if (!mayChange(list, was)) return [];
    const is = next[list]?.[i];
    return (['requests', 'limits'] as const).flatMap((part) => {
      const gone = Object.keys(was.resources?.[part] ?? {}).some(
        (name) => !Object.hasOwn(is?.resources?.[part] ?? {}, name),
      );
      const at = `spec.${list}[${i}].resources.${part}`;
      return gone ? [forbiddenField(at, `resource ${part} cannot be removed`)] : [];
    });
  });
}

/** One validation error for each container of which something else changed. */
function validateOthers(next: PodSpec, old: PodSpec, list: (typeof lists)[number]): ValidationErrors {
  return findEach(old[list] ?? [], (was, i) => {
    const is = next[list]?.[i];
    const resizable = mayChange(list, was);
    const same = resizable ? isSameJson(is && stripped(is), stripped(was)) : isSameJson(is, was);
    const detail = list === 'containers' ? onlyResources : resizable ? ofSidecars : ofInitContainers;
    return same ? [] : [forbiddenField('spec', detail)];
  });
}

const stripped = (one: Container): Container => ({
  ...one,
  resources: withoutComputeOf(one.resources),
  resizePolicy: [],
});

function withoutCompute(spec: PodSpec): PodSpec {
  return {
    ...spec,
    containers: (spec.containers ?? []).map(stripped),
    initContainers: (spec.initContainers ?? []).map((one) => (one.restartPolicy === 'Always' ? stripped(one) : one)),
    resources: withoutComputeOf(spec.resources),
  };
}

function withoutComputeOf(resources: Container['resources'] = {}): NonNullable<Container['resources']> {
  const others = (amounts: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(Object.entries(amounts).filter(([name]) => name !== 'cpu' && name !== 'memory'));
  return { ...resources, limits: others(resources.limits), requests: others(resources.requests) };
}
