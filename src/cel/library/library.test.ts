// The functions of the libraries, one row a case.

import { describe, expect, test } from 'vitest';
import { toJson } from '../adapt.ts';
import { withAnswers } from '../answer-needed.ts';
import { compile } from '../compile.ts';
import { extendedLibraries } from '../conformance/extended-libraries.ts';
import { Environment } from '../environment.ts';
import { list, map, string } from '../types.ts';
import { AuthorizerValue, authorizerType, type RightsQuery } from './authorizer.ts';

const environment = new Environment({ variables: { words: list(string), m: map(string, string) } });

function run(source: string, inside = environment): unknown {
  const compiled = compile(source, inside);
  if ('errors' in compiled) throw new Error(compiled.errors.message);
  const outcome = compiled.program.evaluate({ words: ['b', 'a', 'b'], m: { a: 'x' } });
  return 'error' in outcome ? { error: outcome.error } : toJson(outcome.value);
}

const rows: Readonly<Record<string, readonly (readonly [string, unknown])[]>> = {
  strings: [
    ["'tacocat'.charAt(3) + 'x'.charAt(1)", 'o'],
    ["'h😀llo'.charAt(1)", '😀'],
    ["'h😀llo'.indexOf('l')", 2n],
    ["'h😀llo'.indexOf('l', 3)", 3n],
    ["'h😀llo'.lastIndexOf('l')", 3n],
    ["'abc'.indexOf('')", 0n],
    ["'abc'.lastIndexOf('')", 3n],
    ["'abc'.indexOf('z')", -1n],
    ["'TacoÉ'.lowerAscii() + 'tacoé'.upperAscii()", 'tacoÉTACOé'],
    ["'hello hello'.replace('he', 'we') + 'hello hello'.replace('he', 'we', 1)", 'wello wellowello hello'],
    ["'ab'.replace('', '-')", '-a-b-'],
    ["'a b c'.split(' ')", ['a', 'b', 'c']],
    ["'a b c'.split(' ', 2)", ['a', 'b c']],
    ["'a b c'.split(' ', 0)", []],
    ["'h😀'.split('')", ['h', '😀']],
    ["'h😀llo'.substring(1, 3) + 'abc'.substring(2)", '😀lc'],
    ["'  \\t a \\n'.trim()", 'a'],
    ["words.join() + words.join('-')", 'babb-a-b'],
    ["strings.quote('a\"b\\n')", '"a\\"b\\n"'],
    ["'abc'.contains('b') && 'abc'.startsWith('a') && 'abc'.endsWith('c')", true],
    ["'abc'.substring(2, 1)", { error: 'invalid substring range. start: 2, end: 1' }],
    ["'abc'.charAt(4)", { error: 'index out of range: 4' }],
  ],
  lists: [
    ['[1, 2, 2].isSorted() && ![2, 1].isSorted()', true],
    ['[1, 2, 3].sum() + [4].max() - [2, 1].min()', 9n],
    ["[1.5, 2.5].sum() == 4.0 && [duration('1s'), duration('2s')].sum() == duration('3s')", true],
    ["words.indexOf('b') + words.lastIndexOf('b') * 10 + words.indexOf('z') * 100", -80n],
    ['words.distinct()', ['b', 'a']],
    ['words.sort()', ['a', 'b', 'b']],
    ['[3, 1, 2].sortBy(e, -e)', [3n, 2n, 1n]],
    ['[3, 1, 2].transformList(i, e, i < 2, e).sortBy(e, e)', [1n, 3n]],
    ['[1, 2, 3, 4].slice(1, 3)', [2n, 3n]],
    ['[[1], [2, 3]].flatten()', [1n, 2n, 3n]],
    ['[[[1]], [[2]]].flatten(2)', [1n, 2n]],
    ['lists.range(3).reverse()', [2n, 1n, 0n]],
    ["words.filter(w, w > 'z').min()", { error: 'min called on empty list' }],
    ['[1].slice(0, 2)', { error: 'cannot slice(0, 2), list is length 1' }],
  ],
  sets: [
    ['sets.contains([1, 2], [2, 2]) && !sets.contains([1], [2])', true],
    ['sets.equivalent([1, 2, 2], [2, 1]) && !sets.equivalent([1], [1, 2])', true],
    ['sets.intersects([1, 2], [2, 3]) && !sets.intersects([1], [2])', true],
  ],
  patterns: [
    ["'abc'.matches('b') && !'abc'.matches('^b') && matches('abc', 'c$')", true],
    ["'abc 123 456'.find('[0-9]+')", '123'],
    ["'abc'.find('[0-9]+')", ''],
    ["'12 34 56'.findAll('[0-9]+')", ['12', '34', '56']],
    ["'12 34 56'.findAll('[0-9]+', 2)", ['12', '34']],
    ["'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'.matches('^(a+)+$')", true],
    ["words.map(w, 'xb'.matches(w))", [true, false, true]],
  ],
  urls: [
    ["url('https://user@EXAMPLE.com:80/a%20b?x=1&x=2&y=a+b').getHost()", 'EXAMPLE.com:80'],
    ["url('https://example.com:80/').getPort() + url('https://[::1]:443/').getHostname()", '80::1'],
    ["url('https://example.com/a b/c%2Fd').getEscapedPath()", '/a%20b/c/d'],
    ["url('https://example.com/a(b)/c%2Fd').getEscapedPath()", '/a(b)/c%2Fd'],
    ["url('/path?x=1&x=2&y=a+b%21').getQuery()", { x: ['1', '2'], y: ['a b!'] }],
    ["url('HTTP://a.b').getScheme()", 'http'],
    ["isURL('https://a.b') && isURL('/a') && !isURL('a/b') && !isURL('https://a:b/') && !isURL('')", true],
  ],
  networks: [
    ["ip('10.0.0.1').family() + ip('::1').family()", 10n],
    ["ip('127.0.0.1').isLoopback() && ip('::').isUnspecified() && ip('fe80::1').isLinkLocalUnicast()", true],
    ["ip('224.0.0.1').isLinkLocalMulticast() && ip('ff02::1').isLinkLocalMulticast()", true],
    ["ip('8.8.8.8').isGlobalUnicast() && !ip('255.255.255.255').isGlobalUnicast()", true],
    ["isIP('1.2.3.4') && !isIP('01.2.3.4') && !isIP('::ffff:1.2.3.4') && !isIP('1.2.3')", true],
    ["ip.isCanonical('::1') && !ip.isCanonical('0:0::1')", true],
    ["cidr('10.0.0.0/8').containsIP('10.9.9.9') && !cidr('10.0.0.0/8').containsIP(ip('11.0.0.0'))", true],
    ["cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && !cidr('10.1.0.0/16').containsCIDR(cidr('10.0.0.0/8'))", true],
    ["string(cidr('10.1.2.3/8').masked()) + string(cidr('10.1.2.3/8').ip())", '10.0.0.0/810.1.2.3'],
    ["cidr('10.0.0.0/8').prefixLength()", 8n],
    ["isCIDR('10.0.0.0/8') && !isCIDR('10.0.0.0/33') && !isCIDR('10.0.0.0')", true],
    ["ip('10.0.0.1') == ip('10.0.0.1') && type(ip('::1')) == net.IP", true],
  ],
  quantities: [
    ["quantity('1Gi').isGreaterThan(quantity('1G')) && quantity('500m').isLessThan(quantity('1'))", true],
    ["quantity('1.5k').asInteger() + sign(quantity('-2'))", 1499n],
    ["quantity('500m').asApproximateFloat()", 0.5],
    ["quantity('50k').add(quantity('50k')) == quantity('100k')", true],
    ["quantity('50k').add(20).sub(quantity('20')).compareTo(quantity('50k'))", 0n],
    ["quantity('1').isInteger() && !quantity('100m').isInteger() && isQuantity('1Ki') && !isQuantity('1kb')", true],
    ["quantity('100m').asInteger()", { error: 'cannot convert value to integer' }],
  ],
  versions: [
    ["semver('1.2.3').compareTo(semver('1.10.0'))", -1n],
    ["semver('1.0.0-alpha.1').isLessThan(semver('1.0.0-alpha.beta'))", true],
    ["semver('1.0.0-rc.1').isLessThan(semver('1.0.0'))", true],
    ["semver('v1.02', true) == semver('1.2.0')", true],
    ["isSemver('1.2.3') && !isSemver('1.2') && !isSemver('01.2.3') && isSemver('v1', true)", true],
    ["semver('4.5.6').major() * 100 + semver('4.5.6').minor() * 10 + semver('4.5.6').patch()", 456n],
  ],
  'named formats': [
    ["format.dns1123Label().validate('ok').hasValue()", false],
    ["format.named('dns1035Label').value().validate('1x').value().size()", 1n],
    ["format.named('nope').hasValue()", false],
    ["format.uuid().validate('123e4567-e89b-12d3-a456-426614174000').hasValue()", false],
    ["format.byte().validate('a').value()", ['invalid base64']],
    ["format.date().validate('2021-02-29').value()", ['invalid date']],
    ["format.datetime().validate('2021-01-01T00:00:00Z').hasValue()", false],
    ["format.labelValue().validate('-x').hasValue()", true],
  ],
};

