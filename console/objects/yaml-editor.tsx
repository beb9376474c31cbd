// The text of an object in an editor.

import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Kind } from '../discovery.ts';
import type { Right } from '../rights.ts';
import { useChange } from './change.tsx';
import type { Editor } from './editor.ts';
import { hideValues, restoreValues } from './hidden-values.ts';
import { schemaOf } from './load-schema.ts';
import { type ApiObject, editable } from './object-state.ts';
import type { Schema } from './schema.ts';

type EditorModule = typeof import('./editor.ts');

interface YamlProps {
  readonly kind: Kind;
  readonly object: ApiObject;
  readonly right: Right | undefined;
  onSaved(object: ApiObject): void;
}

interface Loaded {
  readonly module: EditorModule;
  readonly editor: Editor;
  readonly schema: Schema | undefined;
}

export function YamlEditor({ kind, object, right, onSaved }: YamlProps) {
  const host = useRef<HTMLDivElement>(null);
  const loaded = useRef<Loaded | undefined>(undefined);
  const hasChanges = useSignal(false);
  const change = useChange({ kind, object, onSaved });
  useEffect(() => {
    let isOpen = true;
    void Promise.all([import('./editor.ts'), schemaOf(kind).catch(() => undefined)]).then(([module, schema]) => {
      if (!isOpen || host.current === null) return;
      const label = `${kind.kind} as YAML`;
      const onChange = () => {
        hasChanges.value = true;
      };
      const editor = module.openEditor(host.current, { schema, label, onChange, isReadOnly: right?.allowed === false });
      loaded.current = { module, editor, schema };
      show();
    });
    return () => {
      isOpen = false;
      loaded.current?.editor.close();
      loaded.current = undefined;
    };
  }, [right?.allowed]);
  const show = () => {
    if (loaded.current !== undefined) {
      const text = loaded.current.module.toText(hideValues(kind, editable(object)));
      loaded.current.editor.show(text, object.metadata.managedFields ?? []);
    }
    hasChanges.value = false;
  };
  useEffect(show, [object]);

  const review = async () => {
    const { module, editor, schema } = loaded.current as Loaded;
    const document = module.parseText(editor.text());
    const [first] = document.errors;
    if (first !== undefined) {
      change.problem.value = first.message;
      return;
    }
    const edited = document.toJS() as Record<string, unknown>;
    await change.review(restoreValues(kind, edited, editable(object)), schema);
  };
  return (
    <div class="yaml">
      <div class="actions">
        <button
          type="button"
          class="primary"
          disabled={!hasChanges.value || right?.allowed === false}
          title={right?.reason ?? ''}
          onClick={() => void review()}
        >
          Review and save
        </button>
        <button type="button" disabled={!hasChanges.value} onClick={show}>
          Discard
        </button>
        <span class="problem" role="alert">
          {change.problem.value}
        </span>
      </div>
      <div ref={host} class="editor" />
      {change.dialog}
    </div>
  );
}
