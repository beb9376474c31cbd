// Keys of labels, annotations and taints that the scheduler and the nodes use, in the words of the dialect.

import { type DialectNames, labelKey, nodeTaint, partKey } from '../meta/dialect.ts';

export interface SimulationKeys {
  readonly hostname: string;
  readonly os: string;
  readonly architecture: string;
  readonly zone: string;
  readonly region: string;
  /** The taint of nodes that take no new pods. */
  readonly unschedulable: string;
  /** A claim and its volume both know of each other. */
  readonly bindCompleted: string;
  /** The node that a claim is to be provisioned for. */
  readonly selectedNode: string;
  /** The provisioner of classes whose volumes are made by hand. */
  readonly noProvisioner: string;
}

export const simulationKeys = (dialect: DialectNames): SimulationKeys => ({
  hostname: labelKey(dialect, 'hostname'),
  os: labelKey(dialect, 'os'),
  architecture: labelKey(dialect, 'arch'),
  zone: partKey(dialect, 'topology', 'zone'),
  region: partKey(dialect, 'topology', 'region'),
  unschedulable: nodeTaint(dialect, 'unschedulable'),
  bindCompleted: partKey(dialect, 'pv', 'bind-completed'),
  selectedNode: partKey(dialect, 'volume', 'selected-node'),
  noProvisioner: labelKey(dialect, 'no-provisioner'),
});
