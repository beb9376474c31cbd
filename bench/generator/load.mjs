// Keeps a number of requests in flight for a while and measures the answers in a window of that time.
import { setTimeout as delay } from 'node:timers/promises';
import { deferred, within } from './deferred.mjs';
import { encodeRequest } from './hpack.mjs';
import { Lane } from './lane.mjs';
import { Meter } from './meter.mjs';

const DRAIN_MS = 10_000;

/** `job`: { target, requests, expect, inFlight, connections, rampMs, windowMs, drainMs? }. Any status but those of `expect` is an error. */
export async function runLoad(job) {
  const meter = new Meter(job.target.pid);
  const failure = deferred();
  const lanes = await openLanes({ ...job, meter, failed: failure.reject });
  try {
    return await Promise.race([measure(job, meter, lanes), failure.promise]);
  } finally {
    for (const lane of lanes) lane.close();
  }
}

async function measure(job, meter, lanes) {
  for (const lane of lanes) lane.begin(Math.ceil(job.inFlight / lanes.length));
  await delay(job.rampMs);
  meter.begin();
  await delay(job.windowMs);
  const result = meter.end();
  await within(job.drainMs ?? DRAIN_MS, 'the last answers', Promise.all(lanes.map((lane) => lane.drain())));
  return result;
}

/** Each lane starts elsewhere in the rotation, so that two rarely ask for the same object at once. */
function openLanes(job) {
  const authority = `127.0.0.1:${job.target.port}`;
  const requests = job.requests.map((request) => encodeRequest({ ...request, authority }));
  const firstTurn = (index) => Math.floor((index * requests.length) / job.connections);
  const open = (_, index) => Lane.open({ ...job, requests, turn: firstTurn(index) });
  return Promise.all(Array.from({ length: job.connections }, open));
}
