// Expressions that select devices: what is found, and what they may cost.

import { describe, expect, test } from 'vitest';
import { compile } from '../../../cel/compile.ts';
import { estimateCost } from '../../../cel/estimate.ts';
import { ownVersions } from '../../../meta/effective-versions.ts';
import { rulesOf } from '../../../testing/kind-rules.ts';
import { resourceClaim as olderClaim } from '../v1beta1/resource-claim.ts';
import { deviceClass } from './device-class.ts';
import { resourceClaim } from './resource-claim.ts';
import { resourceClaimTemplate } from './resource-claim-template.ts';
import { largestPart, selectorEnvironment } from './selector-environment.ts';

const selectors = (...expressions: string[]) => expressions.map((expression) => ({ cel: { expression } }));
const ofClass = (...expressions: string[]) => ({ spec: { selectors: selectors(...expressions) } });
const rules = rulesOf(deviceClass);
const at = 'spec.selectors[0].cel.expression';

async function found(expression: string): Promise<readonly string[]> {
  const complaints = await rules.expressionComplaints(ofClass(expression));
  return complaints.map((line) => (line.split('\n')[0] as string).replace(/Invalid value: "(?:[^"\\]|\\.)*": /, ''));
}

const attributes = 'device.attributes["dra.example.com"]';
const failed = (place: string, detail: string) => `${at}: compilation failed: ERROR: <input>:${place}: ${detail}`;

describe('a selector', () => {
  test.each<[string, string[]]>([
    ['true', []],
    [`${attributes}.name`, []],
    [`${attributes}.name == "fish" && ${attributes}["count"] > 0`, []],
    [`${attributes}.version.isGreaterThan(semver("0.0.1"))`, []],
    ['device.capacity["dra.example.com"].memory.isGreaterThan(quantity("1Gi"))', []],
    ['device.driver == "dra.example.com" && device.allowMultipleAllocations', []],
    ['"dra.example.com" in device.attributes', []],
    [`cel.bind(dra, ${attributes}, dra.one && dra.two)`, []],
    ['1', [`${at}: must evaluate to bool or the unknown type, not int`]],
    ['device', [`${at}: must evaluate to bool or the unknown type, not kubernetes.DRADevice`]],
    ['dyn(true)', [`${at}: must evaluate to bool or the unknown type, not dyn`]],
    ['device.name == "x"', [failed('1:7', "undefined field 'name'")]],
    [
      `${attributes}.names.exists(n, n == "x")`,
      [failed('1:37', "expression of type 'any' cannot be range of a comprehension (must be list, map, or dynamic)")],
    ],
    [`${attributes}.names.includes("x")`, [failed('1:52', "undeclared reference to 'includes' (in container '')")]],
    ['device.capacity["a"].b == 1', [expect.stringContaining("overload for '_==_' applied to") as string]],
    [
      '',
      [
        expect.stringContaining(
          "compilation failed: ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>'",
        ) as string,
      ],
    ],
    ['device.attributes.all(a, device.attributes.all(b, a + b != ""))', []],
    [
      'device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, device.attributes.all(d, a == b))))',
      [`${at}: Forbidden: too complex, exceeds cost limit`],
    ],
    ['object.x', [failed('1:1', "undeclared reference to 'object' (in container '')")]],
  ])('%s', async (expression, expected) => {
    expect(await found(expression)).toEqual(expected);
  });

  test('that was stored stays until selectors change', async () => {
    expect(await rules.expressionComplaints(ofClass('x'), ofClass('x'))).toEqual([]);
    expect(await rules.expressionComplaints(ofClass('x', 'true'), ofClass('x'))).toHaveLength(1);
  });

  test('of too many bytes is not read', async () => {
    const long = `'${'é'.repeat(5 * 1024)}' == 1`;
    expect(await found(long)).toEqual([]);
    expect(rules.create(ofClass(long))).toEqual(['TooLong spec.selectors[0].cel.expression']);
  });
});

