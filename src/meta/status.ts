// The catalog of errors. An error is a Status in waiting: thrown where the cause is known, turned into
// bytes in one place (pipeline/write-error.ts).

import { goQuoted } from '../wording/go-format.ts';
import { formatGroupResource, type GroupResource } from './group-version.ts';

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** The metadata of an error: empty, except a continue token of a list, and the metadata from a webhook. */
interface ErrorListMeta {
  readonly selfLink?: string;
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number | bigint;
}

export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: ErrorListMeta;
  readonly status: string;
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}

export interface ErrorFields {
  readonly code: number;
  readonly reason?: string;
  readonly message: string;
  readonly details?: StatusDetails;
  readonly metadata?: ErrorListMeta;
  /** The status of the error, if it is not Failure. */
  readonly status?: string;
  /** The path has no answer in protobuf, not even this one. */
  readonly onlyText?: boolean;
}

export class ApiError extends Error {
  readonly code: number;
  readonly reason: string | undefined;
  readonly details: StatusDetails | undefined;
  readonly metadata: ErrorListMeta;
  readonly onlyText: boolean;
  readonly #status: string;
  /** Sent along with the answer. */
  headers: Readonly<Record<string, string>> | undefined;

  constructor(fields: ErrorFields, options?: ErrorOptions) {
    super(fields.message, options);
    this.name = 'ApiError';
    this.code = fields.code;
    this.reason = fields.reason;
    this.details = fields.details;
    this.metadata = fields.metadata ?? {};
    this.onlyText = fields.onlyText === true;
    this.#status = fields.status ?? 'Failure';
  }

  toStatus(): Status {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: this.metadata,
      status: this.#status,
      message: this.message,
      ...(this.reason === undefined ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: this.details }),
      code: this.code,
    };
  }
}

/** Names the object an error speaks of. */
export interface ErrorSubject extends GroupResource {
  readonly name: string;
}

function subjectDetails(subject: ErrorSubject): StatusDetails {
  return {
    ...(subject.name === '' ? {} : { name: subject.name }),
    ...(subject.group === '' ? {} : { group: subject.group }),
    kind: subject.resource,
  };
}

const quoted = (subject: ErrorSubject) => `${formatGroupResource(subject)} ${goQuoted(subject.name)}`;

export function badRequest(message: string): ApiError {
  return new ApiError({ code: 400, reason: 'BadRequest', message });
}

/** Another error as a bad request, with its message and its details. */
export function restatedAsBadRequest({ message, details }: ApiError): ApiError {
  return new ApiError({ code: 400, reason: 'BadRequest', message, ...(details ? { details } : {}) });
}

