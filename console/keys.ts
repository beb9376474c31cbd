// Keys that work on every page, and those of the page that is open.

import { useEffect } from 'preact/hooks';

export interface KeyAction {
  readonly keys: readonly string[];
  readonly help: string;
  run(event: KeyboardEvent): void;
}

const sets: (readonly KeyAction[])[] = [];

/** All that work now, for the page of help; the newest set first. */
export const activeKeys = (): readonly KeyAction[] => [...sets].reverse().flat();

const isTyping = (target: EventTarget | null) =>
  target instanceof Element && target.closest('input, textarea, select, [contenteditable], .editor, dialog') !== null;

window.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (isTyping(event.target) || document.querySelector('dialog[open]') !== null) return;
  const action = activeKeys().find(({ keys }) => keys.includes(event.key));
  if (action === undefined) return;
  // a focused link or button keeps its own keys
  if ((event.key === 'Enter' || event.key === ' ') && (event.target as Element).closest('a, button') !== null) return;
  event.preventDefault();
  action.run(event);
});

export function useKeys(actions: readonly KeyAction[]): void {
  useEffect(() => {
    sets.push(actions);
    return () => {
      sets.splice(sets.indexOf(actions), 1);
    };
  });
}
