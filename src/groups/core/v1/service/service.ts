// Service: a stable name and address for a set of pods or for an external host.

import { checkLabelName } from '../../../../meta/names.ts';
import { nameColumn } from '../../../../schema/columns.ts';
import { defineKind } from '../../../../schema/define-kind.ts';
import { allVerbs } from '../../../../schema/verbs.ts';
import { ageColumn, formatLabels, textColumn } from '../../../columns.ts';
import { statusOnly } from '../../../subresources.ts';
import { serviceAllocator } from './service-allocator.ts';
import { serviceProxy } from './service-connect.ts';
import { defaultService } from './service-defaults.ts';
import { validateService, validateServiceStatus, validateServiceUpdate } from './service-rules.ts';
import { type Service, serviceType } from './service-type.ts';
import { serviceStatusWarnings, serviceWarnings } from './service-warnings.ts';

/** Where clients outside the cluster reach the service. */
function externalAddress({ spec = {}, status = {} }: Service): string {
  const { type, externalIPs = [], externalName = '' } = spec;
  if (type === undefined) return '<unknown>';
  if (type === 'ExternalName') return externalName;
  if (type !== 'LoadBalancer') return externalIPs.join(',') || '<none>';
  const ingress = status.loadBalancer?.ingress ?? [];
  const balancers = new Set(ingress.map(({ ip, hostname }) => ip || hostname || '').filter(Boolean));
  return [...[...balancers].sort(), ...externalIPs].join(',') || '<pending>';
}

function portList({ spec = {} }: Service): string {
  const texts = (spec.ports ?? []).map(({ port, nodePort, protocol }) =>
    nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
  );
  return texts.join(',') || '<none>';
}

export const service = defineKind(serviceType, {
  kind: 'Service',
  plural: 'services',
  namespaced: true,
  shortNames: ['svc'],
  categories: ['all'],
  verbs: allVerbs,
  storagePrefix: 'services/specs',
  checkName: checkLabelName,
  quirks: { returnsDeleted: true, createOnUpdate: true },
  selectableFields: {
    'spec.clusterIP': (object) => object.spec?.clusterIP ?? '',
    'spec.type': (object) => object.spec?.type ?? '',
  },
  columns: [
    nameColumn,
    textColumn<Service>('Type', 'How the service is exposed.', ({ spec }) => spec?.type ?? ''),
    textColumn<Service>('Cluster-IP', 'Its address in the cluster.', ({ spec }) => spec?.clusterIPs?.[0] ?? '<none>'),
    textColumn<Service>('External-IP', 'Its addresses outside the cluster.', externalAddress),
    textColumn<Service>('Port(s)', 'The ports it offers.', portList),
    ageColumn,
    textColumn<Service>('Selector', 'The pods behind it.', ({ spec }) => formatLabels(spec?.selector), 'wide'),
  ],
  subresources: [
    serviceProxy,
    {
      ...statusOnly,
      validateUpdate: validateServiceStatus,
      warnings: serviceStatusWarnings,
    },
  ],
  strategy: {
    updateChecks: { meta: 0 },
    defaults: defaultService,
    validateCreate: (object, { dialect }) => validateService(object, undefined, dialect),
    validateUpdate: (next, old, { dialect }) => validateServiceUpdate(next, old, dialect),
    warnings: (next, _, { dialect }) => serviceWarnings(next, dialect),
  },
  allocator: serviceAllocator,
});
