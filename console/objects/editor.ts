// The text editor: YAML with help from the schema, problems at their line, and the owner of each field in the gutter. Loaded on demand.

import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { linter, lintGutter } from '@codemirror/lint';
import { search, searchKeymap } from '@codemirror/search';
import { type Extension, RangeSet, StateEffect, StateField } from '@codemirror/state';
import { EditorView, GutterMarker, gutter, hoverTooltip, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { parseText, problemsOf } from './check-text.ts';
import { type ManagedFields, ownersByOffset } from './field-owners.ts';
import { itemSchema, propertySchema, type Schema } from './schema.ts';

export { parseText } from './check-text.ts';
export { toText } from './yaml-text.ts';

export interface Editor {
  text(): string;
  /** Replaces the text, with the managers of its fields. */
  show(text: string, managers: readonly ManagedFields[]): void;
  close(): void;
}

interface EditorParts {
  readonly schema: Schema | undefined;
  readonly label: string;
  readonly isReadOnly: boolean;
  onChange(): void;
}

class OwnerMarker extends GutterMarker {
  readonly #owners: readonly ManagedFields[];

  constructor(owners: readonly ManagedFields[]) {
    super();
    this.#owners = owners;
  }

  override toDOM(): Node {
    const element = document.createElement('span');
    element.className = 'owner';
    element.textContent = this.#owners.map(({ manager }) => manager).join(', ');
    element.title = this.#owners.map(describeOwner).join('\n');
    return element;
  }
}

function describeOwner({ manager, operation, subresource, time }: ManagedFields): string {
  return [manager, operation, subresource && `by ${subresource}`, time].filter(Boolean).join(' · ');
}

const setOwners = StateEffect.define<RangeSet<GutterMarker>>();

/** Markers move with the text while a user edits. */
const ownerField = StateField.define<RangeSet<GutterMarker>>({
  create: () => RangeSet.empty,
  update(owners, transaction) {
    const shown = transaction.effects.find((effect) => effect.is(setOwners));
    return shown === undefined ? owners.map(transaction.changes) : (shown.value as RangeSet<GutterMarker>);
  },
});

const colors = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: [tags.string, tags.content], color: 'var(--text)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
  { tag: tags.comment, color: 'var(--faint)' },
]);

const looks = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--surface)', color: 'var(--text)', fontSize: '12.5px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--page)', color: 'var(--faint)', borderRight: '1px solid var(--line)' },
  '.cm-owners .cm-gutterElement': { maxWidth: '190px', overflow: 'hidden', padding: '0 8px', whiteSpace: 'nowrap' },
  '.owner': { color: 'var(--faint)', fontSize: '11px' },
  // the usual marks are images in the style sheet, which the policy of the page refuses
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--bad)' },
  '.cm-lint-marker-error': { content: '"●"', color: 'var(--bad)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--line)',
    color: 'var(--text)',
    maxWidth: '480px',
  },
  '.cm-tooltip .help': { padding: '6px 10px', whiteSpace: 'pre-wrap' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
});

export function openEditor(host: HTMLElement, parts: EditorParts): Editor {
  // styles of the editor are sheets of this root, which the policy of the page allows
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const view = new EditorView({ parent: root, root, extensions: extensionsOf(parts) });
  return {
    text: () => view.state.doc.toString(),
    show(text, managers) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
      view.dispatch({ effects: setOwners.of(ownerMarkers(view, text, managers)) });
    },
    close: () => view.destroy(),
  };
}

function ownerMarkers(view: EditorView, text: string, managers: readonly ManagedFields[]): RangeSet<GutterMarker> {
  const byLine = new Map<number, ManagedFields[]>();
  for (const [offset, owners] of ownersByOffset(parseText(text), managers)) {
    const { from } = view.state.doc.lineAt(offset);
    byLine.set(from, [...new Set([...(byLine.get(from) ?? []), ...owners])]);
  }
  return RangeSet.of(
    [...byLine].map(([from, owners]) => new OwnerMarker(owners).range(from)),
    true,
  );
}

