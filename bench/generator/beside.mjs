// One request at a time on one connection, timed, while another connection is kept busy with long answers.
import { setTimeout as delay } from 'node:timers/promises';
import { deferred, within } from './deferred.mjs';
import { encodeRequest } from './hpack.mjs';
import { Lane } from './lane.mjs';
import { Meter } from './meter.mjs';

const DRAIN_MS = 30_000;
/** The first long answer has to be under way. */
const RAMP_MS = 300;

/** `job`: { target, background: { requests, expect }, foreground: { requests, expect }, windowMs }. */
export async function runBeside({ target, background, foreground, windowMs }) {
  const failure = deferred();
  const ignored = new Meter(target.pid);
  const meter = new Meter(target.pid);
  const busy = await openLane({ target, load: background, meter: ignored, failed: failure.reject });
  const timed = await openLane({ target, load: foreground, meter, failed: failure.reject });
  try {
    return await Promise.race([measure({ busy, timed, meter, windowMs }), failure.promise]);
  } finally {
    busy.close();
    timed.close();
  }
}

async function measure({ busy, timed, meter, windowMs }) {
  busy.begin(1);
  await delay(RAMP_MS);
  timed.begin(1);
  meter.begin();
  await delay(windowMs);
  const result = meter.end();
  await within(DRAIN_MS, 'the last answers', Promise.all([busy.drain(), timed.drain()]));
  return result;
}

function openLane({ target, load, meter, failed }) {
  const authority = `127.0.0.1:${target.port}`;
  const requests = load.requests.map((request) => encodeRequest({ ...request, authority }));
  return Lane.open({ target, requests, turn: 0, expect: load.expect, meter, failed });
}
