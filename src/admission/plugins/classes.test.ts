// Classes that claims, ingresses and pods get or name.

import { describe, expect, test } from 'vitest';
import { cluster, type Dialect, kubernetes } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { ResourceDefinition } from '../../schema/resource.ts';
import { lookupOf, requestFor } from '../testing.ts';
import { persistentVolumeClaimResize } from './claim-resize.ts';
import { defaultIngressClass, defaultStorageClass } from './default-classes.ts';
import { runtimeClass } from './runtime-class.ts';

const resource = (plural: string, group = '') => ({ plural, group }) as ResourceDefinition;
const object = (spec: object, metadata: object = {}, more: object = {}): ApiObject => ({
  ...{ kind: 'X', apiVersion: 'v1', metadata: { name: 'x', ...metadata }, spec },
  ...more,
});

describe('default classes', () => {
  const marked = (name: string, key: string, creationTimestamp: string) =>
    object({}, { name, creationTimestamp, annotations: { [key]: 'true' } });
  const storage = 'storageclass.kubernetes.io/is-default-class';
  const classes = [
    marked('old', storage, '2026-01-01T00:00:00Z'),
    marked('new-b', storage, '2026-01-02T00:00:00Z'),
    marked('new-a', 'storageclass.beta.kubernetes.io/is-default-class', '2026-01-02T00:00:00Z'),
    object({}, { name: 'plain' }),
  ];
  const admit = (claim: ApiObject, storageclasses = classes, dialect: Dialect = kubernetes) =>
    defaultStorageClass({ dialect, objects: lookupOf({ storageclasses }) }).mutate?.(
      requestFor({ definition: resource('persistentvolumeclaims'), object: claim }),
    ) as ApiObject;

  test('of several the newest counts, then the first by name', () => {
    expect(admit(object({}))['spec']).toEqual({ storageClassName: 'new-a' });
  });

  test('are for those who say nothing, in either way', () => {
    expect(admit(object({ storageClassName: '' }))['spec']).toEqual({ storageClassName: '' });
    const annotated = object({}, { annotations: { 'volume.beta.kubernetes.io/storage-class': 'x' } });
    expect(admit(annotated)).toBe(annotated);
    expect(admit(object({}), [])['spec']).toEqual({});
  });

  test('are refused in the cluster dialect where there are several', () => {
    const key = 'storageclass.cluster.local/is-default-class';
    const all = [marked('a', key, '2026-01-01T00:00:00Z'), marked('b', key, '2026-01-01T00:00:00Z')];
    expect(admit(object({}), all.slice(1), cluster())['spec']).toEqual({ storageClassName: 'b' });
    expect(() => admit(object({}), all, cluster())).toThrow('2 default StorageClasses were found');
    expect(() => admit(object({ storageClassName: 'a' }), all, cluster())).toThrow(
      '2 default StorageClasses were found',
    );
    expect(admit(object({ storageClassName: 'x' }), all.slice(1), cluster())['spec']).toEqual({
      storageClassName: 'x',
    });
  });

  test('that are two refuse all ingresses in the cluster dialect, and none elsewhere', () => {
    const create = (dialect: Dialect, ingress: ApiObject) => {
      const key = `ingressclass.${dialect.labelDomain}/is-default-class`;
      const ingressclasses = ['a', 'b'].map((name) => marked(name, key, '2026-01-01T00:00:00Z'));
      const plugin = defaultIngressClass({ dialect, objects: lookupOf({ ingressclasses }) });
      const definition = resource('ingresses', `networking.${dialect.apiDomain}`);
      return plugin.mutate?.(requestFor({ definition, object: ingress })) as ApiObject;
    };
    const named = object({ ingressClassName: 'c' });
    expect(create(kubernetes, named)).toBe(named);
    expect(create(kubernetes, object({}))['spec']).toEqual({ ingressClassName: 'a' });
    for (const one of [named, object({})])
      expect(() => create(cluster(), one)).toThrow('2 default IngressClasses were found');
  });

  test('exist for ingresses too', () => {
    const key = 'ingressclass.kubernetes.io/is-default-class';
    const ingressclasses = [marked('web', key, '2026-01-01T00:00:00Z')];
    const plugin = defaultIngressClass({ dialect: kubernetes, objects: lookupOf({ ingressclasses }) });
    const definition = resource('ingresses', 'networking.k8s.io');
    const made = (ingress: ApiObject) => plugin.mutate?.(requestFor({ definition, object: ingress })) as ApiObject;
    expect(made(object({}))['spec']).toEqual({ ingressClassName: 'web' });
    expect(made(object({}, { annotations: { 'kubernetes.io/ingress.class': 'x' } }))['spec']).toEqual({});
    expect(plugin.covers(definition, '', 'CREATE')).toBe(true);
    expect(plugin.covers(resource('ingresses', 'extensions'), '', 'CREATE')).toBe(true);
  });
});

