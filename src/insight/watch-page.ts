// /debug/keelson/watches: the open watches of all threads. It needs the right to its path, as users and selectors of others are shown.

import { json, type Routes, requireRead } from '../discovery/routes.ts';
import type { OpenWatches } from '../handlers/watch/open-watches.ts';

export function addWatchPage(routes: Routes, read: () => Promise<OpenWatches>): void {
  routes.addUnlisted('/debug/keelson/watches', async (exchange) => {
    requireRead(exchange);
    return json(await read());
  });
}
