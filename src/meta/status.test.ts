import { describe, expect, test } from 'vitest';
import { forbiddenField, invalidValue, notSupported, required, tooLong } from './field-errors.ts';
import {
  ApiError,
  alreadyExists,
  badRequest,
  conflict,
  expired,
  forbidden,
  generateNameConflict,
  invalid,
  methodNotAllowed,
  modifiedMessage,
  notAcceptable,
  notFound,
  plainError,
  requestEntityTooLarge,
  serviceUnavailable,
  timeout,
  tooLargeResourceVersion,
  unauthorized,
  unknownResource,
  unsupportedMediaType,
} from './status.ts';

const pod = { group: '', resource: 'pods', name: 'a' };
const lease = { group: 'coordination.example.com', resource: 'leases', name: 'a' };
const podDetails = { name: 'a', kind: 'pods' };

interface Expected {
  readonly code: number;
  readonly reason?: string;
  readonly message: string;
  readonly details?: object;
}

describe('the catalog', () => {
  test.each<[string, ApiError, Expected]>([
    ['badRequest', badRequest('no'), { code: 400, reason: 'BadRequest', message: 'no' }],
    ['unauthorized', unauthorized(), { code: 401, reason: 'Unauthorized', message: 'Unauthorized' }],
    [
      'forbidden',
      forbidden(pod, 'why'),
      { code: 403, reason: 'Forbidden', message: 'pods "a" is forbidden: why', details: podDetails },
    ],
    [
      'forbidden without a name',
      forbidden({ ...lease, name: '' }, 'why'),
      {
        code: 403,
        reason: 'Forbidden',
        message: 'leases.coordination.example.com is forbidden: why',
        details: { group: 'coordination.example.com', kind: 'leases' },
      },
    ],
    [
      'forbidden with causes',
      forbidden(pod, 'why', [{ reason: 'R', message: 'm' }]),
      {
        code: 403,
        reason: 'Forbidden',
        message: 'pods "a" is forbidden: why',
        details: { ...podDetails, causes: [{ reason: 'R', message: 'm' }] },
      },
    ],
    ['notFound', notFound(pod), { code: 404, reason: 'NotFound', message: 'pods "a" not found', details: podDetails }],
    [
      'notFound in a named group',
      notFound(lease),
      {
        code: 404,
        reason: 'NotFound',
        message: 'leases.coordination.example.com "a" not found',
        details: { name: 'a', group: 'coordination.example.com', kind: 'leases' },
      },
    ],
    [
      'unknownResource',
      unknownResource(),
      { code: 404, reason: 'NotFound', message: 'the server could not find the requested resource', details: {} },
    ],
    [
      'methodNotAllowed',
      methodNotAllowed(),
      {
        code: 405,
        reason: 'MethodNotAllowed',
        message: 'the server does not allow this method on the requested resource',
        details: {},
      },
    ],
    [
      'notAcceptable',
      notAcceptable(['a/b', 'c/d']),
      { code: 406, reason: 'NotAcceptable', message: 'only the following media types are accepted: a/b, c/d' },
    ],
    [
      'alreadyExists',
      alreadyExists(pod),
      { code: 409, reason: 'AlreadyExists', message: 'pods "a" already exists', details: podDetails },
    ],
    [
      'generateNameConflict',
      generateNameConflict(pod),
      {
        code: 409,
        reason: 'AlreadyExists',
        message: 'pods "a" already exists, the server was not able to generate a unique name for the object',
        details: { ...podDetails, retryAfterSeconds: 1 },
      },
    ],
    [
      'conflict',
      conflict(pod, modifiedMessage),
      {
        code: 409,
        reason: 'Conflict',
        message:
          'Operation cannot be fulfilled on pods "a": the object has been modified; please apply your changes to the latest version and try again',
        details: podDetails,
      },
    ],
    ['expired', expired('too old'), { code: 410, reason: 'Expired', message: 'too old' }],
    [
      'requestEntityTooLarge',
      requestEntityTooLarge(3145728),
      { code: 413, reason: 'RequestEntityTooLarge', message: 'Request entity too large: limit is 3145728' },
    ],
    [
      'unsupportedMediaType',
      unsupportedMediaType(['a/b', 'c/d']),
      {
        code: 415,
        reason: 'UnsupportedMediaType',
        message: 'the body of the request was in an unknown format - accepted media types include: a/b, c/d',
      },
    ],
    ['plainError', plainError('oh'), { code: 500, message: 'oh' }],
    ['serviceUnavailable', serviceUnavailable('oh'), { code: 503, reason: 'ServiceUnavailable', message: 'oh' }],
    ['timeout', timeout('slow'), { code: 504, reason: 'Timeout', message: 'Timeout: slow' }],
    [
      'tooLargeResourceVersion',
      tooLargeResourceVersion(9, 5),
      {
        code: 504,
        reason: 'Timeout',
        message: 'Timeout: Too large resource version: 9, current: 5',
        details: {
          causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
          retryAfterSeconds: 1,
        },
      },
    ],
  ])('%s', (_, error, expected) => {
    expect(error).toBeInstanceOf(ApiError);
    expect(error.toStatus()).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      ...expected,
    });
  });

  test('the Status is written in the order that Kubernetes uses', () => {
    const keys = ['kind', 'apiVersion', 'metadata', 'status', 'message', 'reason', 'details', 'code'];
    expect(Object.keys(notFound(pod).toStatus())).toEqual(keys);
  });

  test('a cause stays with the error and off the wire', () => {
    const cause = new Error('disk full');
    expect(serviceUnavailable('oh', cause).cause).toBe(cause);
    expect(JSON.stringify(serviceUnavailable('oh', cause).toStatus())).not.toContain('disk full');
  });

  // errors.NewForbidden has a third form, for what is no resource
  test('forbidden without a resource does not begin with a blank', () => {
    expect(forbidden({ group: '', resource: '', name: '' }, 'why').message).toBe('forbidden: why');
  });
});

