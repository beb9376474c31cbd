// Ingress: routes outside HTTP and HTTPS traffic to Services by host and path.

import { type Dialect, labelKey } from '../../../meta/dialect.ts';
import { checkSubdomain } from '../../../meta/names.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn, textColumn } from '../../columns.ts';
import { statusOnly } from '../../subresources.ts';
import { validateIngress, validateIngressCreate, validateIngressStatus } from './ingress-rules.ts';
import { type Ingress, ingressType } from './ingress-type.ts';

const mostHosts = 3;

/** The first three hosts, and how many more there are: rules without a host count among those that are not shown. */
function hosts({ spec }: Ingress): string {
  const rules = spec?.rules ?? [];
  const named = rules.flatMap(({ host = '' }, index) => (host === '' ? [] : [{ host, index }])).slice(0, mostHosts);
  if (named.length === 0) return '*';
  const shown = named.map(({ host }) => host).join(',');
  const last = named[mostHosts - 1]?.index ?? rules.length;
  return rules.length > last + 1 ? `${shown} + ${rules.length - mostHosts} more...` : shown;
}

function addresses({ status }: Ingress): string {
  const reached = (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || '');
  return [...new Set(reached.filter((one) => one !== ''))].sort().join(',');
}

function classWarnings({ metadata, spec }: Ingress, dialect: Dialect): readonly string[] {
  const key = labelKey(dialect, 'ingress.class');
  if (spec?.ingressClassName !== undefined || !Object.hasOwn(metadata.annotations ?? {}, key)) return [];
  return [`annotation ${JSON.stringify(key)} is deprecated, please use 'spec.ingressClassName' instead`];
}

export const ingress = defineKind(ingressType, {
  kind: 'Ingress',
  plural: 'ingresses',
  namespaced: true,
  shortNames: ['ing'],
  verbs: allVerbs,
  storagePrefix: 'ingress',
  checkName: checkSubdomain,
  generationIgnores: ['status'],
  columns: [
    nameColumn,
    textColumn<Ingress>('Class', 'The class that handles it.', ({ spec }) => spec?.ingressClassName ?? '<none>'),
    textColumn<Ingress>('Hosts', 'Hosts that requests are matched against.', hosts),
    textColumn<Ingress>('Address', 'Where it can be reached.', addresses),
    textColumn<Ingress>('Ports', 'Ports that are open.', ({ spec }) =>
      (spec?.tls ?? []).length > 0 ? '80, 443' : '80',
    ),
    ageColumn,
  ],
  subresources: [{ ...statusOnly, validateUpdate: (next) => validateIngressStatus(next) }],
  strategy: {
    validate: validateIngress,
    validateCreate: (object, { dialect }) => validateIngressCreate(object, dialect),
    warnings: (next, old, { dialect }) => (old === undefined ? classWarnings(next, dialect) : []),
  },
});
