// Answers about rights, as tables and sentences. All names are shown as text.

import { findKind } from '../discovery.ts';
import { objectAddress } from '../router.ts';
import { ReportTable } from '../shell/report.tsx';
import {
  aggregatedRules,
  type Grant,
  questionText,
  type RulesAnswer,
  ruleTarget,
  ruleVerbs,
  type WhoAnswer,
  type WhyAnswer,
} from './answers.ts';

const group = 'rbac.authorization.k8s.io';

function ObjectLink({ plural, namespace, name }: { plural: string; namespace: string; name: string }) {
  const kind = findKind(group, '', plural);
  return kind === undefined ? <span>{name}</span> : <a href={objectAddress(kind, namespace, name)}>{name}</a>;
}

const BindingLink = ({ namespace, binding }: Pick<Grant, 'namespace' | 'binding'>) => (
  <ObjectLink plural={namespace === '' ? 'clusterrolebindings' : 'rolebindings'} namespace={namespace} name={binding} />
);

const RoleLink = ({ role, namespace }: Pick<Grant, 'role' | 'namespace'>) =>
  role.kind === 'ClusterRole' ? (
    <ObjectLink plural="clusterroles" namespace="" name={role.name} />
  ) : (
    <ObjectLink plural="roles" namespace={namespace} name={role.name} />
  );

const where = (namespace: string) => (namespace === '' ? 'everywhere' : namespace);

export function AccessView({ answer }: { readonly answer: WhyAnswer }) {
  const { question, user, allowed, authorizer, reason, error = '', showsRoles, grant, missing } = answer;
  return (
    <>
      <p class={`verdict ${allowed ? 'good' : 'bad'}`} role="status">
        <b>{allowed ? 'Yes' : 'No'}</b> — {user.name || user.groups[0]} {allowed ? 'may' : 'may not'}{' '}
        {questionText(question)}
      </p>
      <p class="hint">
        {authorizer === '' ? 'No authorizer has an opinion, so it is refused. ' : `Decided by ${authorizer}. `}
        {reason} {error}
      </p>
      <p class="hint">Groups: {user.groups.join(', ')}</p>
      {!showsRoles && <p class="hint">Roles and bindings are not shown: you may not list them.</p>}
      {grant !== undefined && <GrantTable label="The rule that allows it" grants={[grant]} />}
      {missing !== undefined && missing.near.length > 0 && (
        <>
          <h2>Rules that lack one part</h2>
          <ReportTable
            label="Rules that lack one part"
            titles={['Lacks', 'Binding', 'Role', 'Verbs', 'Of']}
            rows={missing.near.map((near) => [
              <b class="warn">{near.lacks}</b>,
              <BindingLink {...near} />,
              <RoleLink {...near} />,
              ruleVerbs(near.rule),
              ruleTarget(near.rule),
            ])}
          />
        </>
      )}
      {missing !== undefined && missing.elsewhere.length > 0 && (
        <GrantTable label="Allowed in other namespaces" grants={missing.elsewhere} />
      )}
      {missing !== undefined && missing.roles.length > 0 && (
        <>
          <h2>Roles that allow it, if they are bound</h2>
          <ul class="names">
            {missing.roles.map((role) => (
              <li key={`${role.kind} ${role.name}`}>
                {role.kind} <RoleLink role={role} namespace={question.namespace ?? ''} />
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function GrantTable({ label, grants }: { readonly label: string; readonly grants: readonly Grant[] }) {
  return (
    <>
      <h2>{label}</h2>
      <ReportTable
        label={label}
        titles={['Where', 'Binding', 'Role', 'Verbs', 'Of']}
        rows={grants.map((grant) => [
          where(grant.namespace),
          <BindingLink {...grant} />,
          <RoleLink {...grant} />,
          ruleVerbs(grant.rule),
          ruleTarget(grant.rule),
        ])}
      />
    </>
  );
}

export function HolderView({ answer }: { readonly answer: WhoAnswer }) {
  const { question, holders, isCut, always, unlisted } = answer;
  return (
    <>
      <p class="verdict" role="status">
        Who may {questionText(question)}: {holders.length}
        {isCut ? ' and more' : ''}
      </p>
      <p class="hint">
        The group {always.join(', ')} may do everything.
        {unlisted.length > 0 && ` Users that ${unlisted.join(', ')} allows are not listed.`}
      </p>
      <ReportTable
        label="Who may"
        titles={['Who', 'Where', 'Binding', 'Role', 'Verbs']}
        rows={holders.map(({ subject, ...grant }) => [
          `${subject.kind} ${subject.namespace ? `${subject.namespace}/` : ''}${subject.name}`,
          where(grant.namespace),
          <BindingLink {...grant} />,
          <RoleLink {...grant} />,
          ruleVerbs(grant.rule),
        ])}
      />
    </>
  );
}

export function RuleView({ answer }: { readonly answer: RulesAnswer }) {
  const { user, rules, isCut, errors, always } = answer;
  return (
    <>
      <p class="verdict" role="status">
        Rules of {user.name || user.groups[0]}: {rules.length}
        {isCut ? ' and more' : ''}
      </p>
      {always !== undefined && <p class="hint">The group {always} may do everything.</p>}
      {errors.map((error) => (
        <p key={error} class="hint">
          {error}
        </p>
      ))}
      <ReportTable
        label="Rules"
        titles={['Of', 'Verbs', 'From']}
        rows={aggregatedRules(rules).map((same) => [
          ruleTarget(same[0]?.rule ?? {}),
          [...new Set(same.flatMap(({ rule }) => rule.verbs ?? []))].sort().join(', '),
          <Sources grants={same} />,
        ])}
      />
    </>
  );
}

function Sources({ grants }: { readonly grants: RulesAnswer['rules'] }) {
  return (
    <>
      {grants.map(({ namespace = '', binding, role }, at) =>
        binding === undefined || role === undefined ? null : (
          <span key={at}>
            {at > 0 && ', '}
            <BindingLink namespace={namespace} binding={binding} /> → <RoleLink role={role} namespace={namespace} />
          </span>
        ),
      )}
    </>
  );
}