const amounts = 'device.capacity["dra.example.com"]';
/** A test that is made ten times at each level. */
const nested = (levels: number, test: string): string =>
  levels === 0 ? test : `[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(x${levels}, ${nested(levels - 1, test)})`;

/** What the scheduler counts on at most. */
test.each<[string, number]>([
  ['true', 0],
  ['"no-such-domain" in device.attributes', 3],
  ['device.driver == ""', 2],
  ['device.driver == "dra.example.com"', 4],
  [`${attributes}.name`, 4],
  [`${attributes}["name"]`, 4],
  [`cel.bind(dra, ${attributes}, dra.name)`, 15],
  [`${attributes}.name > 0`, 5],
  [`${attributes}.name == "fish"`, 5],
  [`${attributes}.name.isGreaterThan(semver("0.0.1"))`, 6],
  [`${attributes}.name.isGreaterThan(semver("v0.0.1", true)) && isSemver("v1.0.0", true)`, 7],
  ['device.capacity["dra.example.com"].name.isGreaterThan(quantity("1Ki"))', 6],
  [`"name" in ${amounts} && ${amounts}.name.isGreaterThan(quantity("1Ki"))`, 10],
  [`!("name" in ${amounts}) || ${amounts}.name.isGreaterThan(quantity("1Ki"))`, 11],
  [`${attributes}.a && ${attributes}.b && ${attributes}.c`, 12],
  ['device.attributes.exists_one(x, x == "dra.example.com")', 164],
  [`${attributes}.exists_one(x, x == "services")`, 133],
  [`${attributes}.services.split("example").size() >= 2`, 19],
  [`${attributes}.services.matches("[^a]?sym")`, 18],
  ['device.capacity.exists_one(x, x == "dra.example.com")', 164],
  [`${amounts}.exists_one(x, x == "memory")`, 133],
  ['device.allowMultipleAllocations == true', 3],
  [nested(7, "int('1'.find('[0-9]*')) < 100"), 85_555_551],
  ['device.attributes["no-such-domain"].noSuchAttr.isGreaterThan(quantity("0"))', 6],
])('%s costs at most %d', (expression, most) => {
  const compiled = compile(expression, selectorEnvironment(ownVersions));
  if ('errors' in compiled) throw new Error(compiled.errors.message);
  expect(estimateCost(compiled.program.checked, largestPart).max).toBe(most);
});

const wrong = [{ cel: { expression: '1' } }];
const wrongHere = (place: string) => [
  `${place}[0].cel.expression: Invalid value: "1": must evaluate to bool or the unknown type, not int`,
];
const exactly = { name: 'a', exactly: { deviceClassName: 'c', selectors: wrong } };
const choice = { name: 'b', firstAvailable: [{ name: 'x' }, { name: 'y', selectors: wrong }] };
const ofRequests = (spec: string) => [
  ...wrongHere(`${spec}.devices.requests[0].exactly.selectors`),
  ...wrongHere(`${spec}.devices.requests[1].firstAvailable[1].selectors`),
];

test('selectors of claims and templates are looked at once', async () => {
  const claim = { spec: { devices: { requests: [exactly, choice] } } };
  expect(await rulesOf(resourceClaim).expressionComplaints(claim)).toEqual(ofRequests('spec'));
  expect(await rulesOf(resourceClaim).expressionComplaints(claim, claim)).toEqual([]);
  expect(await rulesOf(resourceClaimTemplate).expressionComplaints({ spec: claim })).toEqual(ofRequests('spec.spec'));
});

test('a claim that asks for nothing has none', async () => {
  expect(await rulesOf(resourceClaim).expressionComplaints({})).toEqual([]);
  expect(await rulesOf(resourceClaimTemplate).expressionComplaints({})).toEqual([]);
});

test('selectors of older versions are too', async () => {
  const requests = [{ name: 'a', deviceClassName: 'c', selectors: wrong }];
  expect(await rulesOf(olderClaim).expressionComplaints({ spec: { devices: { requests } } })).toEqual(
    wrongHere('spec.devices.requests[0].exactly.selectors'),
  );
});
