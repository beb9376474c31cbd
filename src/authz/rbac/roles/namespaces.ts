// Roles of single namespaces, and who has them.

import type { ApiObject } from '../../../meta/object.ts';
import { controllerPrefix, read, type Words } from './words.ts';

export interface NamespaceRoles {
  readonly roles: readonly ApiObject[];
  readonly roleBindings: readonly ApiObject[];
}

export function namespaceRoles(w: Words): NamespaceRoles {
  const { systemNamespace: system, publicNamespace: open } = w.dialect;
  const signer = `${controllerPrefix}bootstrap-signer`;
  const reader = 'extension-apiserver-authentication-reader';
  const manager = w.component('controller-manager');
  const scheduler = w.component('scheduler');
  const lock = (component: string) => `system::leader-locking-${component}`;
  const locking = [
    w.rule(`${read} create update`, 'coordination', 'leases'),
    w.rule(`${read} create update`, 'coordination', 'leasecandidates'),
  ];
  return {
    roles: [
      w.role(system, reader, [w.rule(read, 'core', 'configmaps', 'extension-apiserver-authentication')]),
      w.role(system, signer, [w.rule(read, 'core', 'secrets')]),
      w.role(system, `${controllerPrefix}cloud-provider`, [w.rule(`create ${read}`, 'core', 'configmaps')]),
      w.role(system, `${controllerPrefix}token-cleaner`, [w.rule(`${read} delete`, 'core', 'secrets'), w.events]),
      w.role(system, lock(manager), locking),
      w.role(system, lock(scheduler), locking),
      w.role(open, signer, [
        w.rule(read, 'core', 'configmaps'),
        w.rule('update', 'core', 'configmaps', 'cluster-info'),
        w.events,
      ]),
    ],
    roleBindings: [
      w.roleBinding(system, reader, [w.user(`system:${manager}`), w.user(`system:${scheduler}`)], `system::${reader}`),
      w.roleBinding(system, lock(manager), [
        w.user(`system:${manager}`),
        w.account(manager),
        w.account('leader-election-controller'),
      ]),
      w.roleBinding(system, lock(scheduler), [w.user(`system:${scheduler}`), w.account(scheduler)]),
      w.roleBinding(system, signer, [w.account('bootstrap-signer')]),
      w.roleBinding(system, `${controllerPrefix}cloud-provider`, [w.account('cloud-provider')]),
      w.roleBinding(system, `${controllerPrefix}token-cleaner`, [w.account('token-cleaner')]),
      w.roleBinding(open, signer, [w.account('bootstrap-signer')]),
    ],
  };
}