describe('invalid', () => {
  const subject = { group: '', kind: 'Pod', name: 'a' };

  test('one validation error is a sentence', () => {
    expect(invalid(subject, [required('spec.x')]).toStatus()).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: 'Pod "a" is invalid: spec.x: Required value',
      details: {
        name: 'a',
        kind: 'Pod',
        causes: [{ reason: 'FieldValueRequired', message: 'Required value', field: 'spec.x' }],
      },
    });
  });

  test('several validation errors are a list', () => {
    const validationErrors = [required('a', 'say it'), invalidValue('b', 1, 'too small')];
    expect(invalid(subject, validationErrors).message).toBe(
      'Pod "a" is invalid: [a: Required value: say it, b: Invalid value: 1: too small]',
    );
  });

  test('a repeated validation error is in the message once and in the causes each time', () => {
    const error = invalid(subject, [required('a'), required('a')]);
    expect(error.message).toBe('Pod "a" is invalid: a: Required value');
    expect(error.details?.causes).toHaveLength(2);
  });

  test('the group stands behind the kind', () => {
    const error = invalid({ group: 'g.example.com', kind: 'Lease', name: '' }, [required('a')]);
    expect(error.message).toBe('Lease.g.example.com "" is invalid: a: Required value');
    expect(error.details).toMatchObject({ group: 'g.example.com', kind: 'Lease' });
    expect(error.details).not.toHaveProperty('name');
  });
});

test.each([
  [required('f'), 'FieldValueRequired', 'Required value'],
  [required('f', 'why'), 'FieldValueRequired', 'Required value: why'],
  [invalidValue('f', 'x"y', 'why'), 'FieldValueInvalid', 'Invalid value: "x\\"y": why'],
  [invalidValue('f', undefined, 'why'), 'FieldValueInvalid', 'Invalid value: null: why'],
  [notSupported('f', 'x', ['a', 'b']), 'FieldValueNotSupported', 'Unsupported value: "x": supported values: "a", "b"'],
  [forbiddenField('f', 'why'), 'FieldValueForbidden', 'Forbidden: why'],
  [tooLong('f', 63), 'FieldValueTooLong', 'Too long: may not be more than 63 bytes'],
])('%o is worded', (error, reason, message) => {
  expect({ reason: error.reason, field: error.field, message: error.message }).toEqual({ reason, field: 'f', message });
});

describe('an object with more validation errors than a client reads', () => {
  const subject = { group: '', kind: 'Pod', name: 'a' };

  test('a client receives the first thousand errors, and the number of the rest', () => {
    const validationErrors = Array.from({ length: 60_000 }, (_, i) => invalidValue(`f[${i}]`, 'x', 'why'));
    const { details, message } = invalid(subject, validationErrors);
    expect(details?.causes?.length).toBe(1001);
    expect(details?.causes?.[999]).toMatchObject({ field: 'f[999]' });
    expect(details?.causes?.[1000]?.message).toBe('and at least 59000 more');
    expect(message).toContain('f[999]: Invalid value: "x": why, and at least 59000 more]');
  });

  test('a client does not receive a long list for each of its items', () => {
    const list = Array.from({ length: 20_000 }, (_, i) => `item-${i}`);
    const validationErrors = list.map((item) => invalidValue('f', list, `${item} does not fit`));
    const { message } = invalid(subject, validationErrors);
    expect(message).toContain('"item-1","item-2"');
    expect(message).toContain('...: item-0 does not fit');
    expect(message.length).toBeLessThan(300_000);
  });

  test('a client receives at least one error, however long', () => {
    const { details } = invalid(subject, [invalidValue('f', 'x', 'y'.repeat(300_000)), required('g')]);
    expect(details?.causes?.length).toBe(2);
    expect(details?.causes?.[1]?.message).toBe('and at least 1 more');
  });
});
