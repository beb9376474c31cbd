// Jump to a kind: by its name, plural, short name or group.

import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { canList, groupTitle, type Kind, kinds } from '../discovery.ts';
import { go, listAddress } from '../router.ts';
import { Dialog } from './dialog.tsx';

const maxShown = 12;

/** Exact names before those that begin so, before those that contain it. */
export function matchingKinds(all: readonly Kind[], text: string): readonly Kind[] {
  const word = text.trim().toLowerCase();
  const rank = ({ kind, plural, shortNames, group }: Kind) => {
    const names = [kind.toLowerCase(), plural, ...shortNames];
    if (names.includes(word)) return 0;
    if (names.some((name) => name.startsWith(word))) return 1;
    return names.some((name) => name.includes(word)) || group.includes(word) ? 2 : 3;
  };
  const ranked = all.filter(canList).map((kind) => ({ kind, rank: rank(kind) }));
  const matching = ranked.filter((entry) => entry.rank < 3).sort((a, b) => a.rank - b.rank);
  return matching.slice(0, maxShown).map(({ kind }) => kind);
}

export function Palette({ onClose }: { onClose(): void }) {
  const text = useSignal('');
  const at = useSignal(0);
  const input = useRef<HTMLInputElement>(null);
  // before the next key arrives
  useLayoutEffect(() => input.current?.focus(), []);
  const matching = matchingKinds(kinds.value, text.value);
  const choose = (kind: Kind | undefined) => {
    if (kind === undefined) return;
    onClose();
    go(listAddress(kind));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      at.value = Math.min(Math.max(at.value + step, 0), Math.max(matching.length - 1, 0));
    }
    if (event.key === 'Enter') choose(matching[at.value]);
  };
  return (
    <Dialog title="Jump to a kind" onClose={onClose}>
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-label="Kind"
        aria-expanded="true"
        aria-controls="palette-kinds"
        aria-activedescendant={matching.length === 0 ? undefined : `palette-${at.value}`}
        placeholder="po, deployments, networking…"
        onKeyDown={onKeyDown}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
          at.value = 0;
        }}
      />
      <div id="palette-kinds" role="listbox" aria-label="Matching kinds" class="choices" tabIndex={-1}>
        {matching.map((kind, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the text field
          <div
            key={kind.group + kind.plural}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at.value}
            onClick={() => choose(kind)}
          >
            <b>{kind.kind}</b>
            <span>{groupTitle(kind.group)}</span>
            <span>{kind.shortNames.join(', ')}</span>
          </div>
        ))}
      </div>
    </Dialog>
  );
}
