// What a failed call and a refusal of a webhook mean for the request.

import type { JsonFields } from '../../base/json-fields.ts';
import type { ApiError, StatusCause, StatusDetails } from '../../meta/status.ts';
import { refusedByRule } from '../../meta/write-errors.ts';

interface CallProblem {
  readonly code: number;
  readonly isCanceled?: boolean;
  readonly forLog?: string;
}

/** There was no answer that counts; the configuration says whether that matters. */
export class CallingWebhookError extends Error {
  /** The status that stands for what went wrong. */
  readonly code: number;
  readonly isCanceled: boolean;
  /** Without words of the webhook, which may repeat what it was asked about. */
  readonly forLog: string;

  constructor(webhook: string, why: string, { code, isCanceled = false, forLog = why }: CallProblem) {
    super(`failed calling webhook ${JSON.stringify(webhook)}: ${why}`);
    this.code = code;
    this.isCanceled = isCanceled;
    this.forLog = forLog;
  }
}

/** The webhook refused the request. */
export class WebhookDenial extends Error {
  /** As the webhook said it, at least 400. */
  readonly code: number;
  readonly error: ApiError;

  constructor(webhook: string, status: JsonFields | undefined) {
    const [message, reason] = [status?.text('message') ?? '', status?.text('reason') ?? ''];
    const denied = `admission webhook ${JSON.stringify(webhook)} denied the request`;
    const why = message || reason;
    super(why === '' ? `${denied} without explanation` : `${denied}: ${why}`);
    this.code = Math.max(status?.number('code') ?? 0, 400);
    const details = detailsOf(status?.object('details'));
    this.error = refusedByRule({
      code: sendable(this.code),
      message: this.message,
      ...(reason === '' ? {} : { reason }),
      ...(details === undefined ? {} : { details }),
    });
  }
}

/** Codes that no protocol can send become an error of the server. */
const sendable = (code: number) => (Number.isInteger(code) && code < 600 ? code : 500);

function detailsOf(fields: JsonFields | undefined): StatusDetails | undefined {
  if (fields === undefined) return undefined;
  const seconds = fields.number('retryAfterSeconds');
  const causes = fields.objects('causes').map(causeOf);
  return {
    ...texts(fields, ['name', 'group', 'kind', 'uid']),
    ...(causes.length === 0 ? {} : { causes }),
    ...(seconds === undefined || seconds <= 0 ? {} : { retryAfterSeconds: Math.floor(seconds) }),
  };
}

const causeOf = (fields: JsonFields): StatusCause => texts(fields, ['reason', 'message', 'field']);

const texts = (fields: JsonFields, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, fields.text(name)] as const).filter(([, value]) => value !== ''));
