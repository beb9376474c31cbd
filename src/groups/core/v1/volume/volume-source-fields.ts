// Fields of the volume sources that both pods and persistent volumes have; they name Secrets in different ways.

import { bool, field, int32, listOf, mapOf, type SchemaType, string } from '../../../../schema/types.ts';

/** A GlusterFS volume. */
export function glusterfsFields() {
  return {
    endpoints: field(1, string, {
      always: true,
      required: true,
      about: 'Name of the Endpoints object listing the Gluster servers.',
    }),
    path: field(2, string, { always: true, required: true, about: 'Name of the Gluster volume.' }),
    readOnly: field(3, bool, { about: 'Mount without write access; false by default.' }),
  };
}

/** A disk reached over iSCSI. */
export function iscsiFields<S extends SchemaType>(secret: S) {
  return {
    targetPortal: field(1, string, {
      always: true,
      required: true,
      about: 'Address of the target, an IP or ip:port; port 3260 by default.',
    }),
    iqn: field(2, string, { always: true, required: true, about: 'Qualified name of the iSCSI target.' }),
    lun: field(3, int32, { always: true, required: true, about: 'Number of the logical unit on the target.' }),
    iscsiInterface: field(4, string, {
      default: 'default',
      about: 'Name of the initiator interface; "default", meaning TCP, if left out.',
    }),
    fsType: field(5, string, { about: 'File system to mount; ext4 by default.' }),
    readOnly: field(6, bool, { about: 'Attach without write access; false by default.' }),
    portals: field(7, listOf(string), {
      listType: 'atomic',
      about: 'Further target addresses for multipath, as an IP or ip:port.',
    }),
    chapAuthDiscovery: field(8, bool, { about: 'Use CHAP authentication during target discovery.' }),
    chapAuthSession: field(11, bool, { about: 'Use CHAP authentication for the session.' }),
    secretRef: field(10, secret, {
      pointer: true,
      about: 'Secret with the CHAP credentials.',
    }),
    initiatorName: field(12, string, {
      pointer: true,
      about: 'Own iSCSI initiator name to use in place of that of the node.',
    }),
  };
}

/** A volume handled by a FlexVolume driver. */
export function flexFields<S extends SchemaType>(secret: S) {
  return {
    driver: field(1, string, {
      always: true,
      required: true,
      about: 'Name of the FlexVolume driver, such as vendor/driver.',
    }),
    fsType: field(2, string, { about: 'File system to mount; the driver decides if left out.' }),
    secretRef: field(3, secret, {
      pointer: true,
      about: 'Secret passed to the driver.',
    }),
    readOnly: field(4, bool, { about: 'Mount without write access; false by default.' }),
    options: field(5, mapOf(string), { about: 'Further settings passed to the driver.' }),
  };
}

/** An OpenStack Cinder disk. */
export function cinderFields<S extends SchemaType>(secret: S) {
  return {
    volumeID: field(1, string, { always: true, required: true, about: 'Id of the volume in Cinder.' }),
    fsType: field(2, string, { about: 'File system to mount; ext4 by default.' }),
    readOnly: field(3, bool, { about: 'Mount without write access; false by default.' }),
    secretRef: field(4, secret, {
      pointer: true,
      about: 'Secret with OpenStack connection parameters.',
    }),
  };
}

/** A CephFS file system. */
export function cephFSFields<S extends SchemaType>(secret: S) {
  return {
    monitors: field(1, listOf(string), {
      always: true,
      required: true,
      listType: 'atomic',
      about: 'Addresses of the Ceph monitors.',
    }),
    path: field(2, string, { about: 'Directory in the file system to mount; "/" by default.' }),
    user: field(3, string, { about: 'Ceph user to connect as; admin by default.' }),
    secretFile: field(4, string, { about: 'Key ring file on the node; /etc/ceph/user.secret by default.' }),
    secretRef: field(5, secret, {
      pointer: true,
      about: 'Secret with the Ceph key; takes precedence over secretFile.',
    }),
    readOnly: field(6, bool, { about: 'Mount without write access; false by default.' }),
  };
}

/** An Azure File share. */
export function azureFileFields() {
  return {
    secretName: field(1, string, {
      always: true,
      required: true,
      about: 'Secret with the storage account name and key.',
    }),
    shareName: field(2, string, { always: true, required: true, about: 'Name of the Azure file share.' }),
    readOnly: field(3, bool, { about: 'Mount without write access; false by default.' }),
  };
}

/** A ScaleIO volume. */
export function scaleIOFields<S extends SchemaType>(secret: S) {
  return {
    gateway: field(1, string, { always: true, required: true, about: 'Host address of the ScaleIO API gateway.' }),
    system: field(2, string, { always: true, required: true, about: 'Name of the storage system in ScaleIO.' }),
    secretRef: field(3, secret, {
      pointer: true,
      always: true,
      required: true,
      about: 'Secret with the ScaleIO user and password.',
    }),
    sslEnabled: field(4, bool, { about: 'Whether to talk to the gateway over TLS; false by default.' }),
    protectionDomain: field(5, string, { about: 'ScaleIO protection domain that holds the storage.' }),
    storagePool: field(6, string, { about: 'Storage pool within the protection domain.' }),
    storageMode: field(7, string, {
      default: 'ThinProvisioned',
      about: 'ThickProvisioned or ThinProvisioned; thin by default.',
    }),
    volumeName: field(8, string, { about: 'Name of an existing volume in ScaleIO.' }),
    fsType: field(9, string, { default: 'xfs', about: 'File system to mount; xfs by default.' }),
    readOnly: field(10, bool, { about: 'Mount without write access; false by default.' }),
  };
}

/** A StorageOS volume. */
export function storageOSFields<S extends SchemaType>(secret: S) {
  return {
    volumeName: field(1, string, { about: 'Name of the volume, unique in its StorageOS namespace.' }),
    volumeNamespace: field(2, string, { about: 'StorageOS namespace of the volume; the pod namespace if left out.' }),
    fsType: field(3, string, { about: 'File system to mount; ext4 by default.' }),
    readOnly: field(4, bool, { about: 'Mount without write access; false by default.' }),
    secretRef: field(5, secret, {
      pointer: true,
      about: 'Secret with StorageOS API credentials.',
    }),
  };
}

/** A Ceph RBD image. */
export function rbdFields<S extends SchemaType>(secret: S) {
  return {
    monitors: field(1, listOf(string), {
      always: true,
      required: true,
      listType: 'atomic',
      about: 'Addresses of the Ceph monitors.',
    }),
    image: field(2, string, { always: true, required: true, about: 'Name of the RBD image.' }),
    fsType: field(3, string, { about: 'File system to mount; ext4 by default.' }),
    pool: field(4, string, { default: 'rbd', about: 'Ceph pool that holds the image; rbd by default.' }),
    user: field(5, string, { default: 'admin', about: 'Ceph user to connect as; admin by default.' }),
    keyring: field(6, string, {
      default: '/etc/ceph/keyring',
      about: 'Key ring file on the node; /etc/ceph/keyring by default.',
    }),
    secretRef: field(7, secret, {
      pointer: true,
      about: 'Secret with the Ceph key; takes precedence over keyring.',
    }),
    readOnly: field(8, bool, { about: 'Attach without write access; false by default.' }),
  };
}
