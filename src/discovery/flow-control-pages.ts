// Tables of priority levels, queues and requests, for those who look for the reason of a wait.

import { levelsTable, queuesTable, requestsTable } from '../flow-control/debug-tables.ts';
import type { FlowControl } from '../flow-control/flow-control.ts';
import type { ApiResponse } from '../meta/exchange.ts';
import type { Routes } from './routes.ts';

const root = '/debug/api_priority_and_fairness';

export function addFlowControlPages(routes: Routes, { table }: FlowControl): void {
  routes.addUnlisted(`${root}/dump_priority_levels`, () => page(levelsTable(table)));
  routes.addUnlisted(`${root}/dump_queues`, () => page(queuesTable(table)));
  routes.addUnlisted(`${root}/dump_requests`, ({ query }) =>
    page(requestsTable(table, (query.get('includeRequestDetails') ?? '') !== '')),
  );
}

const page = (body: string): ApiResponse => ({
  status: 200,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body,
});
