import { expect, test } from 'vitest';
import { isSampledAtRate, newSpanId, newTraceId, parseTraceParent, traceHeaders } from './trace-context.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';

test('trace context: reads the header of the standard', () => {
  expect(parseTraceParent(`00-${traceId}-${spanId}-01`, 'congo=t61rcWkgMzE')).toEqual({
    ...{ traceId, spanId },
    isSampled: true,
    state: 'congo=t61rcWkgMzE',
  });
  expect(parseTraceParent(`00-${traceId}-${spanId}-00`, undefined)?.isSampled).toBe(false);
  expect(parseTraceParent(`cc-${traceId}-${spanId}-01-later`, undefined)?.isSampled).toBe(true);
});

test.each([
  ['an absent header', undefined],
  ['an empty header', ''],
  ['too few fields', `00-${traceId}-${spanId}`],
  ['a field too many for version 00', `00-${traceId}-${spanId}-01-x`],
  ['version ff', `ff-${traceId}-${spanId}-01`],
  ['capital letters', `00-${traceId.toUpperCase()}-${spanId}-01`],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
  ['a span of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
  ['a short trace', `00-${traceId.slice(1)}-${spanId}-01`],
  ['text that never ends', `00-${traceId}-${spanId}-01-${'x'.repeat(1000)}`],
])('trace context: ignores %s', (_, header) => {
  expect(parseTraceParent(header, undefined)).toBeUndefined();
});

test('trace context: drops a state that is invalid or too long', () => {
  const stateOf = (state: string) => parseTraceParent(`00-${traceId}-${spanId}-01`, state)?.state;
  expect(stateOf('a=1,b@c=2')).toBe('a=1,b@c=2');
  expect(stateOf('a=1\r\nx: y')).toBeUndefined();
  expect(stateOf('A=1')).toBeUndefined();
  expect(stateOf(`a=${'x'.repeat(600)}`)).toBeUndefined();
});

test('trace context: writes what it reads', () => {
  const context = parseTraceParent(`00-${traceId}-${spanId}-01`, 'a=1');
  expect(context && traceHeaders(context, '00f067aa0ba902b7')).toEqual({
    traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
    tracestate: 'a=1',
  });
});

test('trace context: ids are random and have their length', () => {
  const ids = Array.from({ length: 2000 }, newTraceId);
  expect(new Set(ids).size).toBe(2000);
  expect(ids.every((id) => /^[0-9a-f]{32}$/.test(id))).toBe(true);
  expect(newSpanId()).toMatch(/^[0-9a-f]{16}$/);
});

test('trace context: the rate decides by the id', () => {
  const ids = Array.from({ length: 20_000 }, newTraceId);
  const share = (rate: number) => ids.filter((id) => isSampledAtRate(id, rate)).length / ids.length;
  expect(share(0)).toBe(0);
  expect(share(1_000_000)).toBe(1);
  expect(share(250_000)).toBeGreaterThan(0.22);
  expect(share(250_000)).toBeLessThan(0.28);
  expect(isSampledAtRate(`${'f'.repeat(16)}${'0'.repeat(16)}`, 1)).toBe(true);
  expect(isSampledAtRate('f'.repeat(32), 999_999)).toBe(false);
});
