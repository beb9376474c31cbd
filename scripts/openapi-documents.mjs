// Writes the OpenAPI documents of a server without options into a build, as that server makes them (src/discovery/openapi/prepared.ts).
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

const dist = resolve(process.argv[2] ?? 'dist');
const folder = join(dist, 'openapi');
const { createServer } = createRequire(import.meta.url)(join(dist, 'index.cjs'));
const server = await createServer();

async function get(path, accept = 'application/json') {
  const answer = await server.fetch(path, { headers: { accept, 'accept-encoding': 'identity' } });
  if (answer.status !== 200) throw new Error(`${path} answers ${answer.status}`);
  return answer;
}

/** Gives the hash in the ETag. */
async function write(path, accept, file) {
  const answer = await get(path, accept);
  writeFileSync(join(folder, file), gzipSync(await answer.arrayBuffer(), { level: 9 }));
  return answer.headers.get('etag').slice(1, -1);
}

const writeBoth = async (path, version, name) => ({
  json: await write(path, 'application/json', `${name}.json.gz`),
  protobuf: await write(path, `application/com.github.proto-openapi.spec.${version}.v1.0+protobuf`, `${name}.pb.gz`),
});

/** Other documents are small. */
const isGroupVersion = (path) => /^api(s\/[^/]+)?\/v\d\w*$/.test(path);

mkdirSync(folder, { recursive: true });
const { paths } = await (await get('/openapi/v3')).json();
const v3 = {};
for (const path of Object.keys(paths).filter(isGroupVersion)) {
  const { resources } = await (await get(`/${path}`)).json();
  const names = resources.map(({ name }) => name).filter((name) => !name.includes('/'));
  v3[path] = { resources: names, ...(await writeBoth(`/openapi/v3/${path}`, 'v3', `v3.${path.replaceAll('/', '.')}`)) };
}
const { name, version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const index = { writer: `${name} ${version}`, v2: await writeBoth('/openapi/v2', 'v2', 'v2'), v3 };
writeFileSync(join(folder, 'index.json'), JSON.stringify(index));
await server.close();
