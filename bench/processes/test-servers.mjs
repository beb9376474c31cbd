// Starts forty servers of the test kit in parallel, uses each, and prints what they took.
import { startTestServer } from '../../dist/testing.js';

const COUNT = 40;
const mib = () => {
  globalThis.gc();
  return process.memoryUsage().rss / 1024 / 1024;
};

// what all of them share is loaded by the first
const first = await startTestServer({ listen: false });
const before = mib();
const [begun, cpu] = [performance.now(), process.cpuUsage()];
const servers = await Promise.all(Array.from({ length: COUNT }, () => startTestServer()));
await Promise.all(servers.map((server) => server.client.configmaps('default').create({ metadata: { name: 'a' } })));
const { user, system } = process.cpuUsage(cpu);
const result = {
  ms: Math.round(performance.now() - begun),
  processorMs: Math.round((user + system) / 1000),
  mibPerServer: Math.round(((mib() - before) / COUNT) * 100) / 100,
};
await Promise.all([first, ...servers].map((server) => server.close()));
console.log(JSON.stringify(result));
