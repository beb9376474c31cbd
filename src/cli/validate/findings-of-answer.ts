// Answers of the server as findings: which field each part of a message is about, and which rule.

import type { Status, StatusCause } from '../../meta/status.ts';
import type { LocalAnswer } from '../manifests/local-server.ts';
import type { ManifestObject } from '../manifests/read-manifests.ts';
import { type Finding, findingOf, type Rule } from './finding.ts';

/** The findings of the answer to a create or an update. */
export function findingsOf(object: ManifestObject, answer: LocalAnswer): readonly Finding[] {
  const warnings = answer.warnings.map((text) => findingOfWarning(object, text));
  return answer.status < 400 ? warnings : [...warnings, ...findingsOfStatus(object, answer.body as Partial<Status>)];
}

const strictText = /^(unknown|duplicate) field "(.*)"$/s;
const deprecatedText = /^\S+ \w+ is deprecated in v\d/;

function findingOfWarning(object: ManifestObject, message: string): Finding {
  const [, fault, field = ''] = strictText.exec(message) ?? [];
  if (fault !== undefined)
    return findingOf(object, { rule: fault === 'unknown' ? 'unknown-field' : 'duplicate-field', field, message });
  const level = 'warning';
  if (deprecatedText.test(message))
    return findingOf(object, { level, rule: 'deprecated-version', field: 'apiVersion', message });
  // as rules of kinds have it: `spec.template.spec.containers[0].image: ` before the text
  const [, named = ''] = /^([a-z]\w*(?:[.[][^\s:]*)?): /.exec(message) ?? [];
  return findingOf(object, { level, rule: ruleOf(message, 'warning'), field: named, message });
}

function findingsOfStatus(object: ManifestObject, status: Partial<Status>): readonly Finding[] {
  const { message = '', details, code, reason } = status;
  const causes = details?.causes ?? [];
  if (code === 422 && causes.length > 0) return causes.map((cause) => findingOfCause(object, cause));
  const usual = reason === 'Forbidden' ? 'refused' : code === 400 ? 'type' : 'refused';
  return [findingOf(object, { rule: ruleOf(message, usual), field: fieldInMessage(message), message })];
}

/** Causes name fields; those of policies and of the whole object do not. */
/** Validation goes on without some of its rules where a value has another type, or is missing. */
const incompleteText = /(?:^|: )some validation rules were not checked/;

function findingOfCause(object: ManifestObject, cause: StatusCause): Finding {
  const { message = '' } = cause;
  const level = incompleteText.test(message) ? 'note' : 'error';
  return findingOf(object, { level, rule: ruleOf(message, 'invalid'), ...fieldOf(cause) });
}

const fieldOf = ({ field = '', message = '' }: StatusCause) => ({
  field: /^(\[\]|<nil>)$/.test(field) ? '' : field,
  message,
});

/** `Go struct field DeploymentSpec.spec.replicas of type int32`: the path begins with the name of a type. */
const goField = /Go struct field \w+\.(\S+) of type/;

const fieldInMessage = (message: string) => goField.exec(message)?.[1] ?? '';

const rulesByText: readonly (readonly [RegExp, Rule])[] = [
  [/olicy '.*' (?:with binding '.*' )?denied request|^Validation failed for ValidatingAdmissionPolicy/s, 'policy'],
  [/exceeded quota: |failed quota: /, 'quota'],
  [/violates? PodSecurity "/, 'pod-security'],
  [/ is forbidden: User "|attempting to grant RBAC permissions/, 'rights'],
];

const ruleOf = (message: string, usual: Rule): Rule => rulesByText.find(([text]) => text.test(message))?.[1] ?? usual;
