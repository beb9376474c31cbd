// Type of CronJob: its fields, and what its rules need to know of it.

import type { ApiObject } from '../../../meta/object.ts';
import { bool, dateTime, field, type Infer, int32, int64, listOf, string, struct } from '../../../schema/types.ts';
import { objectReference } from '../../core/v1/references.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { jobSpec } from './job-type.ts';

const home = 'batch/v1';

const jobTemplateSpec = struct(home, 'JobTemplateSpec', 'The Job that a CronJob creates, with its metadata.', () => ({
  metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
  spec: field(2, jobSpec, { always: true, about: 'Configuration of each Job made from this template.' }),
}));

const cronJobSpec = struct(home, 'CronJobSpec', 'Desired configuration of a CronJob.', () => ({
  schedule: field(1, string, {
    always: true,
    required: true,
    about: 'When to run, in five-field cron form such as "*/5 * * * *", or a shorthand like "@hourly".',
  }),
  timeZone: field(8, string, {
    pointer: true,
    about: 'IANA zone name such as "Europe/Berlin" for the schedule; unset means the controller manager\'s own zone.',
  }),
  startingDeadlineSeconds: field(2, int64, {
    pointer: true,
    about: 'Seconds a missed run may still be started late; unset means no limit.',
  }),
  concurrencyPolicy: field(3, string, {
    goType: 'ConcurrencyPolicy',
    enum: ['Allow', 'Forbid', 'Replace'],
    about: 'What to do while a previous run is active: Allow (default), Forbid to skip, or Replace it.',
  }),
  suspend: field(4, bool, {
    pointer: true,
    about: 'When true, no further runs start; runs already going are not touched. Default false.',
  }),
  jobTemplate: field(5, jobTemplateSpec, {
    always: true,
    required: true,
    about: 'The Job that is created for every run.',
  }),
  successfulJobsHistoryLimit: field(6, int32, {
    pointer: true,
    about: 'Number of finished successful Jobs to keep; default 3, 0 keeps none.',
  }),
  failedJobsHistoryLimit: field(7, int32, {
    pointer: true,
    about: 'Number of finished failed Jobs to keep; default 1, 0 keeps none.',
  }),
}));

const cronJobStatus = struct(home, 'CronJobStatus', 'What a CronJob has started most recently.', () => ({
  active: field(1, listOf(objectReference), {
    listType: 'atomic',
    about: 'References to the Jobs that are running now.',
  }),
  lastScheduleTime: field(4, dateTime, { pointer: true, about: 'When a Job was last started by the schedule.' }),
  lastSuccessfulTime: field(5, dateTime, {
    pointer: true,
    about: 'When a Job of this CronJob last finished successfully.',
  }),
}));

export const cronJobType = struct(home, 'CronJob', 'Creates a Job again and again on a cron schedule.', () => ({
  metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
  spec: field(2, cronJobSpec, {
    always: true,
    required: true,
    about: 'The schedule, and the Job to create each time.',
  }),
  status: field(3, cronJobStatus, {
    always: true,
    about: 'What the CronJob controller has run so far; read-only for users.',
  }),
}));

export type CronJob = ApiObject & Infer<typeof cronJobType>;
