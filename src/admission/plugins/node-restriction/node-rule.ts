// The form of a rule about what nodes may do.

import type { MaybePromise } from '../../../base/maybe-promise.ts';
import type { AdmissionEngines } from '../../engines.ts';
import type { AdmissionRequest } from '../../plugin.ts';

export type NodeEngines = Pick<AdmissionEngines, 'dialect' | 'objects' | 'access' | 'gates'>;

/** What a node may not do with a resource; throws to refuse. */
export type NodeRule = (engines: NodeEngines, request: AdmissionRequest, node: string) => MaybePromise<void>;
