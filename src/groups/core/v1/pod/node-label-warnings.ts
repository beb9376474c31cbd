// Labels of nodes that have other names by now, wherever nodes are chosen by them.

import { memoized } from '../../../../base/memoized.ts';
import type { Dialect } from '../../../../meta/dialect.ts';
import { checkLabelValue } from '../../../../meta/names.ts';
import { type Warnings, warnEach } from '../../../../meta/warn-each.ts';
import type { Infer } from '../../../../schema/types.ts';
import type { LabelSelector } from '../../../meta/v1/label-selector.ts';
import type { nodeSelectorTerm } from '../selectors.ts';

type Term = Infer<typeof nodeSelectorTerm>;

const deprecatedLabels = memoized((dialect: Dialect): ReadonlyMap<string, string> => makeLabels(dialect.labelDomain));

/** Parts before the domain, old and new, the name, and since when. */
const renamedLabels = [
  { was: 'beta.', is: '', name: 'arch', since: 14 },
  { was: 'beta.', is: '', name: 'os', since: 14 },
  { was: 'failure-domain.beta.', is: 'topology.', name: 'region', since: 17 },
  { was: 'failure-domain.beta.', is: 'topology.', name: 'zone', since: 17 },
  { was: 'beta.', is: 'node.', name: 'instance-type', since: 17 },
] as const;

/** The name by which a label of nodes goes today; undefined for one that kept its name. */
export function newerNodeLabel(key: string, { labelDomain: domain }: Dialect): string | undefined {
  const found = renamedLabels.find(({ was, name }) => key === `${was}${domain}/${name}`);
  return found && `${found.is}${domain}/${found.name}`;
}

function makeLabels(domain: string): ReadonlyMap<string, string> {
  return new Map([
    ...renamedLabels.map(({ was, is, name, since }): [string, string] => [
      `${was}${domain}/${name}`,
      `deprecated since v1.${since}; use "${is}${domain}/${name}" instead`,
    ]),
    [`app.${domain}/created-by`, 'deprecated since v1.9'],
    [`scheduler.alpha.${domain}/preferAvoidPods`, 'deprecated since v1.22; use Taints and Tolerations instead'],
    [`node-role.${domain}/master`, `use "node-role.${domain}/control-plane" instead`],
  ]);
}

/** What is to be said about a label by which nodes are chosen; undefined when that is nothing. */
export const deprecatedNodeLabel = (dialect: Dialect, key: string): string | undefined =>
  deprecatedLabels(dialect).get(key);

/** Labels as the keys of a map; `place` says where one of them is. */
export function labelWarnings(
  labels: Readonly<Record<string, string>> | undefined,
  dialect: Dialect,
  place: (key: string) => string,
): Warnings {
  return warnEach(Object.keys(labels ?? {}), (key) => {
    const advice = deprecatedNodeLabel(dialect, key);
    return advice === undefined ? [] : [`${place(key)}: ${advice}`];
  });
}

/** A label that stands alone, as topology keys do. */
export function topologyKeyWarnings(key: string, dialect: Dialect, at: string): readonly string[] {
  const advice = deprecatedNodeLabel(dialect, key);
  return advice === undefined ? [] : [`${at}: ${key} is ${advice}`];
}

/** `valuesToo`: values are not validated there, and ones that no node can have are worth a word. */
export function nodeTermWarnings(
  { matchExpressions = [] }: Term,
  dialect: Dialect,
  at: string,
  { valuesToo = false } = {},
): Warnings {
  return warnEach(matchExpressions, ({ key = '', values = [] }, index) => {
    const place = `${at}.matchExpressions[${index}]`;
    return [
      ...topologyKeyWarnings(key, dialect, `${place}.key`),
      ...(valuesToo ? warnEach(values, (value, v) => valueWarnings(value, `${place}.values[${v}]`)) : []),
    ];
  });
}

const valueWarnings = (value: string, at: string) =>
  checkLabelValue(value).map((problem) => `${at}: ${value} is invalid, ${problem}`);

/** Nodes chosen as objects are chosen elsewhere, by a label selector. */
export function nodeSelectorWarnings(selector: LabelSelector, dialect: Dialect, at: string): Warnings {
  const { matchExpressions = [], matchLabels } = selector;
  return [
    ...warnEach(matchExpressions, ({ key = '' }, index) =>
      topologyKeyWarnings(key, dialect, `${at}.matchExpressions[${index}].key`),
    ),
    ...labelWarnings(matchLabels, dialect, (key) => `${at}.matchLabels.${key}`),
  ];
}
