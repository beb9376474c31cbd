// Opens data folders whose data file was damaged, one after the other, and uses what it finds; a signal ends it for all to see.
import { createServer } from '../../dist/index.js';

const configMaps = '/api/v1/namespaces/default/configmaps';

process.on('message', async (dataDir) => {
  try {
    process.send({ opened: await use(dataDir) });
  } catch (error) {
    process.send({ refused: String(error.message) });
  }
});

async function use(dataDir) {
  const server = await createServer({ store: 'embedded', dataDir, controllers: [] });
  try {
    const call = async (method, path, body) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await server.fetch(path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
      await answer.text();
      return answer.status;
    };
    const create = (name) => call('POST', configMaps, { metadata: { name }, data: { text: name.repeat(500) } });
    return {
      list: await call('GET', configMaps),
      create: (await Promise.all(['n-1', 'n-2', 'n-3'].map(create))).at(-1),
      delete: await call('DELETE', `${configMaps}/a-7`),
      deleteAll: await call('DELETE', configMaps),
    };
  } finally {
    await server.close();
  }
}
