// CronJob: creates a Job again and again on a cron schedule.

import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { selectorColumn, templateColumns } from '../../apps/v1/template-columns.ts';
import { ageColumn, column, numberColumn, since, textColumn } from '../../columns.ts';
import { statusOnly } from '../../subresources.ts';
import { checkCronJobName, cronJobRules } from './cron-job-rules.ts';
import { type CronJob, cronJobType } from './cron-job-type.ts';

const specOf = (object: CronJob) => object.spec ?? {};

const suspendText = (suspend: boolean | undefined) => (suspend === undefined ? '<unset>' : suspend ? 'True' : 'False');

function lastSchedule({ status }: CronJob, now: number): string {
  return status?.lastScheduleTime ? since(status.lastScheduleTime, now) : '<none>';
}

export const cronJob = defineKind(cronJobType, {
  kind: 'CronJob',
  plural: 'cronjobs',
  namespaced: true,
  shortNames: ['cj'],
  categories: ['all'],
  verbs: allVerbs,
  checkName: checkCronJobName,
  generationIgnores: ['status'],
  columns: [
    nameColumn,
    textColumn('Schedule', 'When jobs are due.', (o) => specOf(o).schedule ?? ''),
    textColumn('Timezone', 'Time zone of the schedule.', (o) => specOf(o).timeZone ?? '<none>'),
    column('boolean', 'Suspend', 'Whether no further jobs are made.', (o) => suspendText(specOf(o).suspend)),
    numberColumn('Active', 'Jobs that run now.', (o) => o.status?.active?.length ?? 0),
    textColumn('Last Schedule', 'Time since a job was last due.', (o, now) => lastSchedule(o, now)),
    ageColumn,
    ...templateColumns((o: CronJob) => specOf(o).jobTemplate?.spec?.template),
    selectorColumn((o) => specOf(o).jobTemplate?.spec?.selector),
  ],
  subresources: [{ ...statusOnly, updateChecks: { metaChange: 0 } }],
  strategy: cronJobRules,
});
