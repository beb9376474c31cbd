// Unsuccessful answers of webhooks and other servers, in the words of client-go.

import { goQuoted } from './go-format.ts';

const byStatus: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

export const unknown = 'unknown';

/** `shownText` is the text of the answer, as far as clients may see it. */
export const answerFailure = (code: number, shownText: string): string =>
  byStatus[code] ?? otherStatus(code, shownText);

function otherStatus(code: number, shownText: string): string {
  if (code >= 500) return `an error on the server (${goQuoted(shownText)}) has prevented the request from succeeding`;
  if (code === 406 && shownText === unknown)
    return 'the server was unable to respond with a content type that the client supports';
  if (code === 403 || code === 406 || code === 415) return shownText;
  return `the server responded with the status code ${code} but did not return more information`;
}
