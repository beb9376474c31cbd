// The logs of a pod: what may be asked of them, and of which node.

import { forbiddenField, invalidValue, notSupported } from '../../../../meta/field-errors.ts';
import { type Query, queryFlag, queryInteger } from '../../../../meta/query.ts';
import { badRequest, type FieldError, invalid } from '../../../../meta/status.ts';
import { normalizeTime } from '../../../../meta/time.ts';
import type { ConnectSubresource } from '../../../../schema/subresource.ts';
import { timePieces, timeProblem } from '../../../../wording/time-problem.ts';
import { agentOfPod } from '../node/node-connect.ts';
import { containerOf, pathOf, podOf } from './pod-backend.ts';

export const log: ConnectSubresource = {
  is: 'connect',
  name: 'log',
  verbs: ['get'],
  shows: { group: '', version: 'v1', kind: 'Pod' },
  onlyReads: true,
  parameters: [
    { name: 'container', type: 'string', about: 'Name of the container; needed where there are several.' },
    { name: 'follow', type: 'boolean', about: 'Goes on with what is written later.' },
    { name: 'insecureSkipTLSVerifyBackend', type: 'boolean', about: 'Does not look at the certificate of the node.' },
    { name: 'limitBytes', type: 'integer', about: 'Most bytes to send.' },
    { name: 'previous', type: 'boolean', about: 'Of the container before its last restart.' },
    { name: 'sinceSeconds', type: 'integer', about: 'Only what is not older than this.' },
    { name: 'sinceTime', type: 'string', about: 'Only what was written after this time.' },
    { name: 'stream', type: 'string', about: 'All, Stdout or Stderr; needs the gate PodLogsQuerySplitStreams.' },
    { name: 'tailLines', type: 'integer', about: 'Most lines to send, counted from the end.' },
    { name: 'timestamps', type: 'boolean', about: 'Begins each line with its time.' },
  ],
  async locate(call) {
    const { query, ref } = call;
    const wanted = readOptions(query);
    const found = validateOptions(wanted, call.splitsLogs);
    if (found.length > 0) throw invalid({ group: '', kind: 'PodLogOptions', name: ref.name }, found);
    const pod = await podOf(call);
    const container = containerOf(pod, query.get('container') ?? '');
    const nodeName = pod.spec?.nodeName ?? '';
    // no node runs it yet: there is nothing to read
    if (nodeName === '') return undefined;
    const place = await agentOfPod(nodeName, call);
    const path = pathOf('containerLogs', pod, container, agentParameters(wanted, call.splitsLogs));
    const isTrusted = queryFlag(query, 'insecureSkipTLSVerifyBackend');
    return { ...place, path, mode: 'fetch', ...(isTrusted ? { isTrusted } : {}) };
  },
};

const flags = ['follow', 'previous', 'timestamps'] as const;

interface LogOptions {
  readonly flags: readonly string[];
  readonly tailLines: number | undefined;
  readonly limitBytes: number | undefined;
  readonly sinceSeconds: number | undefined;
  readonly sinceTime: string | undefined;
  readonly stream: string | undefined;
}

const readOptions = (query: Query): LogOptions => ({
  flags: flags.filter((flag) => queryFlag(query, flag)),
  tailLines: queryInteger(query, 'tailLines'),
  limitBytes: queryInteger(query, 'limitBytes'),
  sinceSeconds: queryInteger(query, 'sinceSeconds'),
  sinceTime: readTime(query.get('sinceTime')),
  stream: query.get('stream'),
});

function readTime(text: string | undefined): string | undefined {
  if (!text) return undefined;
  const time = normalizeTime(text);
  if (time === undefined) throw badRequest(timeProblem(text, timePieces));
  return time;
}

const streams = ['All', 'Stderr', 'Stdout'];

function validateOptions(options: LogOptions, splitsLogs: boolean): readonly FieldError[] {
  const { tailLines, limitBytes, sinceSeconds, sinceTime } = options;
  const least = (field: string, value: number | undefined, limit: number, detail: string) =>
    value !== undefined && value < limit ? [invalidValue(field, value, detail)] : [];
  return [
    ...least('tailLines', tailLines, 0, 'must be greater than or equal to 0'),
    ...least('limitBytes', limitBytes, 1, 'must be greater than 0'),
    ...(sinceSeconds !== undefined && sinceTime !== undefined
      ? [forbiddenField('[]', 'at most one of `sinceTime` or `sinceSeconds` may be specified')]
      : least('sinceSeconds', sinceSeconds, 1, 'must be greater than 0')),
    ...validateStream(options, splitsLogs),
  ];
}

/** One stream alone can be asked for where nodes can tell them apart; its lines are not counted from the end. */
function validateStream({ stream, tailLines }: LogOptions, splitsLogs: boolean): readonly FieldError[] {
  if (stream === undefined) return [];
  if (!splitsLogs) return [forbiddenField('stream', 'may not be specified')];
  return [
    ...(streams.includes(stream) ? [] : [notSupported('stream', stream, streams)]),
    ...(stream !== 'All' && tailLines !== undefined
      ? [forbiddenField('', '`tailLines` and specific `stream` are mutually exclusive for now')]
      : []),
  ];
}

/** The same in the agent's own terms. */
function agentParameters({ flags: set, stream = 'All', ...others }: LogOptions, splitsLogs: boolean): URLSearchParams {
  const parameters = new URLSearchParams(set.map((flag) => `${flag}=true`).join('&'));
  for (const name of ['sinceSeconds', 'sinceTime', 'tailLines', 'limitBytes'] as const) {
    const value = others[name];
    if (value !== undefined) parameters.set(name, String(value));
  }
  if (splitsLogs) parameters.set('stream', stream);
  return parameters;
}
