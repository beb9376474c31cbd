// The rights of controllers, each with its own role and account.

import { apiserverWord, builtInSigners, nodeAgent } from '../../../meta/dialect.ts';
import { type ControllerRules, controllerPrefix, type RoleSpec, read, type Words } from './words.ts';
import { workloadControllers } from './workload-controllers.ts';

export function controllerRoles(w: Words): readonly RoleSpec[] {
  const all: ControllerRules = {
    ...workloadControllers(w),
    ...networkControllers(w),
    ...volumeControllers(w),
    ...clusterControllers(w),
  };
  return Object.entries(all).map(([name, rules]) => ({ name: controllerPrefix + name, rules }));
}

function networkControllers(w: Words): ControllerRules {
  const slices = `${read} create update delete`;
  return {
    'endpoint-controller': [
      w.rule(read, 'core', 'services pods'),
      w.rule(slices, 'core', 'endpoints'),
      w.rule('create', 'core', 'endpoints/restricted'),
      w.events,
    ],
    'endpointslice-controller': [
      w.rule(read, 'core', 'services pods nodes'),
      w.rule('update', 'core', 'services/finalizers'),
      w.rule(slices, 'discovery', 'endpointslices'),
      w.events,
    ],
    'endpointslicemirroring-controller': [
      w.rule(read, 'core', 'services endpoints'),
      w.rule('update', 'core', 'services/finalizers'),
      w.rule('update', 'core', 'endpoints/finalizers'),
      w.rule(slices, 'discovery', 'endpointslices'),
      w.events,
    ],
    'route-controller': [w.rule('list watch', 'core', 'nodes'), w.rule('patch', 'core', 'nodes/status'), w.events],
    'service-controller': [
      w.rule(read, 'core', 'services'),
      w.rule('patch update', 'core', 'services/status'),
      w.rule('list watch', 'core', 'nodes'),
      w.events,
    ],
    'service-cidrs-controller': [
      w.rule(`${read} patch update`, 'networking', 'servicecidrs'),
      w.rule('patch update', 'networking', 'servicecidrs/finalizers'),
      w.rule('patch update', 'networking', 'servicecidrs/status'),
      w.rule(read, 'networking', 'ipaddresses'),
      w.events,
    ],
  };
}

function volumeControllers(w: Words): ControllerRules {
  return {
    'attachdetach-controller': [
      w.rule('list watch', 'core', 'persistentvolumes persistentvolumeclaims'),
      w.rule(read, 'core', 'nodes'),
      w.rule('patch update', 'core', 'nodes/status'),
      w.rule('list watch', 'core', 'pods'),
      w.events,
      w.rule(`${read} create delete`, 'storage', 'volumeattachments'),
      w.rule(read, 'storage', 'csidrivers'),
      w.rule(read, 'storage', 'csinodes'),
    ],
    'expand-controller': [
      w.rule(`${read} update patch`, 'core', 'persistentvolumes'),
      w.rule('update patch', 'core', 'persistentvolumeclaims/status'),
      w.rule(read, 'core', 'persistentvolumeclaims'),
      w.events,
    ],
    'ephemeral-volume-controller': [
      w.rule(read, 'core', 'pods'),
      w.rule('update', 'core', 'pods/finalizers'),
      w.rule(`${read} create`, 'core', 'persistentvolumeclaims'),
      w.events,
    ],
    'persistent-volume-binder': [
      w.rule(`${read} update create delete`, 'core', 'persistentvolumes'),
      w.rule('update', 'core', 'persistentvolumes/status'),
      w.rule(`${read} update`, 'core', 'persistentvolumeclaims'),
      w.rule('update', 'core', 'persistentvolumeclaims/status'),
      w.rule(`${read} create delete`, 'core', 'pods'),
      w.rule(read, 'storage', 'storageclasses'),
      w.rule('list watch', 'core', 'nodes'),
      w.events,
      w.rule('watch', 'core', 'events'),
    ],
    'pvc-protection-controller': [
      w.rule(`${read} update`, 'core', 'persistentvolumeclaims'),
      w.rule('update', 'core', 'persistentvolumeclaims/status'),
      w.rule(read, 'core', 'pods'),
      w.events,
    ],
    'pv-protection-controller': [w.rule(`${read} update`, 'core', 'persistentvolumes'), w.events],
    'volumeattributesclass-protection-controller': [
      w.rule(read, 'core', 'persistentvolumeclaims'),
      w.rule(read, 'core', 'persistentvolumes'),
      w.rule(`${read} update`, 'storage', 'volumeattributesclasses'),
      w.events,
    ],
    'selinux-warning-controller': [
      w.events,
      w.rule(read, 'core', 'persistentvolumes'),
      w.rule(read, 'core', 'persistentvolumeclaims'),
      w.rule(read, 'core', 'pods'),
      w.rule(read, 'storage', 'csidrivers'),
    ],
  };
}

function clusterControllers(w: Words): ControllerRules {
  const client = `${apiserverWord(w.dialect)}-client`;
  const agent = nodeAgent(w.dialect);
  const signers = builtInSigners(w.dialect);
  return {
    'clusterrole-aggregation-controller': [
      w.rule(`escalate ${read} update patch`, 'rbac.authorization', 'clusterroles'),
    ],
    'generic-garbage-collector': [w.rule(`${read} patch update delete`, '*', '*'), w.events],
    'namespace-controller': [
      w.rule(`${read} delete`, 'core', 'namespaces'),
      w.rule('update', 'core', 'namespaces/finalize namespaces/status'),
      w.rule(`${read} delete deletecollection`, '*', '*'),
    ],
    'node-controller': [
      w.rule(`${read} update delete patch`, 'core', 'nodes'),
      w.rule('patch update', 'core', 'nodes/status'),
      w.rule('patch update', 'core', 'pods/status'),
      w.rule(`${read} delete`, 'core', 'pods'),
      w.events,
    ],
    'resourcequota-controller': [
      w.rule('list watch', '*', '*'),
      w.rule('update', 'core', 'resourcequotas/status'),
      w.events,
    ],
    'service-account-controller': [w.rule('create', 'core', 'serviceaccounts'), w.events],
    'ttl-controller': [w.rule('update patch list watch', 'core', 'nodes'), w.events],
    'certificate-controller': [
      w.rule(`${read} delete`, 'certificates', 'certificatesigningrequests'),
      w.rule('update', 'certificates', 'certificatesigningrequests/status certificatesigningrequests/approval'),
      w.rule('approve', 'certificates', 'signers', w.signer(`${client}-${agent}`)),
      w.rule('sign', 'certificates', 'signers', signers.join(' ')),
      w.rule('create', 'authorization', 'subjectaccessreviews'),
      w.events,
    ],
    'root-ca-cert-publisher': [w.rule('create update', 'core', 'configmaps'), w.events],
    'validatingadmissionpolicy-status-controller': [
      w.rule(read, 'admissionregistration', 'validatingadmissionpolicies'),
      w.rule('get patch update', 'admissionregistration', 'validatingadmissionpolicies/status'),
      w.events,
    ],
    'legacy-service-account-token-cleaner': [
      w.rule('get', 'core', 'configmaps', `${apiserverWord(w.dialect)}-legacy-service-account-token-tracking`),
      w.rule('patch delete', 'core', 'secrets'),
    ],
  };
}
