// Conditions under which a webhook is called: expressions about the review it would receive.

import { compileTo } from '../../cel/compile-to.ts';
import { Environment } from '../../cel/environment.ts';
import { bool, list, map, record, string } from '../../cel/types.ts';
import type { Dialect } from '../../meta/dialect.ts';
import type { ReviewSpec } from './access-review.ts';
import type { CompileCondition } from './match-conditions.ts';

/** Conditions in which `request` is the spec of the review. */
export function conditionCompiler(dialect: Dialect): CompileCondition {
  const environment = new Environment({ variables: { request: requestType(dialect) } });
  return (expression) => {
    const compiled = compileTo(expression, environment, [bool]);
    if ('fault' in compiled) return { error: compiled.fault };
    const { program } = compiled;
    return {
      condition: {
        expression,
        async evaluate(spec) {
          const outcome = program.evaluate({ request: complete(spec) });
          return 'error' in outcome ? { error: outcome.error } : { matches: outcome.value === true };
        },
      },
    };
  };
}

function requestType({ vendor }: Dialect) {
  const requirement = record(`${vendor}.SelectorRequirement`, { key: string, operator: string, values: list(string) });
  const selector = (name: string) =>
    record(`${vendor}.${name}`, { rawSelector: string, requirements: list(requirement) });
  const resourceAttributes = record(`${vendor}.ResourceAttributes`, {
    namespace: string,
    verb: string,
    group: string,
    version: string,
    resource: string,
    subresource: string,
    name: string,
    fieldSelector: selector('FieldSelectorAttributes'),
    labelSelector: selector('LabelSelectorAttributes'),
  });
  return record(`${vendor}.SubjectAccessReviewSpec`, {
    resourceAttributes,
    nonResourceAttributes: record(`${vendor}.NonResourceAttributes`, { path: string, verb: string }),
    user: string,
    groups: list(string),
    extra: map(string, list(string)),
    uid: string,
  });
}

const noAttributes = { namespace: '', verb: '', group: '', version: '', resource: '', subresource: '', name: '' };

/** What a review leaves out because it is empty is there for expressions; only the kind of attributes is one or the other. */
function complete({ resourceAttributes, nonResourceAttributes, ...spec }: ReviewSpec): object {
  return {
    ...{ user: '', groups: [], uid: '', extra: {}, ...spec },
    ...(resourceAttributes === undefined ? {} : { resourceAttributes: { ...noAttributes, ...resourceAttributes } }),
    ...(nonResourceAttributes === undefined
      ? {}
      : { nonResourceAttributes: { path: '', verb: '', ...nonResourceAttributes } }),
  };
}
