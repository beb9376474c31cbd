// The apiregistration group, v1beta1: no longer served unless an option asks for it.

import type { GroupVersionSpec } from '../../group-version.ts';
import { sameShape } from '../../same-shape.ts';
import { apiService } from '../v1/api-service.ts';

const home = 'apiregistration/v1beta1';

export const apiregistrationV1beta1: GroupVersionSpec = {
  group: 'apiregistration',
  version: 'v1beta1',
  priority: { group: 20001, version: 1 },
  offByDefault: true,
  keyedByGroup: true,
  kinds: [
    sameShape(apiService, home, {
      since: 19,
      removed: 22,
      replacement: { group: 'apiregistration', version: 'v1', kind: 'APIService' },
    }),
  ],
};

/** The specification's table of removed versions leaves the domain out. */
export const apiregistrationWithoutDomain: GroupVersionSpec = { ...apiregistrationV1beta1, withoutDomain: true };
