// Types of storage/v1, made from the data of its kinds by built-in-kinds.test.ts.

import type { PersistentVolumeSpec, TopologySelectorTerm } from './core-v1.ts';
import type { LabelSelector, ObjectMeta } from './meta-v1.ts';

export interface CSIDriver {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: CSIDriverSpec;
}

interface CSIDriverSpec {
  readonly attachRequired?: boolean;
  readonly podInfoOnMount?: boolean;
  readonly volumeLifecycleModes?: readonly string[];
  readonly storageCapacity?: boolean;
  readonly fsGroupPolicy?: string;
  readonly tokenRequests?: readonly TokenRequest[];
  readonly requiresRepublish?: boolean;
  readonly seLinuxMount?: boolean;
  readonly nodeAllocatableUpdatePeriodSeconds?: number;
  readonly serviceAccountTokenInSecrets?: boolean;
  readonly preventPodSchedulingIfMissing?: boolean;
}

export interface CSINode {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: CSINodeSpec;
}

interface CSINodeDriver {
  readonly name?: string;
  readonly nodeID?: string;
  readonly topologyKeys?: readonly string[];
  readonly allocatable?: VolumeNodeResources;
}

interface CSINodeSpec {
  readonly drivers?: readonly CSINodeDriver[];
}

export interface CSIStorageCapacity {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly nodeTopology?: LabelSelector;
  readonly storageClassName?: string;
  readonly capacity?: string;
  readonly maximumVolumeSize?: string;
}

export interface StorageClass {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly provisioner?: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly reclaimPolicy?: string;
  readonly mountOptions?: readonly string[];
  readonly allowVolumeExpansion?: boolean;
  readonly volumeBindingMode?: string;
  readonly allowedTopologies?: readonly TopologySelectorTerm[];
}

interface TokenRequest {
  readonly audience?: string;
  readonly expirationSeconds?: number;
}

export interface VolumeAttachment {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: VolumeAttachmentSpec;
  readonly status?: VolumeAttachmentStatus;
}

interface VolumeAttachmentSource {
  readonly persistentVolumeName?: string;
  readonly inlineVolumeSpec?: PersistentVolumeSpec;
}

interface VolumeAttachmentSpec {
  readonly attacher?: string;
  readonly source?: VolumeAttachmentSource;
  readonly nodeName?: string;
}

interface VolumeAttachmentStatus {
  readonly attached?: boolean;
  readonly attachmentMetadata?: Readonly<Record<string, string>>;
  readonly attachError?: VolumeError;
  readonly detachError?: VolumeError;
}

export interface VolumeAttributesClass {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly driverName?: string;
  readonly parameters?: Readonly<Record<string, string>>;
}

interface VolumeError {
  readonly time?: string;
  readonly message?: string;
  readonly errorCode?: number;
}

interface VolumeNodeResources {
  readonly count?: number;
}
