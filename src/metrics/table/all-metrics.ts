// Every metric of the server, by its name in Kubernetes; other dialects show their own word for `kube` and `kubernetes`.

import type { MetricEntry, MetricType } from '../metric-entry.ts';
import { admissionTable } from './admission.ts';
import { controllerTable } from './controllers.ts';
import { flowControlTable } from './flow-control.ts';
import { identityTable } from './identity.ts';
import { requestTable } from './requests.ts';
import { serverTable } from './server.ts';
import { storageTable } from './storage.ts';

/** In the order of the docs. */
export const metricTables = {
  Requests: requestTable,
  Identity: identityTable,
  Admission: admissionTable,
  'Priority and fairness': flowControlTable,
  'Store, caches and watches': storageTable,
  Controllers: controllerTable,
  Server: serverTable,
};

const metricTable = {
  ...requestTable,
  ...identityTable,
  ...admissionTable,
  ...flowControlTable,
  ...storageTable,
  ...controllerTable,
  ...serverTable,
};

type Table = typeof metricTable;

type MetricName = keyof Table;

type HasLabels<Entry extends MetricEntry, Label> = [Entry['labels'][number]] extends [Label]
  ? [Label] extends [Entry['labels'][number]]
    ? true
    : false
  : false;

/** Names of the metrics of some types; with `Label`, of those that have exactly these labels. */
export type NameOf<Type extends MetricType, Label = unknown> = {
  [Name in MetricName]: Table[Name] extends MetricEntry<Type>
    ? unknown extends Label
      ? Name
      : HasLabels<Table[Name], Label> extends true
        ? Name
        : never
    : never;
}[MetricName];

export type LabelsOf<Name extends MetricName> = Readonly<Record<Table[Name]['labels'][number], string>>;

export const entryOf = (name: MetricName): MetricEntry => metricTable[name];
