// Every function of Kubernetes 1.36 is there in every place where users write expressions.

import { expect, test } from 'vitest';
import { celExpressions } from '../authn/jwt-issuers/cel-expressions.ts';
import { conditionCompiler } from '../authz/webhook/compile-condition.ts';
import { compileTo } from '../cel/compile-to.ts';
import { Environment } from '../cel/environment.ts';
import { bool, dyn } from '../cel/types.ts';
import { admissionEnvironment, PolicyVariables } from '../groups/admissionregistration/v1/expression-environment.ts';
import { selectorEnvironment } from '../groups/resource/v1/selector-environment.ts';
import { kubernetes } from '../meta/dialect.ts';
import { ownVersions } from '../meta/effective-versions.ts';

/** By the library that has it; all are true. */
const functions: Readonly<Record<string, readonly string[]>> = {
  standard: [
    "size('ab') == 2 && 'ab'.size() == 2",
    "'abc'.contains('b') && 'abc'.startsWith('a') && 'abc'.endsWith('c') && 'abc'.matches('^a.c$')",
    "has({'a': 1}.a) && [1].all(x, x > 0) && [1].exists(x, x > 0) && [1].exists_one(x, x > 0)",
    '[1].map(x, x + 1) == [2] && [1, 2].map(x, x > 1, x) == [2] && [1, 2].filter(x, x > 1) == [2]',
    "int('1') == 1 && uint(1) == 1u && double(1) == 1.0 && string(1) == '1' && bytes('a') == b'a' && bool('true')",
    "type(1) == int && dyn(1) == 1 && 1 in [1] && 'a' in {'a': 1}",
    "timestamp('2026-01-02T03:04:05.678Z').getFullYear() == 2026 && timestamp(0).getMonth() == 0",
    "timestamp('2026-01-02T00:00:00Z').getDate() == 2 && timestamp('2026-01-02T00:00:00Z').getDayOfMonth() == 1",
    "timestamp('2026-01-02T00:00:00Z').getDayOfWeek() == 5 && timestamp('2026-01-02T00:00:00Z').getDayOfYear() == 1",
    "duration('1h2m3s').getHours() == 1 && duration('1m').getMinutes() == 1 && duration('1s').getSeconds() == 1",
    "duration('1s500ms').getMilliseconds() == 1500 && timestamp(1) - timestamp(0) == duration('1s')",
  ],
  urls: [
    "isURL('https://a.b:80/c?d=e') && url('https://a.b:80/c?d=e').getScheme() == 'https'",
    "url('https://a.b:80/c').getHost() == 'a.b:80' && url('https://a.b:80/c').getHostname() == 'a.b'",
    "url('https://a.b:80/c').getPort() == '80' && url('https://a.b/c d').getEscapedPath() == '/c%20d'",
    "url('https://a.b/?d=e').getQuery() == {'d': ['e']}",
  ],
  regex: [
    "'a12'.find('[0-9]+') == '12'",
    "'a1b2'.findAll('[0-9]') == ['1', '2'] && 'a1b2'.findAll('[0-9]', 1) == ['1']",
  ],
  lists: [
    '[1, 2].isSorted() && [1, 2].sum() == 3 && [1, 2].min() == 1 && [1, 2].max() == 2',
    '[1, 2, 1].indexOf(1) == 0 && [1, 2, 1].lastIndexOf(1) == 2',
  ],
  optionals: [
    'optional.of(1).hasValue() && optional.none().orValue(2) == 2 && optional.ofNonZeroValue(1).value() == 1',
    "{'a': 1}.?a.or(optional.of(2)).value() == 1 && {'a': 1}[?'b'].orValue(3) == 3 && [?optional.none()].size() == 0",
    'optional.of(1).optMap(x, x + 1).value() == 2 && optional.of(1).optFlatMap(x, optional.of(x)).value() == 1',
  ],
  numbers: ['1 < 1.5 && 1u < 2 && 2.0 >= 2'],
  quantities: [
    "isQuantity('1Gi') && quantity('1Gi').isInteger() && quantity('1k').asInteger() == 1000 && sign(quantity('1')) == 1",
    "quantity('1').asApproximateFloat() == 1.0 && quantity('2').isGreaterThan(quantity('1'))",
    "quantity('1').isLessThan(quantity('2')) && quantity('1').compareTo(quantity('1')) == 0",
    "quantity('1').add(quantity('1')) == quantity('2') && quantity('2').sub(1) == quantity('1')",
  ],
  strings: [
    "'abc'.charAt(1) == 'b' && 'abcb'.indexOf('b') == 1 && 'abcb'.lastIndexOf('b') == 3",
    "'Ab'.lowerAscii() == 'ab' && 'Ab'.upperAscii() == 'AB' && 'aa'.replace('a', 'b', 1) == 'ba' && ' a '.trim() == 'a'",
    "'a,b'.split(',') == ['a', 'b'] && 'abc'.substring(1, 2) == 'b' && ['a', 'b'].join('-') == 'a-b'",
    "'%s-%d'.format(['a', 1]) == 'a-1' && strings.quote('a') == '\"a\"'",
  ],
  sets: ['sets.contains([1, 2], [1]) && sets.equivalent([1], [1, 1]) && sets.intersects([1], [1, 2])'],
  networks: [
    "isIP('10.0.0.1') && ip('10.0.0.1').family() == 4 && ip.isCanonical('::1') && ip('127.0.0.1').isLoopback()",
    "ip('0.0.0.0').isUnspecified() && ip('224.0.0.1').isLinkLocalMulticast() && ip('169.254.0.1').isLinkLocalUnicast()",
    "ip('8.8.8.8').isGlobalUnicast() && string(ip('10.0.0.1')) == '10.0.0.1'",
    "isCIDR('10.0.0.0/8') && cidr('10.0.0.0/8').containsIP('10.1.1.1') && cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')",
    "cidr('10.0.0.0/8').ip() == ip('10.0.0.0') && cidr('10.0.0.0/8').prefixLength() == 8",
    "cidr('10.1.0.0/8').masked() == cidr('10.0.0.0/8')",
  ],
  formats: ["!format.dns1123Label().validate('a').hasValue() && format.named('uuid').hasValue()"],
  'two variables': [
    '[1].all(i, x, i == 0) && [1].exists(i, x, x == 1) && [1].existsOne(i, x, x == 1)',
    "[1].transformList(i, x, x + i) == [1] && {'a': 1}.transformMap(k, v, v + 1) == {'a': 2}",
    "{'a': 'b'}.transformMapEntry(k, v, {v: k}) == {'b': 'a'}",
  ],
  versions: [
    "isSemver('1.2.3') && semver('1.2.3').major() == 1 && semver('1.2.3').minor() == 2 && semver('1.2.3').patch() == 3",
    "semver('v1.2', true).isLessThan(semver('2.0.0')) && semver('2.0.0').isGreaterThan(semver('1.0.0'))",
    "isSemver('v1.2', true) && semver('1.0.0').compareTo(semver('1.0.0')) == 0",
  ],
  'lists of 1.34': [
    '[1, 2, 3].slice(1, 2) == [2] && [[1], [2]].flatten() == [1, 2] && [[[1]]].flatten(2) == [1]',
    '[2, 1].sort() == [1, 2] && [-2, 1].sortBy(x, x * x) == [1, -2] && lists.range(2) == [0, 1]',
    '[1, 1].distinct() == [1] && [1, 2].reverse() == [2, 1] && [1].first().value() == 1 && [2].last().value() == 2',
  ],
};

