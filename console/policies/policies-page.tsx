// Policies, tried before they are in force: on an object, on a request of the ring, or on the last writes.

import { useSignal } from '@preact/signals';
import { parseDocument } from 'yaml';
import { messageOf, sendJson } from '../api.ts';
import { canList, kinds } from '../discovery.ts';
import { route } from '../router.ts';
import { Field, Problem, Report } from '../shell/report.tsx';
import { firstPolicy, PolicyRows, type Trials } from './trials.tsx';

type Target = 'writes' | 'object' | 'request';

const targets: readonly { readonly target: Target; readonly title: string }[] = [
  { target: 'writes', title: 'The last writes' },
  { target: 'object', title: 'An object' },
  { target: 'request', title: 'A recorded request' },
];

/** Throws what is wrong with a text. An expression alone is a policy about everything. */
function policyIn(text: string): unknown {
  const value = valueIn(text);
  if (typeof value === 'object' && value !== null) return value;
  return {
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }],
      },
      validations: [{ expression: text.trim() }],
    },
  };
}

function valueIn(text: string): unknown {
  const document = parseDocument(text, { maxAliasCount: 0 } as object);
  // an expression may be no YAML
  return document.errors.length > 0 ? text : document.toJS();
}

export function PoliciesPage() {
  const { query } = route.value;
  const policy = useSignal(firstPolicy);
  const target = useSignal<Target>(query.has('request') ? 'request' : 'writes');
  const object = useSignal('');
  const request = useSignal(query.get('request') ?? '');
  const resource = useSignal('configmaps');
  const namespace = useSignal('');
  const last = useSignal('50');
  const trials = useSignal<Trials | undefined>(undefined);
  const problem = useSignal('');
  const targetBody = () => {
    if (target.value === 'object') return { object: valueIn(object.value) };
    if (target.value === 'request') return { request: Number(request.value) };
    const [plural = '', ...group] = resource.value.trim().split('.');
    const kind = kinds.value.find(
      (one) => one.plural === plural && (group.length === 0 || one.group === group.join('.')),
    );
    if (kind === undefined) throw new Error(`The server has no resource ${resource.value}.`);
    const { version } = kind;
    return {
      writes: {
        group: kind.group,
        version,
        resource: plural,
        namespace: namespace.value.trim(),
        last: Number(last.value),
      },
    };
  };
  const tryOut = async () => {
    problem.value = '';
    trials.value = undefined;
    try {
      const body = { policy: policyIn(policy.value), ...targetBody() };
      trials.value = await sendJson<Trials>('POST', '/debug/keelson/policies', body);
    } catch (error) {
      problem.value = messageOf(error);
    }
  };
  const set = (field: { value: string }) => (value: string) => {
    field.value = value;
  };
  const plurals = kinds.value
    .filter(canList)
    .map(({ plural, group }) => (group === '' ? plural : `${plural}.${group}`));
  return (
    <Report title="Policies" hint="tried, not in force">
      <form
        class="trial"
        onSubmit={(event) => {
          event.preventDefault();
          void tryOut();
        }}
      >
        <TextArea
          label="ValidatingAdmissionPolicy as YAML, or a CEL expression"
          value={policy.value}
          onChange={set(policy)}
        />
        <fieldset>
          <legend>Try it on</legend>
          {targets.map(({ target: name, title }) => (
            <label key={name} class="check">
              <input
                type="radio"
                name="target"
                checked={target.value === name}
                onChange={() => {
                  target.value = name;
                }}
              />{' '}
              {title}
            </label>
          ))}
        </fieldset>
        {target.value === 'object' && <TextArea label="Object as YAML" value={object.value} onChange={set(object)} />}
        <div class="question">
          {target.value === 'writes' && (
            <>
              <Field label="Resource" value={resource.value} choices={plurals} onChange={set(resource)} />
              <Field label="Namespace" value={namespace.value} placeholder="all" onChange={set(namespace)} />
              <Field label="How many" value={last.value} onChange={set(last)} />
            </>
          )}
          {target.value === 'request' && (
            <Field label="Number of the request" value={request.value} onChange={set(request)} />
          )}
          <button type="submit" class="primary">
            Try
          </button>
        </div>
      </form>
      <Problem text={problem.value} />
      <div aria-live="polite">{trials.value !== undefined && <PolicyRows trials={trials.value} />}</div>
    </Report>
  );
}

interface TextAreaProps {
  readonly label: string;
  readonly value: string;
  onChange(value: string): void;
}

function TextArea({ label, value, onChange }: TextAreaProps) {
  return (
    <label class="text">
      <span>{label}</span>
      <textarea
        rows={14}
        spellcheck={false}
        value={value}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </label>
  );
}