describe('a claim grows', () => {
  const grow = (storageclass: object, phase = 'Bound', from = '1Gi', to = '2Gi') => {
    const storageclasses = [object({}, { name: 'fast' }, storageclass)];
    const claim = (storage: string) =>
      object({ storageClassName: 'fast', resources: { requests: { storage } } }, {}, { status: { phase } });
    const plugin = persistentVolumeClaimResize({ dialect: kubernetes, objects: lookupOf({ storageclasses }) });
    const definition = resource('persistentvolumeclaims');
    return () =>
      plugin.validate?.(requestFor({ definition, operation: 'UPDATE', object: claim(to), oldObject: claim(from) }));
  };

  test('where its class lets it', () => {
    expect(grow({ allowVolumeExpansion: true })).not.toThrow();
    expect(grow({})).toThrow('the storageclass that provisions the pvc must support resize');
    expect(grow({}, 'Bound', '2Gi', '2Gi')).not.toThrow();
  });

  test('once it is bound', () => {
    expect(grow({ allowVolumeExpansion: true }, 'Pending')).toThrow('Only bound persistent volume claims');
  });
});

describe('pods of a runtime class', () => {
  const runtimeclasses = [
    object({}, { name: 'vm' }, { overhead: { podFixed: { cpu: '250m' } } }),
    object(
      {},
      { name: 'gpu' },
      {
        scheduling: { nodeSelector: { kind: 'gpu' }, tolerations: [{ key: 'gpu', operator: 'Exists' }] },
      },
    ),
  ];
  const of = (dialect: Dialect) => runtimeClass({ dialect, objects: lookupOf({ runtimeclasses }) });
  const request = (spec: object) => requestFor({ definition: resource('pods'), object: object(spec) });
  const admit = (spec: object, dialect: Dialect = kubernetes) => {
    const made = of(dialect).mutate?.(request(spec)) as ApiObject | undefined;
    return made?.['spec'];
  };

  test('cost what it costs', () => {
    expect(admit({ runtimeClassName: 'vm' })).toEqual({ runtimeClassName: 'vm', overhead: { cpu: '250m' } });
    expect(admit({ runtimeClassName: 'vm', overhead: { cpu: '0.25' } })).toMatchObject({ overhead: { cpu: '250m' } });
    expect(() => admit({ runtimeClassName: 'vm', overhead: { cpu: '1' } })).toThrow("doesn't match RuntimeClass's");
    expect(() => of(kubernetes).validate?.(request({ overhead: { cpu: '1' } }))).toThrow(
      'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
    );
  });

  test('may not say what they cost in the cluster dialect', () => {
    expect(() => admit({ runtimeClassName: 'vm', overhead: { cpu: '250m' } }, cluster())).toThrow('must not be given');
  });

  test('go where it is', () => {
    const made = admit({ runtimeClassName: 'gpu', nodeSelector: { disk: 'ssd' } });
    expect(made).toMatchObject({
      nodeSelector: { disk: 'ssd', kind: 'gpu' },
      tolerations: [{ key: 'gpu', operator: 'Exists' }],
    });
    expect(() => admit({ runtimeClassName: 'gpu', nodeSelector: { kind: 'cpu' } })).toThrow(
      'conflict: runtimeClass.scheduling.nodeSelector[kind] = gpu; pod.spec.nodeSelector[kind] = cpu',
    );
  });

  test('tolerate what it tolerates, once, unless they tolerate more than any honest pod', () => {
    const named = (count: number) => Array.from({ length: count }, (_, i) => ({ key: `k${i}`, operator: 'Exists' }));
    const gpu = { key: 'gpu', operator: 'Exists' };
    const count = (tolerations: object[]) =>
      (admit({ runtimeClassName: 'gpu', tolerations }) as { tolerations: object[] }).tolerations.length;
    expect(count([...named(10), gpu])).toBe(11);
    expect(count([...named(30_000), gpu])).toBe(30_002);
  });

  test('need it', () => {
    expect(() => admit({ runtimeClassName: 'none' })).toThrow('pod rejected: RuntimeClass "none" not found');
    expect(() => admit({ runtimeClassName: '' })).toThrow(/^resource name may not be empty$/);
  });
});
