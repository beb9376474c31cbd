// The agents of simulated nodes, inside the process: logs, commands, forwarded ports and proxied requests that would go
// to a node or a pod are answered here. Everything is derived from the pod and the rules, so that any thread can answer.

import type { Clock } from '../../base/time/clock.ts';
import { acceptKey } from '../../codec/websocket.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import type { Backend, BackendRequest, Backends } from '../../meta/backend.ts';
import type { ApiResponse, Tunnel } from '../../meta/exchange.ts';
import type { ObjectAccess, ResourceOf } from '../../schema/object-access.ts';
import { attachToLog } from '../../simulation/agent/attach.ts';
import { containerStatusIn } from '../../simulation/agent/container-run.ts';
import { echoCommand, echoConnection } from '../../simulation/agent/echo.ts';
import { type LogSource, logRequestOf, readLog } from '../../simulation/agent/read-log.ts';
import type { SimulatedCommand, SimulatedContainer } from '../../simulation/agent/sessions.ts';
import { isSimulatedAddress, isSimulatedNode } from '../../simulation/nodes/addresses.ts';
import type { LogBehaviour } from '../../simulation/nodes/behaviour.ts';
import { InvalidBehaviour } from '../../simulation/nodes/read-behaviour.ts';
import { SimulationRules } from '../../simulation/nodes/rules.ts';
import type { SimulationConfig } from '../../simulation/simulation-config.ts';
import { pipeOver } from '../../transport/streams/byte-pipe.ts';
import {
  type CommandStreams,
  channelProtocols,
  commandOverMessages,
  SpdyCommand,
  streamProtocol,
} from '../../transport/streams/command-streams.ts';
import {
  type ForwardedStreams,
  forwardPorts,
  forwardProtocol,
  tunneledProtocol,
} from '../../transport/streams/forwarded-ports.ts';
import { messagesOver, pipeInside } from '../../transport/streams/socket-messages.ts';
import { SpdySession } from '../../transport/streams/spdy-session.ts';

const pods: ResourceOf<Pod> = { group: '', version: 'v1', resource: 'pods' };

interface AgentParts {
  readonly simulation: SimulationConfig;
  readonly clock: Clock;
  readonly objects: ObjectAccess;
}

/** Backends of which simulated nodes and pods are some; without simulated nodes, those that there are. */
export function withSimulatedAgents(backends: Backends, parts: AgentParts): Backends {
  const { nodes } = parts.simulation;
  if (nodes === 0) return backends;
  const agent = new SimulatedAgent(parts);
  const isSimulated = ({ host, isNode }: Backend) =>
    isSimulatedAddress(host) || (isNode && isSimulatedNode(host, nodes));
  return {
    ask: (backend, request) => (isSimulated(backend) ? agent.ask(backend, request) : backends.ask(backend, request)),
  };
}

const plain = (status: number, body: string): ApiResponse => ({
  status,
  headers: { 'content-type': 'text/plain' },
  body,
});

/** What a request to the agent is about. */
interface Target {
  readonly pod: Pod;
  readonly container: string;
  readonly query: URLSearchParams;
}

class SimulatedAgent implements Backends {
  readonly #parts: AgentParts;
  readonly #rules: SimulationRules;

  constructor(parts: AgentParts) {
    this.#parts = parts;
    this.#rules = new SimulationRules(parts.simulation.rules);
  }

  async ask(backend: Backend, request: BackendRequest): Promise<ApiResponse> {
    const url = new URL(backend.path, 'http://agent');
    if (!backend.isNode) return this.#askPod(backend, url);
    const [what, namespace = '', name = '', container = ''] = url.pathname.split('/').slice(1).map(decodeURIComponent);
    if (what === 'healthz') return plain(200, 'ok');
    const pod = name === '' ? undefined : await this.#pod(namespace, name);
    if (pod === undefined) return plain(404, `pod ${JSON.stringify(name)} not found`);
    const target = { pod, container, query: url.searchParams };
    switch (what) {
      case 'containerLogs':
        return this.#logs(target);
      case 'exec':
      case 'attach':
        return this.#command(target, request, what === 'attach');
      case 'portForward':
        return this.#forward(pod, request);
      default:
        return plain(404, `a simulated node has no ${what}`);
    }
  }

