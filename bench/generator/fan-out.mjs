// Writes a fixed number of objects while many watches look on, and times it until the last watch has the last event.
import { deferred, within } from './deferred.mjs';
import { encodeRequest } from './hpack.mjs';
import { Lane } from './lane.mjs';
import { Meter } from './meter.mjs';
import { openWatchers } from './watchers.mjs';

const DELIVERY_MS = 30_000;

/** `job`: { target, path, watches, connections, writes: { requests, expect, count, inFlight } }. */
export async function runFanOut(job) {
  const watchers = await openWatchers(job);
  try {
    return await deliver(job, watchers);
  } finally {
    watchers.close();
  }
}

async function deliver({ target, writes, watches }, watchers) {
  const meter = new Meter(target.pid);
  const failure = deferred();
  const writer = await openWriter({ target, writes, meter, failed: failure.reject });
  meter.begin();
  const received = watchers.waitFor(writes.count);
  writer.begin(writes.inFlight);
  try {
    await within(DELIVERY_MS, 'delivering every event', Promise.race([received, failure.promise]));
  } finally {
    writer.close();
  }
  const result = meter.end();
  const perSecond = (writes.count * watches) / result.seconds;
  return { ...result, perSecond, megabytesPerSecond: watchers.bytes / result.seconds / 1e6 };
}

function openWriter({ target, writes, meter, failed }) {
  const authority = `127.0.0.1:${target.port}`;
  const requests = writes.requests.map((request) => encodeRequest({ ...request, authority }));
  return Lane.open({ target, requests, turn: 0, limit: writes.count, expect: writes.expect, meter, failed });
}
