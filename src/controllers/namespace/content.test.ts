import { expect, test } from 'vitest';
import { type Client, RequestError } from '../../client/client.ts';
import { discover, emptyNamespace } from './content.ts';

const refusal = (code: number) => new RequestError('GET', code, undefined);

/** Answers by path; a number is the code of a refusal. */
function clientOf(answers: Readonly<Record<string, object | number>>): Client {
  const answer = (path: string) => {
    const found = answers[path.replace(/\?.*/, '')] ?? 404;
    return typeof found === 'number' ? Promise.reject(refusal(found)) : Promise.resolve(found);
  };
  return { get: answer, list: answer } as unknown as Client;
}

const group = (name: string) => ({ name, preferredVersion: { version: 'v1' }, versions: [{ version: 'v1' }] });
const things = { name: 'things', namespaced: true, verbs: ['list', 'delete'] };
const at = (name: string) => ({
  group: name,
  resource: 'things',
  path: `/apis/${name}/v1/namespaces/n/things`,
  verbs: things.verbs,
});

test('a group that is gone since groups were listed is no failure, one that does not answer is', async () => {
  const client = clientOf({
    '/apis': { groups: [group('a.example'), group('gone.example'), group('lost.example')] },
    '/api/v1': { resources: [] },
    '/apis/a.example/v1': { resources: [things] },
    '/apis/lost.example/v1': 503,
  });
  const { collections, failures } = await discover(client, 'n');
  expect(collections).toEqual([at('a.example')]);
  expect(failures).toEqual(['lost.example/v1: stale GroupVersion discovery: lost.example/v1']);
});

test('a kind that is gone since has nothing left, one that cannot be listed is told of', async () => {
  const client = clientOf({
    [at('empty.example').path]: { items: [], metadata: {} },
    [at('broken.example').path]: 500,
  });
  const collections = ['gone.example', 'empty.example', 'broken.example'].map(at);
  expect(await emptyNamespace(client, collections)).toEqual({ deletionFailures: ['GET: 500 '], remaining: [] });
});
