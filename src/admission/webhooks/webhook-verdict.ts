// What a failed call and a refusal of a webhook mean for the request.

import type { ApiError, StatusCause, StatusDetails } from '../../meta/status.ts';
import { refusedByRule } from '../../meta/write-errors.ts';
import type { ReviewStatus } from './review-type.ts';

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

  constructor(webhook: string, said: ReviewStatus = {}) {
    const { message = '', reason = '', code = 0, details: given, metadata, status = '' } = said;
    const denied = `admission webhook ${JSON.stringify(webhook)} denied the request`;
    const why = message || reason;
    super(why === '' ? `${denied} without explanation` : `${denied}: ${why}`);
    this.code = Math.max(code, 400);
    const details = given && detailsOf(given);
    this.error = refusedByRule({
      code: sendable(this.code),
      message: this.message,
      ...(reason === '' ? {} : { reason }),
      ...(details === undefined ? {} : { details }),
      ...(metadata === undefined ? {} : { metadata }),
      // a webhook may say that it is something else than a failure, but not that it is a success
      ...(status === '' || status === 'Success' ? {} : { status }),
    });
  }
}

/** Codes that no protocol can send become an error of the server. */
const sendable = (code: number) => (Number.isInteger(code) && code < 1000 ? code : 500);

function detailsOf({ causes = [], retryAfterSeconds: seconds = 0, ...texts }: Details): StatusDetails {
  return {
    ...given(texts),
    ...(causes.length === 0 ? {} : { causes: causes.map(causeOf) }),
    ...(seconds <= 0 ? {} : { retryAfterSeconds: seconds }),
  };
}

type Details = NonNullable<ReviewStatus['details']>;

const causeOf = (cause: NonNullable<Details['causes']>[number]): StatusCause => given(cause);

const given = <T extends object>(texts: T): T =>
  Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== '')) as T;
