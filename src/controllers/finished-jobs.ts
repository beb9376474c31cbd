// Deletes jobs that are over, when they say how long they are to be kept.

import type { ApiObject } from '../meta/object.ts';
import type { ControllerFactory } from './controller.ts';
import { expiryController } from './expiry.ts';
import { mentioning, only } from './object-feed.ts';

interface Job extends ApiObject {
  readonly spec?: { readonly ttlSecondsAfterFinished?: number };
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly lastTransitionTime?: string;
    }[];
  };
}

export function endOfJob(object: ApiObject): number | undefined {
  const { spec = {}, status = {} } = object as Job;
  const over = (status.conditions ?? []).find(
    ({ type, status: holds }) => (type === 'Complete' || type === 'Failed') && holds === 'True',
  );
  if (spec.ttlSecondsAfterFinished === undefined || over?.lastTransitionTime === undefined) return undefined;
  return Date.parse(over.lastTransitionTime) + spec.ttlSecondsAfterFinished * 1000;
}

const mayEnd = mentioning('"ttlSecondsAfterFinished":');

export const finishedJobController: ControllerFactory = (context) =>
  expiryController(context, {
    queue: 'ttl_jobs_to_delete',
    wants: only('batch', 'jobs'),
    mayExpire: ({ json }) => mayEnd(json),
    endOf: endOfJob,
    propagationPolicy: 'Foreground',
  });
