import { expect, test } from 'vitest';
import type { ApiObject } from '../../../meta/object.ts';
import type { ResourceDefinition } from '../../../schema/resource.ts';
import { Rounds } from '../../plugin.ts';
import { requestFor } from '../../testing.ts';
import { Reinvocation } from './reinvocation.ts';

const object = (label: string): ApiObject => ({ kind: 'K', apiVersion: 'v1', metadata: { labels: { label } } });
const request = (rounds: Rounds) => requestFor({ definition: {} as ResourceDefinition, rounds, object: object('a') });
const may = { changed: false, mayRunAgain: true };

test('what changed nothing asks for no second round', () => {
  const rounds = new Rounds();
  const first = Reinvocation.of(request(rounds));
  first.begin(object('a'));
  first.ran('p', may);
  first.end(object('a'), false);
  expect(rounds.beginSecond()).toBe(false);
});

test('those that ran before a change run again, those that may not do not', () => {
  const rounds = new Rounds();
  const first = Reinvocation.of(request(rounds));
  first.begin(object('a'));
  first.ran('early', may);
  first.ran('once', { changed: false, mayRunAgain: false });
  first.ran('late', { changed: true, mayRunAgain: false });
  first.end(object('b'), true);
  expect(rounds.beginSecond()).toBe(true);
  const second = Reinvocation.of(request(rounds));
  second.begin(object('b'));
  expect(['early', 'once', 'late', 'new'].map((key) => second.isDue(key))).toEqual([true, false, false, false]);
});

test('a change by another plugin counts in the second round', () => {
  const rounds = new Rounds();
  const first = Reinvocation.of(request(rounds));
  first.begin(object('a'));
  first.ran('p', may);
  first.end(object('a'), false);
  rounds.wantSecond();
  rounds.beginSecond();
  const second = Reinvocation.of(request(rounds));
  second.begin(object('b'));
  expect(second.isDue('p')).toBe(true);
});
