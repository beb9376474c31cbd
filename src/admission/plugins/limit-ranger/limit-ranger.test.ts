// Limits and defaults of a namespace.

import { describe, expect, test } from 'vitest';
import { cluster, kubernetes } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { ResourceDefinition } from '../../../schema/resource.ts';
import { lookupOf, requestFor } from '../../testing.ts';
import { limitRanger } from './limit-ranger.ts';

const pods = { group: '', plural: 'pods' } as ResourceDefinition;
const claims = { group: '', plural: 'persistentvolumeclaims' } as ResourceDefinition;
const object = (spec: object, namespace = 'n'): ApiObject => ({
  ...{ kind: 'X', apiVersion: 'v1', metadata: { name: 'x', namespace }, spec },
});
const range = (...limits: object[]) => object({ limits });
const pluginWith = (dialect = kubernetes, ...limitranges: ApiObject[]) =>
  limitRanger({ dialect, objects: lookupOf({ limitranges }) });
const container = (requests?: object, limits?: object, name = 'c') => ({
  name,
  resources: { ...(limits && { limits }), ...(requests && { requests }) },
});

describe('defaults', () => {
  const defaults = { type: 'Container', default: { cpu: '1', memory: '1Gi' }, defaultRequest: { cpu: '500m' } };

  test('fill what containers leave out, and say so', () => {
    const sent = object({
      containers: [container({ cpu: '2' })],
      initContainers: [container(undefined, undefined, 'i')],
    });
    const made = pluginWith(kubernetes, range(defaults)).mutate?.(requestFor({ definition: pods, object: sent }));
    expect(made).toMatchObject({
      metadata: {
        annotations: {
          'kubernetes.io/limit-ranger':
            'LimitRanger plugin set: cpu, memory limit for container c; cpu request for init container i; cpu, memory limit for init container i',
        },
      },
      spec: {
        containers: [{ resources: { requests: { cpu: '2' }, limits: { cpu: '1', memory: '1Gi' } } }],
        initContainers: [{ resources: { requests: { cpu: '500m' }, limits: { cpu: '1', memory: '1Gi' } } }],
      },
    });
  });

  test('leave alone what says everything, and pods that only change', () => {
    const whole = object({ containers: [container({ cpu: '1' }, { cpu: '1', memory: '1Gi' })] });
    const plugin = pluginWith(kubernetes, range(defaults));
    expect(plugin.mutate?.(requestFor({ definition: pods, object: whole }))).toBe(whole);
    const bare = object({ containers: [container()] });
    expect(plugin.mutate?.(requestFor({ definition: pods, operation: 'UPDATE', object: bare, oldObject: bare }))).toBe(
      bare,
    );
  });

  test.each([
    [cluster(), 'default', { cpu: '100m' }],
    [cluster(), 'n', undefined],
    [kubernetes, 'default', undefined],
  ])('where there are no limits depend on the dialect (%#)', (dialect, namespace, requests) => {
    const sent = object({ containers: [container()] }, namespace);
    const made = pluginWith(dialect).mutate?.(requestFor({ definition: pods, object: sent })) as ApiObject;
    const [first] = (made['spec'] as { containers: { resources: { requests?: object } }[] }).containers;
    expect(first?.resources.requests).toEqual(requests);
  });
});

test.each([
  [{ min: { cpu: '1' } }, container(), 'minimum cpu usage per Container is 1.  No request is specified'],
  [{ min: { cpu: '1' } }, container({ cpu: '500m' }), 'minimum cpu usage per Container is 1, but request is 500m'],
  [
    { min: { cpu: '1' } },
    container({ cpu: '1' }, { cpu: '0' }),
    'minimum cpu usage per Container is 1, but limit is 0',
  ],
  [{ max: { cpu: '1' } }, container({ cpu: '1' }), 'maximum cpu usage per Container is 1.  No limit is specified'],
  [{ max: { cpu: '1' } }, container({}, { cpu: '2' }), 'maximum cpu usage per Container is 1, but limit is 2'],
  [
    { max: { cpu: '1' } },
    container({ cpu: '2' }, { cpu: '1' }),
    'maximum cpu usage per Container is 1, but request is 2',
  ],
  [
    { maxLimitRequestRatio: { cpu: '2' } },
    container({}, { cpu: '2' }),
    'cpu max limit to request ratio per Container is 2, but no request is specified or request is 0',
  ],
  [
    { maxLimitRequestRatio: { cpu: '2' } },
    container({ cpu: '1' }, { cpu: '2500m' }),
    'cpu max limit to request ratio per Container is 2, but provided ratio is 2.500000',
  ],
  [
    { max: { cpu: '1', memory: '1Gi' } },
    container({}, { cpu: '2', memory: '2Gi' }),
    '[maximum cpu usage per Container is 1, but limit is 2, maximum memory usage per Container is 1Gi, but limit is 2Gi]',
  ],
])('limits %j hold for containers', (limits, one, why) => {
  const plugin = pluginWith(kubernetes, range({ type: 'Container', ...limits }));
  const validate = (spec: object) => () => plugin.validate?.(requestFor({ definition: pods, object: object(spec) }));
  expect(validate({ containers: [one] })).toThrow(`pods "x" is forbidden: ${why}`);
});

test('limits for pods hold for what their containers need together', () => {
  const plugin = pluginWith(kubernetes, range({ type: 'Pod', max: { cpu: '3' } }));
  const validate = (...cpu: string[]) => {
    const containers = cpu.map((amount) => container({ cpu: amount }, { cpu: amount }));
    return () => plugin.validate?.(requestFor({ definition: pods, object: object({ containers }) }));
  };
  expect(validate('1', '2')).not.toThrow();
  expect(validate('2', '1500m')).toThrow('maximum cpu usage per Pod is 3, but limit is 3500m');
});

test('limits for claims hold for their size, when they change too', () => {
  const plugin = pluginWith(
    kubernetes,
    range({ type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '2Gi' } }),
  );
  const validate = (storage: string) => () => {
    const claim = object({ resources: { requests: { storage } } });
    return plugin.validate?.(requestFor({ definition: claims, operation: 'UPDATE', object: claim, oldObject: claim }));
  };
  expect(validate('1Gi')).not.toThrow();
  expect(validate('1Mi')).toThrow('minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi');
  expect(validate('3Gi')).toThrow('maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi');
});
