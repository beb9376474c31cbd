// Asks another part of the control plane, on this machine, how it is.

import { get } from 'node:https';
import { wording } from '../../webhooks/webhook-failure.ts';

const patience = 1000;

/** Undefined when it is well. Nothing is sent along, so it does not matter who signed its certificate. */
export function probeLocally(port: number, path: string): Promise<string | undefined> {
  const url = `https://127.0.0.1:${port}${path}`;
  return new Promise((resolve) => {
    const failed = (why: string) => resolve(`Get ${JSON.stringify(url)}: ${why}`);
    const request = get(url, { rejectUnauthorized: false, agent: false, timeout: patience }, (answer) => {
      answer.resume();
      if (answer.statusCode === 200) resolve(undefined);
      else failed(`unexpected status ${answer.statusCode}`);
    });
    request.on('timeout', () => request.destroy(new Error('no answer in time')));
    request.on('error', (error) => failed(wording(error)));
  });
}
