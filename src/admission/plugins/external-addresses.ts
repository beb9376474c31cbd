// DenyServiceExternalIPs: no service draws traffic for an address that may belong to others.

import type { Service } from '../../groups/core/v1/service/service-type.ts';
import { type AdmissionPlugin, objectsOf, refusal, writes } from '../plugin.ts';

const addressesOf = (service: Service | undefined): readonly string[] => service?.spec?.externalIPs ?? [];

export function denyServiceExternalIPs(): AdmissionPlugin {
  return {
    name: 'DenyServiceExternalIPs',
    operations: writes,
    covers: objectsOf('', 'services'),
    validate(request) {
      const old = new Set(addressesOf(request.oldObject as Service | undefined));
      if (addressesOf(request.object as Service).every((address) => old.has(address))) return;
      throw refusal(request, 'Use of external IPs is denied by admission control');
    },
  };
}
