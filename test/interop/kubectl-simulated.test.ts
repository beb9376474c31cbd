// kubectl and simulated nodes: pods that run, logs, commands in containers, forwarded ports, drained nodes.

import { once } from 'node:events';
import { connect as connectTo, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { describeWith, kubectl } from './peers.ts';
import { workbench } from './workbench.ts';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

async function answerOf(port: number, request: string): Promise<string> {
  const socket: Socket = connectTo(port, '127.0.0.1');
  socket.write(request);
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(socket, 'close');
  return text;
}

describeWith(kubectl, 'kubectl on simulated nodes', () => {
  const bench = workbench(kubectl, async () => ({
    simulate: ['nodes=2'],
    simulation: {
      rules: [
        {
          match: { name: 'talks' },
          behaviour: { logs: ['one', 'two', 'three'], logIntervalSeconds: 0.2, repeatLogs: true },
        },
      ],
    },
  }));

  test('run and wait for a pod, read its log', async () => {
    const { run, namespace } = await bench.namespace();
    expect(await run`run web --image=nginx`).toMatchObject({ code: 0, stderr: '' });
    expect(await run`wait --for=condition=Ready pod/web --timeout=20s`).toMatchObject({ code: 0 });
    expect((await run`logs web`).stdout).toBe(`simulated container web of pod ${namespace}/web runs nginx\n`);
    const described = (await run`describe pod web`).stdout;
    expect(described).toMatch(/Started\s.*kubelet.*Container started/);
    expect(described).toMatch(
      new RegExp(`Scheduled.*default-scheduler.*Successfully assigned ${namespace}/web to node-`),
    );
  });

  test('follow a log, and read its end', async () => {
    const { run, start } = await bench.namespace();
    await run`run talks --image=nginx`;
    await run`wait --for=condition=Ready pod/talks --timeout=20s`;
    await using follower = start`logs -f talks`;
    await follower.printed(/one\ntwo\nthree\none\n/);
    expect((await run`logs talks --tail=1`).stdout).toMatch(/^(one|two|three)\n$/);
    expect((await run`logs talks --timestamps --tail=2`).stdout).toMatch(/^(\S+Z (one|two|three)\n){2}$/);
    expect((await run`logs talks --previous`).stderr).toContain(
      'previous terminated container "talks" in pod "talks" not found',
    );
  });

  test('run a command in a container', async () => {
    const { run } = await bench.namespace();
    await run`run web --image=nginx`;
    await run`wait --for=condition=Ready pod/web --timeout=20s`;
    expect(await run`exec web -- echo hello world`).toMatchObject({ code: 0, stdout: 'hello world\n' });
    const missing = await run`exec web -- nothing`;
    expect(missing.code).toBe(127);
    expect(missing.stderr).toContain('nothing: command not found in a simulated container\n');
    expect(missing.stderr).toContain('command terminated with exit code 127');
  });

  test('forward a port', async () => {
    const { run, start } = await bench.namespace();
    await run`run web --image=nginx`;
    await run`wait --for=condition=Ready pod/web --timeout=20s`;
    const port = await freePort();
    await using forwarder = start`port-forward pod/web ${`${port}:80`}`;
    await forwarder.printed(/Forwarding from 127\.0\.0\.1/);
    for (let i = 0; i < 2; i++)
      expect(await answerOf(port, 'GET / HTTP/1.1\r\nhost: x\r\n\r\n')).toContain('pod web, port 80\n');
  });

  test('see what nodes and pods use', async () => {
    const { run } = await bench.namespace();
    await run`run web --image=nginx --annotations=simulation.keelson.dev/cpu=250m --annotations=simulation.keelson.dev/memory=64Mi`;
    await run`wait --for=condition=Ready pod/web --timeout=20s`;
    expect((await run`top pods`).stdout).toMatch(/web\s+250m\s+64Mi/);
    expect((await run`top pod web --containers`).stdout).toMatch(/web\s+web\s+250m\s+64Mi/);
    expect((await run`top nodes`).stdout).toMatch(/node-1\s+\d+m\s+0%\s+\d+Mi\s+0%/);
    expect((await run`top pod other`).stderr).toContain('pods.metrics.k8s.io "other" not found');
  });

  test('drain a node', async () => {
    const { run } = await bench.namespace();
    await run`run web --image=nginx`;
    await run`wait --for=condition=Ready pod/web --timeout=20s`;
    const { stdout: node } = await run`get pod web -o jsonpath=${'{.spec.nodeName}'}`;
    expect(await run`drain ${node} --force --timeout=20s`).toMatchObject({ code: 0 });
    expect((await run`get pods -o name`).stdout).toBe('');
    await run`uncordon ${node}`;
  });

  test('delete a pod', async () => {
    const { run } = await bench.namespace();
    await run`run web --image=nginx`;
    await run`wait --for=condition=Ready pod/web --timeout=20s`;
    expect(await run`delete pod web --timeout=20s`).toMatchObject({ code: 0 });
  });
});