describe.each(Object.entries(rows))('%s', (_, cases) => {
  test.each(cases)('%s', (source, expected) => {
    expect(run(source)).toEqual(expected);
  });
});

describe('what Kubernetes does not give to every expression', () => {
  const extended = new Environment({ variables: {}, libraries: extendedLibraries });

  test.each([
    ["base64.encode(b'hello')", 'aGVsbG8='],
    ["string(base64.decode('aGVsbG8')) + string(base64.decode('aGVsbG8='))", 'hellohello'],
    ["'abc😀'.reverse()", '😀cba'],
  ])('%s', (source, expected) => {
    expect(run(source, extended)).toEqual(expected);
    expect(() => run(source)).toThrow('ERROR: <input>');
  });
});

describe('checks of rights', () => {
  const inside = new Environment({ variables: { authorizer: authorizerType } });
  const compiled = (source: string) => {
    const result = compile(source, inside);
    if ('errors' in result) throw new Error(result.errors.message);
    return result.program;
  };
  const source =
    "authorizer.serviceAccount('ns', 'robot').group('apps').resource('deployments').subresource('scale')" +
    ".namespace('ns').name('web').fieldSelector('a=b').labelSelector('c').check('get').allowed()" +
    " && authorizer.path('/healthz').check('get').reason() == 'because'";

  test('ask what was put together, once, and may be answered later', async () => {
    const queries: RightsQuery[] = [];
    const check = async (query: RightsQuery) => {
      queries.push(query);
      return Promise.resolve({ allowed: true, reason: 'because' });
    };
    const authorizer = AuthorizerValue.of({ check });
    const outcome = await withAnswers(() => compiled(source).evaluate({ authorizer }));
    expect(outcome).toMatchObject({ value: true, cost: 700_184 });
    expect(queries).toEqual([
      {
        verb: 'get',
        serviceAccount: { namespace: 'ns', name: 'robot' },
        group: 'apps',
        resource: 'deployments',
        subresource: 'scale',
        namespace: 'ns',
        name: 'web',
        fieldSelector: 'a=b',
        labelSelector: 'c',
      },
      { verb: 'get', path: '/healthz', group: '', resource: '', subresource: '', namespace: '', name: '' },
    ]);
  });

  test('need no promise when the answer is known', () => {
    const authorizer = AuthorizerValue.of({ check: () => ({ allowed: false, reason: '', error: 'down' }) });
    const outcome = compiled("authorizer.path('/x').check('get').error()").evaluate({ authorizer });
    expect(outcome).toMatchObject({ value: 'down' });
  });

  test('two fit into a budget, three do not', () => {
    const authorizer = AuthorizerValue.of({ check: () => ({ allowed: false, reason: '' }) });
    const once = "authorizer.path('/x').check('get').allowed()";
    expect(compiled(`${once} || ${once}`).evaluate({ authorizer })).toMatchObject({ value: false });
    expect(compiled(`${once} || ${once} || ${once}`).evaluate({ authorizer })).toMatchObject({ reason: 'budget' });
  });

  test.each([
    ["authorizer.path(' ').check('get').allowed()", 'path must not be empty'],
    ["authorizer.group('').resource('').check('get').allowed()", 'resource must not be empty'],
    ["authorizer.serviceAccount('a b', 'x').path('/').check('get').allowed()", 'Invalid service account namespace'],
  ])('%s', (faulty, error) => {
    const authorizer = AuthorizerValue.of({ check: () => ({ allowed: true, reason: '' }) });
    expect(compiled(faulty).evaluate({ authorizer })).toMatchObject({ error });
  });
});
