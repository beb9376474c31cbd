// The table form of nodes.

import { type Dialect, labelKey } from '../../../../meta/dialect.ts';
import type { Labels } from '../../../../meta/object.ts';
import type { Column } from '../../../../schema/column.ts';
import { nameColumn } from '../../../../schema/columns.ts';
import { ageColumn } from '../../../columns.ts';
import type { Node } from './node-type.ts';

function statusOf({ spec, status }: Node): string {
  const ready = (status?.conditions ?? []).find(({ type }) => type === 'Ready');
  const word = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return spec?.unschedulable ? `${word},SchedulingDisabled` : word;
}

/** Roles are written as label keys, one a role, or as the value of a single label. */
function rolesOf(labels: Labels, dialect: Dialect): string {
  const prefix = `node-role.${dialect.labelDomain}/`;
  const single = labelKey(dialect, 'role');
  const roles = Object.entries(labels).flatMap(([key, value]) => {
    if (key.startsWith(prefix)) return key.length > prefix.length ? [key.slice(prefix.length)] : [];
    return key === single && value !== '' ? [value] : [];
  });
  return roles.length === 0 ? '<none>' : [...new Set(roles)].sort().join(',');
}

const addressOf = ({ status }: Node, wanted: string) =>
  (status?.addresses ?? []).find(({ type }) => type === wanted)?.address || '<none>';

const column = (
  name: string,
  about: string,
  priority: 0 | 1,
  cell: (node: Node, dialect: Dialect) => string | undefined,
): Column<Node> => ({
  name,
  type: 'string',
  about,
  priority,
  cell: (object, { dialect }) => cell(object, dialect) ?? '',
});

const info =
  (read: (node: NonNullable<NonNullable<Node['status']>['nodeInfo']>) => string | undefined) => (node: Node) =>
    read(node.status?.nodeInfo ?? {}) || '<unknown>';

const withArchitecture = (version = '', architecture = '') =>
  `${version || '<unknown>'}${architecture === '' ? '' : ` (${architecture})`}`;

export const nodeColumns: readonly Column<Node>[] = [
  nameColumn,
  column('Status', 'Whether the node is ready, and takes pods.', 0, statusOf),
  column('Roles', 'What the node is for.', 0, ({ metadata }, dialect) => rolesOf(metadata.labels ?? {}, dialect)),
  ageColumn,
  column('Version', 'Version of the node agent.', 0, ({ status }) => status?.nodeInfo?.kubeletVersion),
  column('Internal-IP', 'Address inside the cluster.', 1, (node) => addressOf(node, 'InternalIP')),
  column('External-IP', 'Address for the outside.', 1, (node) => addressOf(node, 'ExternalIP')),
  column(
    'OS-Image',
    'Operating system.',
    1,
    info(({ osImage }) => osImage),
  ),
  column(
    'Kernel-Version',
    'Version of the kernel.',
    1,
    info(({ kernelVersion, architecture }) => withArchitecture(kernelVersion, architecture)),
  ),
  column(
    'Container-Runtime',
    'Container runtime and its version.',
    1,
    info(({ containerRuntimeVersion: v }) => v),
  ),
];
