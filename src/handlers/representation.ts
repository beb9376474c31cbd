// The form of an answer: what the client accepts, of what is offered.

import { negotiate, type Offer, objectOffer, type Representation, wantsPretty } from '../codec/accept.ts';
import type { Call } from './call.ts';

export function representationOf({ exchange, services }: Call, offer: Offer = objectOffer): Representation {
  const pretty = wantsPretty(exchange);
  const accept = exchange.request.header('accept');
  return negotiate(accept, services.dialect, pretty ? { ...offer, pretty } : offer);
}
