// Labels that a node may give itself: what it knows best, and nothing that others rely on to keep it away.

import { type Dialect, nodeAgent } from '../../../meta/dialect.ts';
import type { Labels } from '../../../meta/object.ts';

/** Labels that differ and that a node may not touch, in order. */
export function forbiddenLabels(next: Labels = {}, old: Labels = {}, dialect: Dialect): readonly string[] {
  const changed = [...new Set([...Object.keys(next), ...Object.keys(old)])].filter((key) => next[key] !== old[key]);
  return changed.filter((key) => isForbidden(key, dialect)).sort();
}

const isWithin = (domain: string, parent: string) => domain === parent || domain.endsWith(`.${parent}`);

function isForbidden(label: string, dialect: Dialect): boolean {
  const { labelDomain, apiDomain } = dialect;
  const domain = label.includes('/') ? label.slice(0, label.indexOf('/')) : '';
  if (isWithin(domain, `node-restriction.${labelDomain}`)) return true;
  const isReserved = [labelDomain, apiDomain].some((parent) => isWithin(domain, parent));
  return isReserved && !isOwn(label, domain, dialect);
}

/** What a node agent says of its machine, by rule of the dialect; the domain comes before the slash. */
const ownLabels = {
  asUsed: ['/hostname', '/os', '/arch', 'beta./os', 'beta./arch', 'beta./instance-type'],
  asListed: ['hostname', 'os', 'arch', 'instance-type'].flatMap((name) => [`/${name}`, `beta./${name}`]),
} as const;

function isOwn(label: string, domain: string, dialect: Dialect): boolean {
  const { labelDomain } = dialect;
  if ([nodeAgent(dialect), 'node'].some((prefix) => isWithin(domain, `${prefix}.${labelDomain}`))) return true;
  const known = [
    ...ownLabels[dialect.rules.agentLabels].map((name) => name.replace('/', `${labelDomain}/`)),
    ...['topology', 'failure-domain.beta'].flatMap((prefix) =>
      ['zone', 'region'].map((name) => `${prefix}.${labelDomain}/${name}`),
    ),
  ];
  return known.includes(label);
}