  #pod(namespace: string, name: string): Promise<Pod | undefined> {
    return this.#parts.objects.get(pods, { namespace, name });
  }

  /** A request to a port of a pod. */
  async #askPod({ host, port = 80 }: Backend, { pathname }: URL): Promise<ApiResponse> {
    const all = await this.#parts.objects.list(pods, '');
    const pod = all.find(({ status }) => status?.podIP === host && status.phase === 'Running');
    if (pod === undefined) return plain(503, `no simulated pod runs at ${host}`);
    return plain(200, `pod ${pod.metadata.name}, port ${port}, path ${pathname}\n`);
  }

  #containerOf(pod: Pod, container: string): SimulatedContainer {
    const { metadata, spec = {} } = pod;
    const { initContainers = [], containers = [] } = spec;
    const { image = '' } = [...initContainers, ...containers].find(({ name }) => name === container) ?? {};
    return { namespace: metadata.namespace ?? '', pod: metadata.name ?? '', container, image };
  }

  #logSource({ pod: { metadata } }: Target): LogSource {
    return {
      clock: this.#parts.clock,
      pod: () => this.#pod(metadata.namespace ?? '', metadata.name ?? ''),
      behaviourOf: (pod, container) => this.#logBehaviour(pod, container),
    };
  }

  #logBehaviour(pod: Pod, container: string): LogBehaviour {
    const about = this.#containerOf(pod, container);
    const behaviour = this.#behaviourOf(pod, about);
    const made = [`simulated container ${container} of pod ${about.namespace}/${about.pod} runs ${about.image}`];
    return { ...behaviour, logs: this.#parts.simulation.programs.logs?.(about) ?? behaviour.logs ?? made };
  }

  #behaviourOf(pod: Pod, { container, image }: SimulatedContainer): LogBehaviour {
    const target = { pod, container, image };
    try {
      return this.#rules.behaviourOf(target);
    } catch (error) {
      if (error instanceof InvalidBehaviour) return this.#rules.withoutAnnotations(target);
      throw error;
    }
  }

  #logs(target: Target): Promise<ApiResponse> {
    const request = logRequestOf(target.container, target.query, this.#parts.clock.now());
    return readLog(target.pod, request, this.#logSource(target));
  }

  async #command(target: Target, request: BackendRequest, attaches: boolean): Promise<ApiResponse> {
    const { pod, container, query } = target;
    if (!containerStatusIn(pod, container)?.state?.running) return plain(404, `container not found ("${container}")`);
    const run = (streams: CommandStreams) => this.#run(target, streams, attaches);
    const wanted = { input: 'stdin', output: 'stdout', error: 'stderr' } as const;
    const streams = Object.entries(wanted).flatMap(([flag, name]) => (query.get(flag) === '1' ? [name] : []));
    const hasInput = streams.includes('stdin');
    const expected = query.get('tty') === '1' ? [...streams.filter((one) => one !== 'stderr'), 'resize'] : streams;
    return (
      webSocket(request, channelProtocols, (client, early) =>
        run(commandOverMessages(messagesOver(client, early), hasInput)),
      ) ??
      spdy(request, streamProtocol, (client, early) => {
        const command = new SpdyCommand(expected, run);
        const session: SpdySession = new SpdySession(pipeOver(client, early), {
          onStream: (stream) => command.onStream(stream, () => session),
          onClose: () => command.onClose(),
        });
      }) ??
      plain(400, 'no protocol of the request is spoken here')
    );
  }

  #run(target: Target, streams: CommandStreams, attaches: boolean): void {
    const { pod, container, query } = target;
    const session: SimulatedCommand = {
      ...this.#containerOf(pod, container),
      command: query.getAll('command'),
      tty: query.get('tty') === '1',
      stdin: streams.input,
      stdout: (chunk) => streams.stdout(Buffer.from(chunk)),
      stderr: (chunk) => streams.stderr(Buffer.from(chunk)),
      signal: streams.signal,
    };
    const { exec } = this.#parts.simulation.programs;
    const usual = () => (attaches ? attachToLog(pod, session, this.#logSource(target)) : echoCommand(session));
    Promise.resolve()
      .then(() => (exec === undefined ? usual() : exec(session)))
      .then(
        (code) => streams.finish(exitStatus(code ?? 0)),
        (error: unknown) => streams.finish(failure((error as Error).message)),
      );
  }

  #forward(pod: Pod, request: BackendRequest): ApiResponse {
    const { metadata, status } = pod;
    if (status?.phase !== 'Running') return plain(404, `pod ${metadata.name} is not running`);
    const serve = (streams: ForwardedStreams) => this.#connect(pod, streams);
    return (
      webSocket(request, [tunneledProtocol], (client, early) =>
        forwardPorts(pipeInside(messagesOver(client, early)), serve),
      ) ??
      spdy(request, forwardProtocol, (client, early) => forwardPorts(pipeOver(client, early), serve)) ??
      plain(400, 'no protocol of the request is spoken here')
    );
  }

  async #connect({ metadata }: Pod, { port, input, signal, write }: ForwardedStreams): Promise<void> {
    const { connect = echoConnection } = this.#parts.simulation.programs;
    const about = { namespace: metadata.namespace ?? '', pod: metadata.name ?? '', port };
    await connect({ ...about, input, signal, write: (chunk) => write(Buffer.from(chunk)) });
  }
}

const success = { metadata: {}, status: 'Success' };

const failure = (message: string) => ({ metadata: {}, status: 'Failure', message, reason: 'InternalError', code: 500 });

function exitStatus(code: number): object {
  if (code === 0) return success;
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${code}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  };
}

/** Undefined where the client does not ask for a WebSocket with one of the protocols. */
function webSocket(
  { headers, upgrade }: BackendRequest,
  protocols: readonly string[],
  tunnel: Tunnel,
): ApiResponse | undefined {
  if (upgrade?.toLowerCase() !== 'websocket') return undefined;
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  const protocol = protocols.find((name) => offered.includes(name));
  const key = headers['sec-websocket-key'];
  if (protocol === undefined || key === undefined) return undefined;
  const answer = { upgrade: 'websocket', connection: 'Upgrade', 'sec-websocket-accept': acceptKey(key) };
  return { status: 101, headers: { ...answer, 'sec-websocket-protocol': protocol }, tunnel };
}

function spdy({ headers, upgrade }: BackendRequest, protocol: string, tunnel: Tunnel): ApiResponse | undefined {
  if (upgrade?.toLowerCase() !== 'spdy/3.1') return undefined;
  const offered = (headers['x-stream-protocol-version'] ?? '').split(',').map((name) => name.trim());
  if (!offered.includes(protocol)) return undefined;
  const answer = { upgrade: 'SPDY/3.1', connection: 'Upgrade', 'x-stream-protocol-version': protocol };
  return { status: 101, headers: answer, tunnel };
}
