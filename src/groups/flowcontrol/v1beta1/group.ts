// The flow control group, v1beta1: served only to who asks for it.

import { olderFlowControl } from '../older-versions.ts';

export const flowcontrolV1beta1 = olderFlowControl('v1beta1', 23, 26);