export function unauthorized(): ApiError {
  return new ApiError({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' });
}

export function forbidden(subject: ErrorSubject, why: string, causes?: readonly StatusCause[]): ApiError {
  const what =
    subject.resource === '' ? '' : `${subject.name === '' ? formatGroupResource(subject) : quoted(subject)} is `;
  const details = { ...subjectDetails(subject), ...(causes ? { causes } : {}) };
  return new ApiError({ code: 403, reason: 'Forbidden', message: `${what}forbidden: ${why}`, details });
}

export function notFound(subject: ErrorSubject): ApiError {
  return new ApiError({
    code: 404,
    reason: 'NotFound',
    message: `${quoted(subject)} not found`,
    details: subjectDetails(subject),
  });
}

/** No such path below an API group that exists. */
export function unknownResource(): ApiError {
  return new ApiError({
    code: 404,
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
    details: {},
  });
}

export function methodNotAllowed(): ApiError {
  return new ApiError({
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
    details: {},
  });
}

/** Method not supported, for a resource that is known by name. */
export function methodNotSupported({ group, resource }: ErrorSubject, verb: string): ApiError {
  const name = group === '' ? resource : `${resource}.${group}`;
  return new ApiError({
    code: 405,
    reason: 'MethodNotAllowed',
    message: `${verb} is not supported on resources of kind ${goQuoted(name)}`,
    details: { ...(group === '' ? {} : { group }), kind: resource },
  });
}

export function notAcceptable(offered: readonly string[]): ApiError {
  return new ApiError({
    code: 406,
    reason: 'NotAcceptable',
    message: `only the following media types are accepted: ${offered.join(', ')}`,
    onlyText: !offered.some((type) => type.includes('protobuf')),
  });
}

/** No path answers in a type that the client takes. */
export function noRepresentation(offered: readonly string[]): ApiError {
  return new ApiError({
    code: 406,
    reason: 'NotAcceptable',
    message: `406: Not Acceptable\n\nAvailable representations: ${offered.join(', ')}`,
    details: {},
  });
}

/** A shape that this object does not have. */
export function noSuchShape(shape: string, isList: boolean, type: string): ApiError {
  const message = `you requested ${shape}, but the requested object is ${isList ? 'a' : 'not a'} list (${type})`;
  return new ApiError({ code: 406, reason: 'NotAcceptable', message });
}

/** `isGoing`: for the time being, the object that has the name is being deleted. */
export function alreadyExists(subject: ErrorSubject, isGoing = false): ApiError {
  return new ApiError({
    code: 409,
    reason: 'AlreadyExists',
    message: `${isGoing ? 'object is being deleted: ' : ''}${quoted(subject)} already exists`,
    details: subjectDetails(subject),
  });
}

const noUniqueName = 'the server was not able to generate a unique name for the object';

/** A generated name was taken eight times in a row. */
export function generateNameConflict(subject: ErrorSubject, isGoing = false): ApiError {
  return new ApiError({
    code: 409,
    reason: 'AlreadyExists',
    message: `${isGoing ? 'object is being deleted: ' : ''}${quoted(subject)} already exists, ${noUniqueName}`,
    details: { ...subjectDetails(subject), retryAfterSeconds: 1 },
  });
}

export function conflict(subject: ErrorSubject, why: string): ApiError {
  return new ApiError({
    code: 409,
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${quoted(subject)}: ${why}`,
    details: subjectDetails(subject),
  });
}

/** An apply that would change what others own; a cause for each field. */
export function fieldManagerConflict(message: string, causes: readonly StatusCause[]): ApiError {
  return new ApiError({ code: 409, reason: 'Conflict', message, details: { causes } });
}

export const modifiedMessage =
  'the object has been modified; please apply your changes to the latest version and try again';

/** The requested history is no longer kept. */
export function expired(message: string, metadata: ErrorListMeta = {}): ApiError {
  return new ApiError({ code: 410, reason: 'Expired', message, metadata });
}

export function requestEntityTooLarge(limit: number): ApiError {
  return new ApiError({
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: `Request entity too large: limit is ${limit}`,
  });
}

/** A body that is short enough, and still more than an object can have. */
export function tooManyValues(limit: number): ApiError {
  return new ApiError({
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: `Request entity too large: the body holds more than ${limit} values`,
  });
}

export function unsupportedMediaType(offered: readonly string[]): ApiError {
  return new ApiError({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${offered.join(', ')}`,
  });
}

/** No path takes the type of the body. */
export function unroutableMediaType(): ApiError {
  return new ApiError({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: '415: Unsupported Media Type',
    details: {},
  });
}

interface InvalidSubject {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/** One thing wrong with a field, before it is worded. */
export interface FieldError {
  readonly reason:
    | 'FieldValueRequired'
    | 'FieldValueInvalid'
    | 'FieldValueNotSupported'
    | 'FieldValueForbidden'
    | 'FieldValueTooLong'
    | 'FieldValueDuplicate'
    | 'FieldValueNotFound'
    | 'FieldValueTypeInvalid'
    | 'FieldValueTooMany'
    | 'InternalError';
  readonly field: string;
  readonly message: string;
}

/** No client reads more than so many validation errors, nor more text than this. */
const mostErrors = 1000;
const mostErrorText = 262_144;

/** Only these are put into words: an object of three megabytes may have a million validation errors. */
function toldOf(errors: readonly FieldError[]): readonly StatusCause[] {
  const causes: StatusCause[] = [];
  let size = 0;
  for (const { reason, message, field } of errors) {
    size += field.length + message.length;
    if (causes.length === mostErrors || (size > mostErrorText && causes.length > 0)) break;
    causes.push({ reason, message, ...(field === '' ? {} : { field }) });
  }
  return causes;
}

export function invalid(subject: InvalidSubject, errors: readonly FieldError[]): ApiError {
  const causes = toldOf(errors);
  const all = [...new Set(causes.map(({ field = '', message }) => `${field}: ${message}`))];
  const rest = errors.length - causes.length;
  const more: StatusCause = { reason: 'FieldValueTooMany', message: `and at least ${rest} more` };
  if (rest > 0) all.push(`and at least ${rest} more`);
  const text = all.length === 1 ? all[0] : `[${all.join(', ')}]`;
  const { group, kind, name } = subject;
  return new ApiError({
    code: 422,
    reason: 'Invalid',
    message: `${group === '' ? kind : `${kind}.${group}`} ${goQuoted(name)} is invalid: ${text}`,
    details: {
      ...(name === '' ? {} : { name }),
      ...(group === '' ? {} : { group }),
      ...(kind === '' ? {} : { kind }),
      causes: rest > 0 ? [...causes, more] : causes,
    },
  });
}

/** compat: some failures are reported as a bare sentence, with neither reason nor details. */
export function plainError(message: string): ApiError {
  return new ApiError({ code: 500, message });
}

/** Stored objects that cannot be read; `problems` has the key and reason of each. */
export function storageReadError(subject: ErrorSubject, problems: readonly string[]): ApiError {
  return new ApiError({
    code: 500,
    reason: 'StorageReadError',
    message: `failed to read one or more ${formatGroupResource(subject)} from the storage: ${problems.join('; ')}`,
    details: {
      ...subjectDetails(subject),
      causes: problems.map((message) => ({ reason: 'StorageReadError', message })),
    },
  });
}

/** Something the client cannot help. */
export function internalError(message: string): ApiError {
  return new ApiError({
    code: 500,
    reason: 'InternalError',
    message: `Internal error occurred: ${message}`,
    details: { causes: [{ message }] },
  });
}

export function serviceUnavailable(message: string, cause?: unknown): ApiError {
  return new ApiError({ code: 503, reason: 'ServiceUnavailable', message }, { cause });
}

export function timeout(message: string, details?: StatusDetails): ApiError {
  return new ApiError({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: ${message}`,
    ...(details ? { details } : {}),
  });
}

/** The client is ahead of the server; it may come back after a second. */
export function tooLargeResourceVersion(requested: number, current: number): ApiError {
  return timeout(`Too large resource version: ${requested}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}

/** A disruption budget does not allow to evict a pod now. */
export function disruptionRefused(why: string, retryAfterSeconds?: number): ApiError {
  return new ApiError({
    code: 429,
    reason: 'TooManyRequests',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: {
      causes: [{ reason: 'DisruptionBudget', message: why }],
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    },
  });
}

/** Something was done, and there is no object to show for it. */
export function success(code: number): Status {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code };
}

/** A list or map of an object has far more items than are ever needed. */
export function tooManyItems(path: string, most: number): ApiError {
  return new ApiError({
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: `Request entity too large: ${path} has more than ${most} items`,
  });
}

/** What a client learns of a failure of the server itself: nothing but where to look. */
export function unexpectedError(cause: unknown): ApiError {
  const message = 'This request caused the server to fail. Look in the logs for details';
  return new ApiError({ code: 500, reason: 'InternalError', message, details: {} }, { cause });
}

/** The time of a request is up; `isCommitted` where a write was sent to the store already. */
export function requestTimeout(isCommitted: boolean): ApiError {
  const late = 'request did not complete within the allotted timeout';
  return timeout(isCommitted ? `${late}; its write was sent to the store and may have been made` : late);
}

/** The client left before it was answered; the answer is for metrics and audit only. */
export function clientGone(): ApiError {
  return new ApiError({ code: 499, message: 'the client closed the request before it was answered' });
}

export function tooManyRequests(retryAfterSeconds: number): ApiError {
  return new ApiError({
    code: 429,
    reason: 'TooManyRequests',
    message: 'Too many requests, please try again later.',
    details: { retryAfterSeconds },
  });
}

/** A client sends more of something than a limit for just that allows. */
export function rateLimitReached(why: string): ApiError {
  return new ApiError({ code: 429, reason: 'TooManyRequests', message: `Too many requests: ${why}` });
}

const usualReasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** A failure that a test has requested. */
export function plannedFailure({
  code,
  reason = usualReasons[code],
  message = 'this failure was asked for by the test',
  retryAfterSeconds,
}: {
  readonly code: number;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
}): ApiError {
  return new ApiError({
    code,
    message,
    ...(reason === undefined ? {} : { reason }),
    ...(retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } }),
  });
}
