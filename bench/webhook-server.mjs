// A webhook that allows everything: Node's HTTPS server, which answers reviews. Run with CERTIFICATE-FILE.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';

const [, , file] = process.argv;
const server = createServer(JSON.parse(readFileSync(file, 'utf8')), (request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const { apiVersion, kind, request: asked } = JSON.parse(Buffer.concat(chunks).toString());
    const answer = JSON.stringify({ apiVersion, kind, response: { uid: asked?.uid, allowed: true } });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length }).end(answer);
  });
});
server.keepAliveTimeout = 0; // connections stay between rounds

process.on('disconnect', () => process.exit());
process.on('SIGINT', () => {}); // Ctrl-C reaches the whole group; the parent decides
process.on('SIGTERM', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