function extensionsOf({ schema, label, isReadOnly, onChange }: EditorParts): Extension {
  return [
    ownerField,
    gutter({ class: 'cm-owners', markers: (view) => view.state.field(ownerField) }),
    lineNumbers(),
    history(),
    search(),
    yaml(),
    syntaxHighlighting(colors),
    looks,
    lintGutter(),
    linter((view) =>
      problemsOf(parseText(view.state.doc.toString()), schema).map((problem) => ({
        ...problem,
        to: Math.min(problem.to, view.state.doc.length),
        severity: 'error' as const,
      })),
    ),
    autocompletion({ override: [(context) => complete(context, schema)] }),
    hoverTooltip((view, at) => help(view, at, schema)),
    keymap.of([...completionKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap]),
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    EditorView.editable.of(!isReadOnly),
    EditorView.updateListener.of(({ docChanged }) => docChanged && onChange()),
  ];
}

const fieldLine = /^(\s*(?:- +)*)([\w./$-]+):/;
const indentOf = (line: string) => (/^\s*(?:- +)*/.exec(line)?.[0] ?? '').length;

/** The schema of the object in which a line stands, by the fields above it that are indented less. */
function schemaAround(
  lines: readonly string[],
  at: number,
  column: number,
  schema: Schema | undefined,
): Schema | undefined {
  const path: string[] = [];
  let indent = column;
  let isItem = /^\s*- /.test(lines[at] ?? '');
  for (let line = at - 1; line >= 0 && indent >= 0; line--) {
    const text = lines[line] as string;
    const [, lead = '', name = ''] = fieldLine.exec(text) ?? [];
    const dash = text.search(/\S/);
    if (name === '') continue;
    if (
      lead.length < indent ||
      (isItem && lead.length === dash && dash <= indent && !text.trimStart().startsWith('- '))
    ) {
      if (lead.length >= indent && !isItem) continue;
      path.unshift(isItem || text.length === 0 ? `${name}[]` : name);
      indent = lead.length;
      isItem = text.trimStart().startsWith('- ');
    } else if (lead.length === indent && text.trimStart().startsWith('- ')) isItem = true;
    if (indent === 0) break;
  }
  return path.reduce<Schema | undefined>((parent, step) => {
    const property = propertySchema(parent, step.replace(/\[\]$/, ''));
    return step.endsWith('[]') ? itemSchema(property) : property;
  }, schema);
}

function complete({ state, pos, explicit }: CompletionContext, schema: Schema | undefined): CompletionResult | null {
  const line = state.doc.lineAt(pos);
  const before = line.text.slice(0, pos - line.from);
  const lines = state.doc.toString().split('\n');
  const around = schemaAround(lines, line.number - 1, indentOf(before), schema);
  const [, name = '', value] = /([\w./$-]+): +(\S*)$/.exec(before) ?? [];
  if (value !== undefined) {
    const choices = propertySchema(around, name)?.enum ?? [];
    return choices.length === 0
      ? null
      : { from: pos - value.length, options: choices.map((one) => ({ label: String(one) })) };
  }
  const word = /[\w$-]*$/.exec(before)?.[0] ?? '';
  if ((word === '' && !explicit) || before.trim().includes(':')) return null;
  const properties = Object.keys(around?.properties ?? {});
  return {
    from: pos - word.length,
    options: properties.map((label) => ({
      label,
      apply: `${label}: `,
      detail: propertySchema(around, label)?.type ?? '',
      info: propertySchema(around, label)?.description ?? '',
    })),
  };
}

function help(view: EditorView, at: number, schema: Schema | undefined) {
  const line = view.state.doc.lineAt(at);
  const [, lead = '', name = ''] = fieldLine.exec(line.text) ?? [];
  if (name === '' || at > line.from + lead.length + name.length) return null;
  const around = schemaAround(view.state.doc.toString().split('\n'), line.number - 1, lead.length, schema);
  const property = propertySchema(around, name);
  if (property === undefined) return null;
  const create = () => {
    const dom = document.createElement('div');
    dom.className = 'help';
    dom.textContent = `${name} (${property.format ?? property.type ?? 'object'})\n${property.description ?? ''}`;
    return { dom };
  };
  return { pos: line.from + lead.length, end: line.from + lead.length + name.length, create };
}
