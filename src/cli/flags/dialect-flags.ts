// The flags by which commands other than `serve` learn which dialect a manifest, or a running server, speaks.

import { oneOf, text } from '../../config/value-types.ts';
import { cluster, type Dialect, kubernetes } from '../../meta/dialect.ts';
import { UsageError } from '../usage-error.ts';

const nameFlags = {
  apiDomain: { name: 'api-domain', type: text, help: 'Domain of the API groups, in the cluster dialect.' },
  labelDomain: { name: 'label-domain', type: text, help: 'Domain of reserved labels, in the cluster dialect.' },
  systemNamespace: { name: 'system-namespace', type: text, help: 'The system namespace, in the cluster dialect.' },
};

export const dialectFlags = {
  dialect: {
    name: 'dialect',
    type: oneOf('kubernetes', 'cluster'),
    help: 'Names and rules that count: those of Kubernetes, or those of the specification (default kubernetes).',
  },
  ...nameFlags,
};

type Given = Readonly<{ [K in keyof typeof dialectFlags]?: string }>;

/** Throws a UsageError where names are given to a dialect that takes none. */
export function chosenDialect(given: Given): Dialect {
  const names = Object.fromEntries(
    Object.keys(nameFlags).flatMap((key) => {
      const value = given[key as keyof typeof nameFlags];
      return value === undefined ? [] : [[key, value]];
    }),
  );
  if (given.dialect === 'cluster') return cluster(names);
  const [first] = Object.keys(names) as (keyof typeof nameFlags)[];
  if (first !== undefined) throw new UsageError(`--${nameFlags[first].name}: only --dialect=cluster takes names`);
  return kubernetes;
}
