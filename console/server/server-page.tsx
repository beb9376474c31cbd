// What the server is busy with: watches, threads, flow control, the store. Read again every few seconds.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { call, getJson, isAbort, messageOf } from '../api.ts';
import { Problem, Report, ReportTable } from '../shell/report.tsx';
import { type ServerState, stateIn } from './server-state.ts';

interface OpenWatch {
  readonly user: string;
  readonly userAgent: string;
  readonly since: number;
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly selector: string;
  readonly sentBytes: number;
  readonly unsentBytes: number;
}

interface OpenWatches {
  readonly watches: readonly OpenWatch[];
  readonly total: number;
}

interface Remembered {
  readonly newest: number;
  readonly oldest: number;
}

const pauseMs = 5000;

const bytes = (count: number) =>
  count < 1024
    ? `${count} B`
    : count < 1024 ** 2
      ? `${(count / 1024).toFixed(1)} KiB`
      : `${(count / 1024 ** 2).toFixed(1)} MiB`;
const percent = (share: number) => `${Math.round(share * 100)} %`;

export function ServerPage() {
  const state = useSignal<ServerState | undefined>(undefined);
  const open = useSignal<OpenWatches | undefined>(undefined);
  const remembered = useSignal<Remembered | undefined>(undefined);
  const problem = useSignal('');
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    let timer = 0;
    const read = async () => {
      try {
        const [watches, metrics] = await Promise.all([
          getJson<OpenWatches>('/debug/keelson/watches', { signal }),
          call('/metrics', { accept: 'text/plain', signal }).then((answer) => answer.text()),
        ]);
        open.value = watches;
        state.value = stateIn(metrics);
        const history = '/debug/keelson/history?version=v1&resource=namespaces&limit=1';
        remembered.value = await getJson<Remembered>(history, { signal });
        problem.value = '';
      } catch (error) {
        if (isAbort(error)) return;
        problem.value = messageOf(error);
      }
      timer = window.setTimeout(() => void read(), pauseMs);
    };
    void read();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, []);
  return (
    <Report title="Server" hint={`read every ${pauseMs / 1000} seconds`}>
      <Problem text={problem.value} />
      {state.value !== undefined && <State state={state.value} remembered={remembered.value} />}
      {open.value !== undefined && <Watches {...open.value} />}
    </Report>
  );
}

function State({ state, remembered }: { readonly state: ServerState; readonly remembered: Remembered | undefined }) {
  const { threads, levels, storeBytes, objects, memoryBytes, underWay } = state;
  return (
    <>
      <dl class="figures">
        <Figure title="Objects" value={objects.toLocaleString('en')} />
        <Figure title="Store" value={storeBytes === undefined ? 'not a file' : bytes(storeBytes)} />
        {remembered !== undefined && (
          <Figure
            title="History"
            value={`${(remembered.newest - remembered.oldest).toLocaleString('en')} writes, to revision ${remembered.newest}`}
          />
        )}
        <Figure title="Memory" value={bytes(memoryBytes)} />
        <Figure title="Requests under way" value={String(underWay)} />
      </dl>
      {threads.length > 0 && (
        <>
          <h2>Threads</h2>
          <ReportTable
            label="Threads"
            titles={['Thread', 'Load', 'Memory of objects']}
            rows={threads.map(({ thread, load, heapBytes }) => [
              thread === '0' ? 'main' : thread,
              <Bar share={load} text={percent(load)} />,
              bytes(heapBytes),
            ])}
          />
        </>
      )}
      <h2>Flow control</h2>
      <ReportTable
        label="Priority levels"
        titles={['Priority level', 'Seats in use', 'Waiting', 'Refused since the start']}
        rows={levels.map(({ name, executing, limit, waiting, refused }) => [
          name,
          <Bar share={limit === 0 ? 0 : executing / limit} text={`${executing} of ${limit}`} />,
          <span class={waiting > 0 ? 'warn' : ''}>{waiting}</span>,
          <span class={refused > 0 ? 'bad' : ''}>{refused}</span>,
        ])}
      />
    </>
  );
}

const Figure = ({ title, value }: { readonly title: string; readonly value: string }) => (
  <div>
    <dt>{title}</dt>
    <dd>{value}</dd>
  </div>
);

const Bar = ({ share, text }: { readonly share: number; readonly text: string }) => (
  <span class="meter">
    <meter min={0} max={1} value={Math.min(share, 1)} aria-label={text} /> {text}
  </span>
);

function Watches({ watches, total }: OpenWatches) {
  const now = Date.now();
  return (
    <>
      <h2>
        Watches{' '}
        <small>{total === watches.length ? total : `${watches.length} of ${total}, those furthest behind`}</small>
      </h2>
      <ReportTable
        label="Watches"
        titles={['User', 'Program', 'Resource', 'Namespace', 'Selector', 'Open for', 'Sent', 'Behind']}
        rows={watches.map((watch) => [
          watch.user,
          watch.userAgent,
          `${watch.resource}${watch.group === '' ? '' : `.${watch.group}`}`,
          watch.namespace === '' ? 'all' : watch.namespace,
          watch.selector,
          `${Math.max(0, Math.round((now - watch.since) / 1000))} s`,
          bytes(watch.sentBytes),
          <span class={watch.unsentBytes > 0 ? 'warn' : ''}>{bytes(watch.unsentBytes)}</span>,
        ])}
      />
    </>
  );
}
