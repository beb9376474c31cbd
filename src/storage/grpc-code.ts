// How gRPC codes are called in metrics.

import { status } from '@grpc/grpc-js';

/** `DEADLINE_EXCEEDED` as Go writes it: `DeadlineExceeded`. */
export function codeName(code: number): string {
  const words = (status[code] ?? 'UNKNOWN').split('_');
  return code === status.OK ? 'OK' : words.map((word) => `${word[0]}${word.slice(1).toLowerCase()}`).join('');
}
