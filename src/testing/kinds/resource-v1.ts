// Types of resource/v1, made from the data of its kinds by built-in-kinds.test.ts.

import type { NodeSelector } from './core-v1.ts';
import type { Condition, ObjectMeta } from './meta-v1.ts';

interface AllocatedDeviceStatus {
  readonly driver?: string;
  readonly pool?: string;
  readonly device?: string;
  readonly shareID?: string;
  readonly conditions?: readonly Condition[];
  readonly data?: unknown;
  readonly networkData?: NetworkDeviceData;
}

interface AllocationResult {
  readonly devices?: DeviceAllocationResult;
  readonly nodeSelector?: NodeSelector;
  readonly allocationTimestamp?: string;
}

interface CELDeviceSelector {
  readonly expression?: string;
}

interface CapacityRequestPolicy {
  readonly default?: string;
  readonly validValues?: readonly string[];
  readonly validRange?: CapacityRequestPolicyRange;
}

interface CapacityRequestPolicyRange {
  readonly min?: string;
  readonly max?: string;
  readonly step?: string;
}

interface CapacityRequirements {
  readonly requests?: Readonly<Record<string, string>>;
}

interface Counter {
  readonly value?: string;
}

interface CounterSet {
  readonly name?: string;
  readonly counters?: Readonly<Record<string, Counter>>;
}

interface Device {
  readonly name?: string;
  readonly attributes?: Readonly<Record<string, DeviceAttribute>>;
  readonly capacity?: Readonly<Record<string, DeviceCapacity>>;
  readonly consumesCounters?: readonly DeviceCounterConsumption[];
  readonly nodeName?: string;
  readonly nodeSelector?: NodeSelector;
  readonly allNodes?: boolean;
  readonly taints?: readonly DeviceTaint[];
  readonly bindsToNode?: boolean;
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
  readonly allowMultipleAllocations?: boolean;
  readonly nodeAllocatableResourceMappings?: Readonly<Record<string, NodeAllocatableResourceMapping>>;
}

interface DeviceAllocationConfiguration {
  readonly source?: string;
  readonly requests?: readonly string[];
  readonly opaque?: OpaqueDeviceConfiguration;
}

interface DeviceAllocationResult {
  readonly results?: readonly DeviceRequestAllocationResult[];
  readonly config?: readonly DeviceAllocationConfiguration[];
}

interface DeviceAttribute {
  readonly int?: number;
  readonly bool?: boolean;
  readonly string?: string;
  readonly version?: string;
  readonly ints?: readonly number[];
  readonly bools?: readonly boolean[];
  readonly strings?: readonly string[];
  readonly versions?: readonly string[];
}

interface DeviceCapacity {
  readonly value?: string;
  readonly requestPolicy?: CapacityRequestPolicy;
}

interface DeviceClaim {
  readonly requests?: readonly DeviceRequest[];
  readonly constraints?: readonly DeviceConstraint[];
  readonly config?: readonly DeviceClaimConfiguration[];
}

interface DeviceClaimConfiguration {
  readonly requests?: readonly string[];
  readonly opaque?: OpaqueDeviceConfiguration;
}

export interface DeviceClass {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: DeviceClassSpec;
}

interface DeviceClassConfiguration {
  readonly opaque?: OpaqueDeviceConfiguration;
}

interface DeviceClassSpec {
  readonly selectors?: readonly DeviceSelector[];
  readonly config?: readonly DeviceClassConfiguration[];
  readonly extendedResourceName?: string;
}

interface DeviceConstraint {
  readonly requests?: readonly string[];
  readonly matchAttribute?: string;
  readonly distinctAttribute?: string;
}

interface DeviceCounterConsumption {
  readonly counterSet?: string;
  readonly counters?: Readonly<Record<string, Counter>>;
}

interface DeviceRequest {
  readonly name?: string;
  readonly exactly?: ExactDeviceRequest;
  readonly firstAvailable?: readonly DeviceSubRequest[];
}

interface DeviceRequestAllocationResult {
  readonly request?: string;
  readonly driver?: string;
  readonly pool?: string;
  readonly device?: string;
  readonly adminAccess?: boolean;
  readonly tolerations?: readonly DeviceToleration[];
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
  readonly shareID?: string;
  readonly consumedCapacity?: Readonly<Record<string, string>>;
}

interface DeviceSelector {
  readonly cel?: CELDeviceSelector;
}

interface DeviceSubRequest {
  readonly name?: string;
  readonly deviceClassName?: string;
  readonly selectors?: readonly DeviceSelector[];
  readonly allocationMode?: string;
  readonly count?: number;
  readonly tolerations?: readonly DeviceToleration[];
  readonly capacity?: CapacityRequirements;
}

interface DeviceTaint {
  readonly key?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly timeAdded?: string;
}

interface DeviceToleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

interface ExactDeviceRequest {
  readonly deviceClassName?: string;
  readonly selectors?: readonly DeviceSelector[];
  readonly allocationMode?: string;
  readonly count?: number;
  readonly adminAccess?: boolean;
  readonly tolerations?: readonly DeviceToleration[];
  readonly capacity?: CapacityRequirements;
}

interface NetworkDeviceData {
  readonly interfaceName?: string;
  readonly ips?: readonly string[];
  readonly hardwareAddress?: string;
}

interface NodeAllocatableResourceMapping {
  readonly capacityKey?: string;
  readonly allocationMultiplier?: string;
}

interface OpaqueDeviceConfiguration {
  readonly driver?: string;
  readonly parameters?: unknown;
}

export interface ResourceClaim {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: ResourceClaimSpec;
  readonly status?: ResourceClaimStatus;
}

interface ResourceClaimConsumerReference {
  readonly apiGroup?: string;
  readonly resource?: string;
  readonly name?: string;
  readonly uid?: string;
}

interface ResourceClaimSpec {
  readonly devices?: DeviceClaim;
}

interface ResourceClaimStatus {
  readonly allocation?: AllocationResult;
  readonly reservedFor?: readonly ResourceClaimConsumerReference[];
  readonly devices?: readonly AllocatedDeviceStatus[];
}

export interface ResourceClaimTemplate {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: ResourceClaimTemplateSpec;
}

interface ResourceClaimTemplateSpec {
  readonly metadata?: ObjectMeta;
  readonly spec?: ResourceClaimSpec;
}

interface ResourcePool {
  readonly name?: string;
  readonly generation?: number;
  readonly resourceSliceCount?: number;
}

export interface ResourceSlice {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: ResourceSliceSpec;
}

interface ResourceSliceSpec {
  readonly driver?: string;
  readonly pool?: ResourcePool;
  readonly nodeName?: string;
  readonly nodeSelector?: NodeSelector;
  readonly allNodes?: boolean;
  readonly devices?: readonly Device[];
  readonly perDeviceNodeSelection?: boolean;
  readonly sharedCounters?: readonly CounterSet[];
}
