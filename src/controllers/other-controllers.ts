// Controllers that clusters have and this server does not, old and new names: a command line may switch them off.

export const otherControllers: ReadonlySet<string> = new Set([
  ...['attachdetach', 'persistentvolume-attach-detach-controller'],
  ...['cloud-node-lifecycle', 'cloud-node-lifecycle-controller'],
  'device-taint-eviction-controller',
  ...['endpointslicemirroring', 'endpointslice-mirroring-controller'],
  ...['ephemeral-volume', 'ephemeral-volume-controller'],
  ...['legacy-service-account-token-cleaner', 'legacy-serviceaccount-token-cleaner-controller'],
  ...['nodeipam', 'node-ipam-controller'],
  ...['persistentvolume-expander', 'persistentvolume-expander-controller'],
  ...['resource-claim-controller', 'resourceclaim-controller'],
  ...['route', 'node-route-controller'],
  'selinux-warning-controller',
  ...['storage-version-gc', 'storageversion-garbage-collector-controller'],
  ...['ttl', 'ttl-controller'],
]);