/** Where they are asked for rights, which only admission has. */
const rights = [
  "authorizer.path('/x').check('get').allowed()",
  "authorizer.serviceAccount('a', 'b').group('').resource('pods').subresource('log').namespace('a').name('b').check('get').allowed()",
  "authorizer.group('').resource('pods').fieldSelector('a=b').labelSelector('a=b').check('list').reason() == ''",
  "authorizer.requestResource.check('get').errored() || authorizer.requestResource.check('get').error() == ''",
];

type Place = (expression: string) => string | undefined;

const inEnvironment =
  (environment: Environment): Place =>
  (expression) => {
    const compiled = compileTo(expression, environment, [bool]);
    return 'fault' in compiled ? compiled.fault : undefined;
  };

const conditions = conditionCompiler(kubernetes);
const identity = celExpressions(kubernetes);
const faultOf = (compiled: object) => ('error' in compiled ? String(compiled.error) : undefined);

const policy = inEnvironment(
  admissionEnvironment({ params: true, authorizer: true, variables: new PolicyVariables() }),
);
const change = inEnvironment(admissionEnvironment({ params: true, authorizer: true, changes: true }));

const places: Readonly<Record<string, Place>> = {
  policies: policy,
  'changes of policies': change,
  'match conditions': inEnvironment(admissionEnvironment({ params: false, authorizer: true })),
  'messages of policies': inEnvironment(admissionEnvironment({ params: false, authorizer: false })),
  'rules of custom resources': inEnvironment(new Environment({ variables: { self: dyn, oldSelf: dyn } })),
  'conditions of authorizers': (expression) => faultOf(conditions(expression)),
  'rules about claims': (expression) => faultOf(identity.claims(expression, 'rule')),
  'rules about users': (expression) => faultOf(identity.user(expression)),
  'selectors of devices': inEnvironment(selectorEnvironment(ownVersions)),
};

const cases = Object.entries(functions).flatMap(([library, all]) =>
  all.map((expression) => [library, expression] as const),
);

test.each(Object.entries(places))('%s have every function', (_, place) => {
  const faults = cases.flatMap(([library, expression]) => {
    const fault = place(expression);
    return fault === undefined ? [] : [`${library}: ${fault}`];
  });
  expect(faults).toEqual([]);
});

test.each(cases)('of %s: %s', (_, expression) => {
  const compiled = compileTo(expression, new Environment({ variables: {} }), [bool]);
  if ('fault' in compiled) throw new Error(compiled.fault);
  expect(compiled.program.evaluate({})).toMatchObject({ value: true });
});

test('rights can be asked for in policies and conditions only', () => {
  for (const name of ['policies', 'changes of policies', 'match conditions'])
    for (const expression of rights) expect([expression, places[name]?.(expression)]).toEqual([expression, undefined]);
  for (const name of ['messages of policies', 'rules of custom resources', 'selectors of devices'])
    expect(places[name]?.(rights[0] as string)).toContain("undeclared reference to 'authorizer'");
});

test('what only some places have is nowhere else', () => {
  const bind = 'cel.bind(x, 1, x == 1)';
  const patch = "JSONPatch{op: 'add', path: '/a', value: 'b'}.op == 'add' && jsonpatch.escapeKey('a/b') == 'a~1b'";
  for (const [name, place] of Object.entries(places)) {
    expect([name, place(bind) === undefined]).toEqual([name, name === 'selectors of devices']);
    expect([name, place(patch) === undefined]).toEqual([name, name === 'changes of policies']);
  }
});
