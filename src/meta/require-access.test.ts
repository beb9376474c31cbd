import { describe, expect, test } from 'vitest';
import type { AccessAttributes, AccessControl, Decision } from './access.ts';
import { parseRequestInfo } from './request-info.ts';
import { askedOf, requireAccess, requireAllowed } from './require-access.ts';

const user = { name: 'ann', groups: [] };
const info = parseRequestInfo('PUT', '/api/v1/namespaces/a/pods/p', () => false);

function deciding(decision: Decision) {
  const checks: AccessAttributes[] = [];
  const access: AccessControl = {
    decide(attributes) {
      checks.push(attributes);
      return decision;
    },
    rulesFor: () => ({ rules: [], incomplete: false, errors: [] }),
  };
  return { access, asked: checks };
}

describe('what a request needs beyond itself', () => {
  test('passes when the authorizers allow it, and is asked about as the path says', () => {
    const { access, asked } = deciding({ kind: 'allow' });
    expect(requireAccess(access, user, { ...info, verb: 'create' })).toBeUndefined();
    expect(asked).toMatchObject([{ user, verb: 'create', resource: 'pods', namespace: 'a', name: 'p' }]);
  });

  test.each<Decision>([{ kind: 'noOpinion' }, { kind: 'deny', reason: 'no' }])('is refused by %o', (decision) => {
    const { access } = deciding(decision);
    expect(() => requireAccess(access, user, { ...info, verb: 'create' })).toThrow(
      `pods "p" is forbidden: User "ann" cannot create resource "pods" in API group "" in the namespace "a"`,
    );
  });

  test('is refused in the words of the one who asks', () => {
    const { access } = deciding({ kind: 'deny', reason: 'locked' });
    const question = askedOf(user, info);
    expect(() => requireAllowed(access, question, ({ reason }) => new Error(`because ${reason}`))).toThrow(
      'because locked',
    );
  });
});
