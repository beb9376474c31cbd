// How many seats a request needs: by the size of what it lists, or by the watches that its events go to.

import type { Exchange } from '../meta/exchange.ts';
import type { RequestInfo } from '../meta/request-info.ts';
import type { SeatEstimate } from './seated-request.ts';

/** What is stored of a kind. */
export interface StoredSize {
  readonly objects: number;
  /** Of one object. */
  readonly averageBytes: number;
}

export interface Sizes {
  /** Undefined where the resource is not served here, or nothing has read it yet. */
  stored(info: RequestInfo): StoredSize | undefined;
  /** How many watches of this server see what a request changes. */
  watches(info: RequestInfo): number;
}

const bytesPerSeat = 100_000;
/** A longer list is sent in pieces. */
const largestListBytes = 1_000_000;
const maxListSeats = 100;
const watchesPerSeat = 10;
const maxWriteSeats = 10;
const msPerEvent = 5;

const oneSeat: SeatEstimate = { initialSeats: 1, finalSeats: 0, extraMs: 0 };

/** `maxSeats` is the limit of the priority level; `onWatches` is called with the number of watches that see a write. */
export function estimateSeats(
  exchange: Exchange,
  maxSeats: number | undefined,
  sizes: Sizes,
  onWatches: (watches: number) => void,
): SeatEstimate {
  const { info } = exchange;
  switch (info.verb) {
    case 'list':
      return listSeats(exchange, maxSeats, sizes);
    case 'watch':
      return beginsWithState(exchange) ? listSeats(exchange, maxSeats, sizes) : oneSeat;
    case 'create':
    case 'update':
    case 'patch':
    case 'delete':
      return writeSeats(info, maxSeats, sizes, onWatches);
    default:
      return oneSeat;
  }
}

function beginsWithState({ query }: Exchange): boolean {
  const version = query.get('resourceVersion') ?? '';
  return query.get('sendInitialEvents') === 'true' || version === '' || version === '0';
}

function listSeats({ info, query }: Exchange, maxSeats: number | undefined, sizes: Sizes): SeatEstimate {
  const size = sizes.stored(info);
  if (size === undefined || size.objects === 0) return oneSeat;
  const limit = Number(query.get('limit') ?? 0);
  const isOne = info.name !== '' || (query.get('fieldSelector') ?? '').startsWith('metadata.name=');
  const objects = isOne ? 1 : limit > 0 ? Math.min(limit, size.objects) : size.objects;
  const seats = Math.ceil(Math.min(objects * size.averageBytes, largestListBytes) / bytesPerSeat);
  const initialSeats = Math.max(1, Math.min(seats, maxSeats ?? maxListSeats, maxListSeats));
  return initialSeats === 1 ? oneSeat : { initialSeats, finalSeats: 0, extraMs: 0 };
}

/** A token for a service account is no change of it */
const isToken = ({ resource, subresource }: RequestInfo) => resource === 'serviceaccounts' && subresource === 'token';

function writeSeats(
  info: RequestInfo,
  maxSeats: number | undefined,
  sizes: Sizes,
  onWatches: (watches: number) => void,
): SeatEstimate {
  if (!info.isResource || isToken(info)) return oneSeat;
  const watches = sizes.watches(info);
  onWatches(watches);
  if (watches < watchesPerSeat) return oneSeat;
  const work = Math.ceil(watches / watchesPerSeat);
  const finalSeats = Math.min(work, maxSeats ?? maxWriteSeats, maxWriteSeats);
  // fewer seats for a longer time
  return { initialSeats: 1, finalSeats, extraMs: (work * msPerEvent) / finalSeats };
}
