// The flags of `keelson serve`: one table that parses them, documents them and maps them onto server options.

import type { DialectNames } from '../meta/dialect.ts';
import { admissionFlags } from './admission-flags.ts';
import { aggregationFlags } from './aggregation-flags.ts';
import { apiFlags } from './api-flags.ts';
import { auditFlags } from './audit-flags.ts';
import { authenticationFlags } from './authentication-flags.ts';
import { authorizationFlags } from './authorization-flags.ts';
import { controllerFlags } from './controller-flags.ts';
import { type Flag, flag, inGroup, type Ungrouped } from './flag.ts';
import { oneOf, text, yesOrNo } from './flag-values.ts';
import { idleFlags } from './idle-flags.ts';
import { observationFlags } from './observation-flags.ts';
import { servingFlags } from './serving-flags.ts';
import { signingFlags } from './signing-flags.ts';
import { storageFlags } from './storage-flags.ts';
import { versionFlags } from './version-flags.ts';

/** A flag that sets one of the dialect's names. */
function nameFlag(name: string, option: keyof DialectNames, help: string): Ungrouped {
  return {
    name,
    option,
    help,
    placeholder: text.placeholder,
    defaultText: '',
    set(options, value) {
      options.dialectNames = { ...options.dialectNames, [option]: text.parse(value) };
    },
  };
}

const dialect = inGroup('Dialect', [
  flag({
    name: 'dialect',
    option: 'dialect',
    type: oneOf('kubernetes', 'cluster'),
    default: 'kubernetes',
    help: 'Names and behaviour on the wire: those of Kubernetes, or those of the specification.',
  }),
  nameFlag('api-domain', 'apiDomain', 'Domain of the API groups, in the cluster dialect.'),
  nameFlag('label-domain', 'labelDomain', 'Domain of reserved labels, in the cluster dialect.'),
  nameFlag('system-namespace', 'systemNamespace', 'The system namespace, in the cluster dialect.'),
  nameFlag('public-namespace', 'publicNamespace', 'The public namespace, in the cluster dialect.'),
]);

const runtime = inGroup('Runtime', [
  flag({
    name: 'plain-runtime',
    option: 'plainRuntime',
    type: yesOrNo,
    default: 'false',
    help: 'Whether to rely on documented behaviour of Node and V8 only, which is slower; as KEELSON_PLAIN_RUNTIME=1 does.',
  }),
]);

export const serveFlags: readonly Flag[] = [
  ...storageFlags,
  ...servingFlags,
  ...apiFlags,
  ...controllerFlags,
  ...versionFlags,
  ...authenticationFlags,
  ...authorizationFlags,
  ...admissionFlags,
  ...aggregationFlags,
  ...auditFlags,
  ...signingFlags,
  ...dialect,
  ...observationFlags,
  ...runtime,
  ...idleFlags,
];
