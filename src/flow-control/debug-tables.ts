// The state of priority levels, queues and requests as tables of text, as kube-apiserver has them.

import { formatApiVersion } from '../meta/group-version.ts';
import type { LevelTable } from './level-table.ts';
import type { PriorityLevel } from './priority-level.ts';
import type { SeatedRequest } from './seated-request.ts';

type Row = readonly string[];

const levelColumns = [
  ...['PriorityLevelName', 'ActiveQueues', 'IsIdle', 'IsQuiescing', 'WaitingRequests', 'ExecutingRequests'],
  ...['DispatchedRequests', 'RejectedRequests', 'TimedoutRequests', 'CancelledRequests'],
];
const queueColumns = [
  ...['PriorityLevelName', 'Index', 'PendingRequests', 'ExecutingRequests', 'SeatsInUse', 'NextDispatchR'],
  ...['InitialSeatsSum', 'MaxSeatsSum', 'TotalWorkSum'],
];
// as in kube-apiserver, one of the columns is misspelled
const requestColumns = [
  ...['PriorityLevelName', 'FlowSchemaName', 'QueueIndex', 'RequestIndexInQueue', 'FlowDistingsher', 'ArriveTime'],
  ...['InitialSeats', 'FinalSeats', 'AdditionalLatency', 'StartTime'],
];
const detailColumns = ['UserName', 'Verb', 'APIPath', 'Namespace', 'Name', 'APIVersion', 'Resource', 'SubResource'];

export function levelsTable(table: LevelTable): string {
  return textOf([levelColumns, ...sorted(table).map(levelRow)]);
}

export function queuesTable(table: LevelTable): string {
  return textOf([queueColumns, ...sorted(table).flatMap(queueRows)]);
}

export function requestsTable(table: LevelTable, withDetails: boolean): string {
  const header = withDetails ? [...requestColumns, ...detailColumns] : requestColumns;
  return textOf([header, ...sorted(table).flatMap((level) => requestRows(level, withDetails))]);
}

const sorted = ({ levels }: LevelTable) => levels.toSorted((a, b) => (a.name < b.name ? -1 : 1));

function levelRow({ name, queues, isEnding, stats }: PriorityLevel): Row {
  const counts = [...stats];
  const sum = (read: (one: (typeof counts)[number]) => number) => counts.reduce((total, one) => total + read(one), 0);
  const refused = sum(({ refused: reasons }) => Object.values(reasons).reduce((total, count) => total + count, 0));
  return [
    name,
    ...[queues.nextStarts.length, queues.isIdle, isEnding, queues.waiting, queues.executing].map(String),
    ...[sum(({ dispatched }) => dispatched), refused].map(String),
    ...[sum((one) => one.refused['time-out']), sum((one) => one.refused.cancelled)].map(String),
  ];
}

function queueRows({ name, queues }: PriorityLevel): readonly Row[] {
  return queues.queues.map(({ waiting, executing, seatsInUse, nextStart, waitingWork }, index) => {
    const sum = (read: (request: SeatedRequest) => number) =>
      waiting.reduce((total, request) => total + read(request), 0);
    return [
      name,
      ...[index, waiting.length, executing.size, seatsInUse].map(String),
      seatSeconds(nextStart),
      ...[sum(({ initialSeats }) => initialSeats), sum(({ seats }) => seats)].map(String),
      seatSeconds(waitingWork),
    ];
  });
}

function requestRows({ name, queues }: PriorityLevel, withDetails: boolean): readonly Row[] {
  const row = (queue: number, at: number, request: SeatedRequest): Row => [
    ...[name, request.stats.schema, String(queue), String(at), request.distinguisher, timeOf(request.arrivedAt)],
    ...[String(request.initialSeats), String(request.finalSeats), durationOf(request.extraMs)],
    timeOf(request.startedAt),
    ...(withDetails ? details(request) : []),
  ];
  return [
    ...queues.queues.flatMap(({ waiting, executing }, queue) => [
      ...waiting.map((request, at) => row(queue, at, request)),
      ...[...executing].map((request) => row(queue, -1, request)),
    ]),
    ...[...queues.seated].map((request) => row(-1, -1, request)),
  ];
}

function details({ subject: { user, info } }: SeatedRequest): Row {
  const { verb, path, namespace, name, resource, subresource } = info;
  return [user.name, verb, path, namespace, name, formatApiVersion(info), resource, subresource];
}

/** A cell with its comma is as wide as the widest of its column and a space, at least eight characters. */
function textOf(rows: readonly Row[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(8, ...rows.map((row) => (row[at] ?? '').length + 2)));
  const line = (row: Row) =>
    row.map((cell, at) => (at === row.length - 1 ? cell : `${cell},`.padEnd(widths[at] ?? 0))).join('');
  return rows.map((row) => `${oneLine(line(row))}\n`).join('');
}

/** Names of users may have any character. */
const oneLine = (text: string) => text.replace(/\p{Cc}/gu, '?');

const seatSeconds = (value: number) => `${value.toFixed(8)}ss`;

/** Requests that wait have not started. */
function timeOf(ms: number): string {
  return ms === 0 ? '0001-01-01T00:00:00Z' : new Date(ms).toISOString().replace(/\.?0*Z$/, 'Z');
}

function durationOf(ms: number): string {
  if (ms === 0) return '0s';
  return ms < 1000 ? `${ms}ms` : `${ms / 1000}s`;
}
