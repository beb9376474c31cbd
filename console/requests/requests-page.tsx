// The requests that the server answers, as they come: who, what, how long, and the verdict of each stage.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { isAbort, messageOf } from '../api.ts';
import { pageAddress } from '../router.ts';
import { Problem, TableHead } from '../shell/report.tsx';
import { jsonLines } from '../watch-stream.ts';

interface RequestRecord {
  readonly sequence: number;
  readonly auditId: string;
  readonly time: string;
  readonly durationMs: number;
  readonly user: string;
  readonly userAgent: string;
  readonly verb: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
  readonly status: number;
  readonly stages: readonly { readonly name: string; readonly startMs: number; readonly durationMs: number }[];
  readonly verdicts: Readonly<Record<string, unknown>>;
}

const maxRecords = 500;

export function RequestsPage() {
  const records = useSignal<readonly RequestRecord[]>([]);
  const search = useSignal('');
  const isPaused = useSignal(false);
  const problem = useSignal('');
  const opened = useSignal<RequestRecord | undefined>(undefined);
  useEffect(() => {
    const abort = new AbortController();
    const follow = async () => {
      for await (const record of jsonLines<RequestRecord>(
        '/debug/keelson/requests?watch=1',
        'application/json',
        abort.signal,
      ))
        if (!isPaused.value) records.value = [record, ...records.value].slice(0, maxRecords);
    };
    follow().catch((error: unknown) => {
      if (!isAbort(error)) problem.value = messageOf(error);
    });
    return () => abort.abort();
  }, []);
  const words = search.value.toLowerCase().split(/\s+/);
  const shown = records.value.filter((record) => {
    const text = `${record.user} ${record.verb} ${record.path} ${record.status} ${record.auditId} ${record.userAgent}`;
    return words.every((word) => text.toLowerCase().includes(word));
  });
  return (
    <section class="requests">
      <div class="tools">
        <h1>Requests</h1>
        <span class="count">{shown.length}</span>
        <input
          type="search"
          class="search"
          placeholder="User, verb, path, status, audit id"
          aria-label="Search in the requests"
          onInput={({ currentTarget }) => {
            search.value = currentTarget.value;
          }}
        />
        <button
          type="button"
          aria-pressed={isPaused.value}
          onClick={() => {
            isPaused.value = !isPaused.value;
          }}
        >
          {isPaused.value ? 'Go on' : 'Pause'}
        </button>
        <Problem text={problem.value} />
      </div>
      <div class="both">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long table scrolls by keys */}
        <div class="scrolled" tabIndex={0} role="region" aria-label="Newest requests">
          <table>
            <TableHead titles={['Time', 'User', 'Verb', 'Path', 'Status', 'ms']} />
            <tbody>
              {shown.map((record) => (
                <tr key={record.sequence} class={record === opened.value ? 'current' : ''}>
                  <td>{record.time.slice(11, 23)}</td>
                  <td>{record.user}</td>
                  <td>{record.verb}</td>
                  <td>
                    <button
                      type="button"
                      onClick={() => {
                        opened.value = record;
                      }}
                    >
                      {record.path}
                    </button>
                  </td>
                  <td class={record.status < 400 ? 'good' : 'bad'}>{record.status}</td>
                  <td>{record.durationMs.toFixed(1)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        {opened.value !== undefined && <Details record={opened.value} />}
      </div>
    </section>
  );
}

function Details({ record }: { readonly record: RequestRecord }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text scrolls by keys
    <div class="details" role="region" tabIndex={0} aria-label="The request">
      <h2>
        {record.verb} {record.path}
      </h2>
      <p class="hint">
        {record.user} · {record.userAgent} · audit id {record.auditId}
      </p>
      {record.verdicts['store'] !== undefined && (
        <p>
          <a href={`${pageAddress('policies')}?request=${record.sequence}`}>Try a policy on it</a>
        </p>
      )}
      <h2>Time of each stage</h2>
      <table>
        <tbody>
          {record.stages.map(({ name, durationMs }, at) => (
            <tr key={`${at} ${name}`}>
              <th scope="row">{name}</th>
              <td>{durationMs.toFixed(2)} ms</td>
            </tr>
          ))}
        </tbody>
      </table>
      {Object.entries(record.verdicts).map(([stage, verdict]) => (
        <section key={stage}>
          <h2>{titles[stage] ?? stage}</h2>
          {typeof verdict === 'object' ? <pre>{JSON.stringify(verdict, undefined, 2)}</pre> : <p>{String(verdict)}</p>}
        </section>
      ))}
    </div>
  );
}

const titles: Readonly<Record<string, string>> = {
  authentication: 'Authenticated by',
  flowControl: 'Flow control',
  authorization: 'Authorized by',
  admission: 'Admission',
  store: 'Store',
  notifiedWatches: 'Notified watches',
};
