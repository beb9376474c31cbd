// The lines of a watch, as they come.

import { call } from './api.ts';

export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: T;
}

export const watchLines = <T>(path: string, accept: string, signal: AbortSignal) =>
  jsonLines<WatchEvent<T>>(path, accept, signal);

/** Each line of an answer, parsed. */
export async function* jsonLines<T>(path: string, accept: string, signal: AbortSignal): AsyncGenerator<T> {
  const answer = await call(path, { accept, signal });
  if (answer.body === null) return;
  let rest = '';
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + value).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') yield JSON.parse(line) as T;
    }
  } finally {
    void reader.cancel().catch(() => {});
  }
}
