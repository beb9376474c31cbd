// A page whose program is loaded when the page is opened.

import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { messageOf } from '../api.ts';

type Empty = Record<never, never>;

/** Shows the component that `load` resolves to. */
export function lazyPage<Props extends object = Empty>(load: () => Promise<ComponentType<Props>>) {
  return function LazyPage(props: Props) {
    const page = useSignal<{ readonly Shown: ComponentType<Props> } | undefined>(undefined);
    const problem = useSignal('');
    useEffect(() => {
      load().then(
        (Shown) => {
          page.value = { Shown };
        },
        (error: unknown) => {
          problem.value = messageOf(error);
        },
      );
    }, []);
    if (problem.value !== '')
      return (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      );
    if (page.value === undefined) return <output class="loading">Loading…</output>;
    const { Shown } = page.value;
    return <Shown {...props} />;
  };
}
