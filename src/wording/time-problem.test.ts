import { expect, test } from 'vitest';
import { microTimePieces, timePieces, timeProblem } from './time-problem.ts';

const layout = '"2006-01-02T15:04:05Z07:00"';

test.each([
  ['now', `parsing time "now" as ${layout}: cannot parse "now" as "2006"`],
  ['', `parsing time "" as ${layout}: cannot parse "" as "2006"`],
  ['2024', `parsing time "2024" as ${layout}: cannot parse "" as "-"`],
  ['2024-1-01', `parsing time "2024-1-01" as ${layout}: cannot parse "1-01" as "01"`],
  ['2024-13-01', 'parsing time "2024-13-01": month out of range'],
  ['2024-02-30T00:00:00Z', 'parsing time "2024-02-30T00:00:00Z": day out of range'],
  ['2024-01-01 00:00:00Z', `parsing time "2024-01-01 00:00:00Z" as ${layout}: cannot parse " 00:00:00Z" as "T"`],
  ['2024-01-01T24:00:00Z', 'parsing time "2024-01-01T24:00:00Z": hour out of range'],
  ['2024-01-01T00:00:00', `parsing time "2024-01-01T00:00:00" as ${layout}: cannot parse "" as "Z07:00"`],
  ['2024-01-01T00:00:00.5Zx', 'parsing time "2024-01-01T00:00:00.5Zx": extra text: "x"'],
])('%j', (text, problem) => {
  expect(timeProblem(text, timePieces)).toBe(problem);
});

test('of a time with microseconds', () => {
  expect(timeProblem('2024-01-01T00:00:00Z', microTimePieces)).toBe(
    'parsing time "2024-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
  );
});
