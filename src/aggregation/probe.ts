// Whether the server of an aggregated API answers a request for the document that every such server has.

import { timeLimited } from '../base/time/time-limit.ts';
import type { Destination } from '../webhooks/service-destination.ts';
import { wording } from '../webhooks/webhook-failure.ts';
import { SignalEnding } from './ending.ts';
import { userHeaders } from './forwarded-headers.ts';
import type { RemoteApi } from './remote-api.ts';
import { authorityOf, type RemoteBackend } from './remote-backend.ts';

/** Several at once: behind one address there may be several servers, and one that answers is enough. */
const attempts = 5;
const patienceMs = 5000;

/** Throws the error of the last attempt if none succeeds. */
export async function probe(api: RemoteApi, backend: RemoteBackend, stop: AbortSignal): Promise<void> {
  const results = Array.from({ length: attempts }, () => attempt(api, backend, stop));
  try {
    await Promise.any(results);
  } catch (error) {
    throw (error as AggregateError).errors.at(-1);
  }
}

async function attempt(api: RemoteApi, backend: RemoteBackend, stop: AbortSignal): Promise<void> {
  const to = await backend.locate();
  const url = `https://${authorityOf(to)}${pathOf(api)}`;
  const failed = (why: string) => new Error(`failing or missing response from ${url}: ${why}`);
  let status: number;
  try {
    status = await statusOf(api, backend, to, stop);
  } catch (error) {
    const late = (error as Error).name === 'TimeoutError' ? ' (Client.Timeout exceeded while awaiting headers)' : '';
    throw failed(`Get ${JSON.stringify(url)}: ${wording(error)}${late}`);
  }
  if (status < 200 || status > 299) throw failed(`bad status from ${url}: ${status}`);
}

export const pathOf = ({ group, version }: RemoteApi): string =>
  group === '' ? `/api/${version}` : `/apis/${group}/${version}`;

async function statusOf(api: RemoteApi, backend: RemoteBackend, to: Destination, stop: AbortSignal): Promise<number> {
  const ending = new SignalEnding(timeLimited(stop, patienceMs));
  const headers = { accept: 'application/json', ...userHeaders(backend.user) };
  const request = { method: 'GET', path: pathOf(api), authority: authorityOf(to), headers, body: undefined };
  const { status, body } = await backend.hostAt(to).ask(request, ending);
  body.cancel();
  return status;
}
