// Errors of requests that another server should answer: the agent of a node, a pod, a service.

import { ApiError, plainError, serviceUnavailable } from './status.ts';

/** A relayed request whose server could not be reached. */
export function serviceUnreachable(why: string): ApiError {
  return serviceUnavailable(`error trying to reach service: ${why}`);
}

/** A connection for which no server could be reached. */
export function backendUnreachable(why: string): ApiError {
  const message = `Internal error occurred: error dialing backend: ${why}`;
  return new ApiError({ code: 500, reason: 'InternalError', message, details: { causes: [{ message: why }] } });
}

interface BackendAnswer {
  readonly status: number;
  /** The error text of the other server. */
  readonly complaint: string;
  readonly verb: string;
  readonly resource: string;
  readonly name: string;
}

/** Another server answered with an error that this one has no better word for. */
export function backendFailed({ status, complaint, verb, resource, name }: BackendAnswer): ApiError {
  const code = status >= 400 && status < 600 ? status : 500;
  return new ApiError({
    code,
    reason: code === 404 ? 'NotFound' : 'InternalError',
    message: `an error on the server (${JSON.stringify(complaint)}) has prevented the request from succeeding (${verb} ${resource} ${name})`,
    details: { name, kind: resource },
  });
}

/** A node without an address of its agent. */
export function noNodeAddress(known: string): ApiError {
  return plainError(`no preferred addresses found; known addresses: [${known}]`);
}
