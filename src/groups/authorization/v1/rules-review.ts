// The rules review: everything the caller may do in one namespace.

import type { PolicyRule } from '../../../meta/access.ts';
import { badRequest } from '../../../meta/status.ts';
import type { Action } from '../../../schema/action.ts';

export const reviewRules: Action = {
  async run(review, { access, user }) {
    const { namespace = '' } = (review['spec'] ?? {}) as { readonly namespace?: string };
    if (namespace === '') throw badRequest('no namespace on request');
    const { rules, incomplete, errors } = await access.rulesFor(user, namespace);
    const status = {
      resourceRules: rules.filter((rule) => (rule.resources ?? []).length > 0).map(aboutResources),
      nonResourceRules: rules.filter((rule) => (rule.nonResourceURLs ?? []).length > 0).map(aboutPaths),
      incomplete,
      ...(errors.length === 0 ? {} : { evaluationError: errors.join(', ') }),
    };
    return { ...review, metadata: {}, spec: {}, status };
  },
};

function aboutResources({ verbs = [], apiGroups, resources, resourceNames }: PolicyRule) {
  return {
    verbs,
    ...(apiGroups === undefined ? {} : { apiGroups }),
    ...(resources === undefined ? {} : { resources }),
    ...(resourceNames === undefined ? {} : { resourceNames }),
  };
}

const aboutPaths = ({ verbs = [], nonResourceURLs = [] }: PolicyRule) => ({ verbs, nonResourceURLs });
