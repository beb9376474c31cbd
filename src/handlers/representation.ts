// The form of an answer: what the client accepts, of what is offered.

import { actionOffer, negotiate, type Offer, objectOffer, type Representation, wantsPretty } from '../codec/accept.ts';
import { hasMessage } from '../codec/protobuf/object-message.ts';
import type { Call } from './call.ts';

export function representationOf(call: Call, offer: Offer = offerOf(call)): Representation {
  const { exchange, services, resource } = call;
  const pretty = wantsPretty(exchange, services.dialect);
  const accept = exchange.request.header('accept');
  const own = hasMessage(resource.definition.type) ? offer : { ...offer, onlyText: true };
  return negotiate(accept, services.dialect, pretty ? { ...own, pretty } : own);
}

/** A few parts have no rows. */
const offerOf = ({ subresource }: Call): Offer =>
  subresource?.is === 'part' && subresource.tables === false ? actionOffer : objectOffer;
