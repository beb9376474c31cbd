// The flow control group, v1beta2: served only to who asks for it.

import { olderFlowControl } from '../older-versions.ts';

export const flowcontrolV1beta2 = olderFlowControl('v1beta2', 26, 29);
