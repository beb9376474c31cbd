// Types of discovery/v1, made from the data of its kinds by built-in-kinds.test.ts.

import type { ObjectReference } from './core-v1.ts';
import type { ObjectMeta } from './meta-v1.ts';

interface Endpoint {
  readonly addresses?: readonly string[];
  readonly conditions?: EndpointConditions;
  readonly hostname?: string;
  readonly targetRef?: ObjectReference;
  readonly deprecatedTopology?: Readonly<Record<string, string>>;
  readonly nodeName?: string;
  readonly zone?: string;
  readonly hints?: EndpointHints;
}

interface EndpointConditions {
  readonly ready?: boolean;
  readonly serving?: boolean;
  readonly terminating?: boolean;
}

interface EndpointHints {
  readonly forZones?: readonly ForZone[];
  readonly forNodes?: readonly ForNode[];
}

interface EndpointPort {
  readonly name?: string;
  readonly protocol?: string;
  readonly port?: number;
  readonly appProtocol?: string;
}

export interface EndpointSlice {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly addressType?: string;
  readonly endpoints?: readonly Endpoint[];
  readonly ports?: readonly EndpointPort[];
}

interface ForNode {
  readonly name?: string;
}

interface ForZone {
  readonly name?: string;
}
