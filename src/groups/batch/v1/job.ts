// Job: runs pods until a wanted number of them finish successfully.

import { checkSubdomain } from '../../../meta/names.ts';
import { formatAge } from '../../../meta/time.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { selectorColumn, templateColumns } from '../../apps/v1/template-columns.ts';
import { ageColumn, textColumn } from '../../columns.ts';
import { jobRules } from './job-rules.ts';
import { jobStatusPart } from './job-status-rules.ts';
import { type Job, jobType } from './job-type.ts';

function stateOf({ metadata, status }: Job): string {
  const has = (type: string) => status?.conditions?.find((one) => one.type === type)?.status === 'True';
  if (has('Complete')) return 'Complete';
  if (has('Failed')) return 'Failed';
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(has) ?? 'Running';
}

function completionsOf({ spec, status }: Job): string {
  const succeeded = status?.succeeded ?? 0;
  if (spec?.completions !== undefined) return `${succeeded}/${spec.completions}`;
  const parallelism = spec?.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationOf({ status }: Job, now: number): string {
  if (!status?.startTime) return '';
  const end = status.completionTime ? Date.parse(status.completionTime) : now;
  return formatAge(end - Date.parse(status.startTime));
}

export const job = defineKind(jobType, {
  kind: 'Job',
  plural: 'jobs',
  namespaced: true,
  categories: ['all'],
  verbs: allVerbs,
  checkName: checkSubdomain,
  deletion: {
    dependents: 'orphaned',
    warning:
      'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  },
  generationIgnores: ['status'],
  quirks: { refusesFields: 'ofKind' },
  selectableFields: { 'status.successful': (object) => String(object.status?.succeeded ?? 0) },
  columns: [
    nameColumn,
    textColumn('Status', 'Where the job is in its life.', stateOf),
    textColumn('Completions', 'Pods that succeeded, of those wanted.', completionsOf),
    textColumn('Duration', 'How long the job has run, or ran.', (o, now) => durationOf(o, now)),
    ageColumn,
    ...templateColumns((o: Job) => o.spec?.template),
    selectorColumn((o) => o.spec?.selector),
  ],
  subresources: [jobStatusPart],
  strategy: jobRules,
});
