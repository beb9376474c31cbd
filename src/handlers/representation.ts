// The form of an answer: what the client accepts, of what is offered.

import { negotiate, type Offer, objectOffer, type Representation, wantsPretty } from '../codec/accept.ts';
import { hasMessage } from '../codec/protobuf/object-message.ts';
import type { Call } from './call.ts';

export function representationOf({ exchange, services, resource }: Call, offer: Offer = objectOffer): Representation {
  const pretty = wantsPretty(exchange);
  const accept = exchange.request.header('accept');
  const own = hasMessage(resource.definition.type) ? offer : { ...offer, routed: false, onlyText: true };
  return negotiate(accept, services.dialect, pretty ? { ...own, pretty } : own);
}
