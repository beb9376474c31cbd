// Rights, as the server's own authorizers answer: why a user may do something or not, who may, and all rules of a user.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { getJson, messageOf } from '../api.ts';
import { user } from '../credentials.ts';
import { kinds } from '../discovery.ts';
import { route, setQuery } from '../router.ts';
import { Field, Problem, Report } from '../shell/report.tsx';
import { AccessView, HolderView, RuleView } from './access-views.tsx';
import type { Answer } from './answers.ts';

const fields = ['user', 'groups', 'verb', 'resource', 'subresource', 'namespace', 'name'] as const;
const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection', 'impersonate'];

type Question = Readonly<Record<(typeof fields)[number], string>>;
type Page = Answer['page'];

const pages: readonly { readonly page: Page; readonly title: string; readonly needsVerb: boolean }[] = [
  { page: 'why', title: 'May this user?', needsVerb: true },
  { page: 'who', title: 'Who may?', needsVerb: true },
  { page: 'rules', title: 'All rules of this user', needsVerb: false },
];

const questionIn = (query: URLSearchParams) =>
  Object.fromEntries(fields.map((name) => [name, query.get(name) ?? ''])) as Question;

/** A resource that begins with a slash is a path. */
function addressOf(page: Page, question: Question): string {
  const query = new URLSearchParams();
  const add = (name: string, value: string) => value !== '' && query.append(name, value);
  if (page !== 'who') {
    add('user', question.user.trim());
    for (const group of question.groups.split(/[\s,]+/)) add('group', group);
  }
  if (page !== 'rules') {
    const { verb, resource, subresource, name } = question;
    add('verb', verb.trim());
    add(resource.startsWith('/') ? 'path' : 'resource', resource.trim());
    add('subresource', subresource.trim());
    add('name', name.trim());
  }
  add('namespace', question.namespace.trim());
  return `/debug/keelson/access/${page}?${query}`;
}

export function AccessPage() {
  const { query } = route.value;
  const question = useSignal(questionIn(query));
  const answer = useSignal<Answer | undefined>(undefined);
  const problem = useSignal('');
  const ask = async (page: Page) => {
    setQuery({ ...question.value, page });
    problem.value = '';
    answer.value = undefined;
    try {
      answer.value = { page, ...(await getJson<object>(addressOf(page, question.value))) } as Answer;
    } catch (error) {
      problem.value = messageOf(error);
    }
  };
  // a link to an answer asks again
  useEffect(() => {
    const page = pages.find((one) => one.page === query.get('page'));
    if (page !== undefined) void ask(page.page);
  }, []);
  const field = (name: keyof Question, label: string, placeholder: string, choices: readonly string[] = []) => (
    <Field
      {...{ label, placeholder, choices, value: question.value[name] }}
      onChange={(value) => {
        question.value = { ...question.value, [name]: value };
      }}
    />
  );
  const plurals = kinds.value.map(({ plural, group }) => (group === '' ? plural : `${plural}.${group}`));
  const { verb, resource } = question.value;
  return (
    <Report title="Access" hint="answered by the authorizers of the server">
      <form
        class="question"
        onSubmit={(event) => {
          event.preventDefault();
          void ask('why');
        }}
      >
        {field('user', 'User', user.value?.username ?? '')}
        {field('groups', 'Groups', 'those of the user')}
        {field('verb', 'Verb', 'get', verbs)}
        {field('resource', 'Resource or path', 'pods', plurals)}
        {field('subresource', 'Subresource', 'none')}
        {field('namespace', 'Namespace', 'all')}
        {field('name', 'Name', 'any')}
        <div class="ask">
          {pages.map(({ page, title, needsVerb }) => (
            <button
              key={page}
              type={page === 'why' ? 'submit' : 'button'}
              class={page === 'why' ? 'primary' : ''}
              disabled={needsVerb && (verb.trim() === '' || resource.trim() === '')}
              onClick={page === 'why' ? undefined : () => void ask(page)}
            >
              {title}
            </button>
          ))}
        </div>
      </form>
      <Problem text={problem.value} />
      <div aria-live="polite">
        {answer.value?.page === 'why' && <AccessView answer={answer.value} />}
        {answer.value?.page === 'who' && <HolderView answer={answer.value} />}
        {answer.value?.page === 'rules' && <RuleView answer={answer.value} />}
      </div>
    </Report>
  );
}
