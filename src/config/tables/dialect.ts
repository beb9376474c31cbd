// Options of names and behaviour on the wire.

import type { Dialect, DialectNames } from '../../meta/dialect.ts';
import { option } from '../option.ts';
import { object, oneOf, orObject, text } from '../value-types.ts';

export const dialectOptions = {
  dialect: option({
    type: orObject<'kubernetes' | 'cluster', Dialect>(
      oneOf('kubernetes', 'cluster'),
      object('Dialect', '../meta/dialect.ts'),
    ),
    flag: 'dialect',
    default: 'kubernetes',
    help: 'Names and behaviour on the wire: those of Kubernetes, or those of the specification.',
    note: 'A program may give its own dialect.',
  }),
  dialectNames: option({
    type: object<Partial<DialectNames>>('Partial<DialectNames>', '../meta/dialect.ts'),
    help: 'Names for the cluster dialect.',
  }),
};

/** The members of `dialectNames`. */
export const dialectNameOptions = {
  apiDomain: option({ type: text, flag: 'api-domain', help: 'Domain of the API groups, in the cluster dialect.' }),
  labelDomain: option({ type: text, flag: 'label-domain', help: 'Domain of reserved labels, in the cluster dialect.' }),
  systemNamespace: option({
    type: text,
    flag: 'system-namespace',
    help: 'The system namespace, in the cluster dialect.',
  }),
  publicNamespace: option({
    type: text,
    flag: 'public-namespace',
    help: 'The public namespace, in the cluster dialect.',
  }),
};
