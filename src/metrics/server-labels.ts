// The label that distinguishes servers with a shared configuration.

import { createHash } from 'node:crypto';

export interface ServerLabels {
  readonly apiserver_id_hash: string;
}

/** `serverId` is the name of the server's identity Lease. */
export const serverLabels = (serverId: string): ServerLabels => ({ apiserver_id_hash: labelHash(serverId) });

/** A value that is shown by its hash; nothing stays nothing. */
export const labelHash = (text: string): string =>
  text === '' ? '' : `sha256:${createHash('sha256').update(text).digest('hex')}`;
