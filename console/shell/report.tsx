// Parts of the pages that report what the server knows: fields of a question, tables, and problems.

import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly placeholder?: string;
  readonly choices?: readonly string[];
  onChange(value: string): void;
}

/** A text field, with suggestions where there are choices. */
export function Field({ label, value, placeholder = '', choices = [], onChange }: FieldProps) {
  const list = useId();
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="text"
        value={value}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        list={choices.length === 0 ? undefined : list}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
      {choices.length > 0 && (
        <datalist id={list}>
          {choices.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
    </label>
  );
}

interface TableProps {
  readonly label: string;
  readonly titles: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
}

export function TableHead({ titles }: { readonly titles: readonly string[] }) {
  return (
    <thead>
      <tr>
        {titles.map((title) => (
          <th key={title} scope="col">
            {title}
          </th>
        ))}
      </tr>
    </thead>
  );
}

export function ReportTable({ label, titles, rows }: TableProps) {
  return (
    <table aria-label={label}>
      <TableHead titles={titles} />
      <tbody>
        {rows.map((cells, index) => (
          <tr key={index}>
            {cells.map((cell, at) => (
              <td key={titles[at]}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function Problem({ text }: { readonly text: string }) {
  if (text === '') return null;
  return (
    <p class="problem" role="alert">
      {text}
    </p>
  );
}

interface ReportProps {
  readonly title: string;
  readonly hint?: string;
  readonly children: ComponentChildren;
}

export function Report({ title, hint = '', children }: ReportProps) {
  return (
    <section class="report">
      <h1>
        {title} <small>{hint}</small>
      </h1>
      {children}
    </section>
  );
}
