import { expect, test } from 'vitest';
import { Client } from '../client/client.ts';
import { loopbackTransport } from './loopback.ts';

const managedFields = [{ manager: 'a', fieldsV1: { 'f:data': {} } }];
const clientOf = (object: object) =>
  new Client(loopbackTransport(async () => ({ status: 200, headers: {}, body: JSON.stringify(object) }), 'test'));

test('a large object comes without the managers of its fields, a small one as it is', async () => {
  const small = { metadata: { name: 'a', managedFields }, data: { text: 'x' } };
  expect(await clientOf(small).get('/a')).toEqual(small);
  const large = { ...small, data: { text: 'x'.repeat(300_000) } };
  expect(await clientOf(large).get('/a')).toEqual({ ...large, metadata: { name: 'a' } });
});
