// Types of probe: Probe, ProbeHandler, ExecAction and others.

import { field, int32, int64, intOrString, listOf, string, struct, within } from '../../../../schema/types.ts';
import { signals } from './signals.ts';

const home = 'core/v1';

const execAction = struct(home, 'ExecAction', 'A command to run inside a container.', () => ({
  command: field(1, listOf(string), {
    listType: 'atomic',
    about: 'Program and arguments, started directly without a shell; call sh yourself if one is needed.',
  }),
}));

const httpHeader = struct(home, 'HTTPHeader', 'One header of an HTTP check.', () => ({
  name: field(1, string, { always: true, required: true, about: 'Name of the header, such as Host or Accept.' }),
  value: field(2, string, { always: true, required: true, about: 'Value sent for the header.' }),
}));

export const httpGetAction = struct(home, 'HTTPGetAction', 'An HTTP GET request to send.', () => ({
  path: field(1, string, { about: 'Path to request; "/" by default.' }),
  port: field(2, intOrString, { always: true, required: true, about: 'Port number, or the name of a container port.' }),
  host: field(3, string, { about: 'Host to connect to; the pod IP by default, prefer a Host header instead.' }),
  scheme: field(4, string, {
    goType: 'URIScheme',
    enum: ['HTTP', 'HTTPS'],
    about: 'HTTP (default) or HTTPS; certificates are not checked.',
  }),
  httpHeaders: field(5, listOf(httpHeader), {
    listType: 'atomic',
    about: 'Extra headers to send; a name may occur more than once.',
  }),
}));

const tcpSocketAction = struct(home, 'TCPSocketAction', 'A TCP connection to try to open.', () => ({
  port: field(1, intOrString, { always: true, required: true, about: 'Port number, or the name of a container port.' }),
  host: field(2, string, { about: 'Host to connect to; the pod IP by default.' }),
}));

const grpcAction = struct(home, 'GRPCAction', 'A call to the gRPC health checking service.', () => ({
  port: field(1, int32, { always: true, required: true, about: 'Port number of the gRPC server, 1 to 65535.' }),
  service: field(2, string, {
    pointer: true,
    always: true,
    default: '',
    about: 'Service name put into the health request; empty asks about the server as a whole.',
  }),
}));

const probeHandlerFields = {
  exec: field(1, execAction, { pointer: true, about: 'Run a command in the container; exit code 0 means healthy.' }),
  httpGet: field(2, httpGetAction, {
    pointer: true,
    about: 'Send an HTTP GET request; a status from 200 to 399 means healthy.',
  }),
  tcpSocket: field(3, tcpSocketAction, {
    pointer: true,
    about: 'Open a TCP connection; success in connecting means healthy.',
  }),
  grpc: field(4, grpcAction, { pointer: true, about: 'Call the standard gRPC health service; SERVING means healthy.' }),
};

export const probe = struct(home, 'Probe', 'A periodic health check on a container.', () => ({
  ...within(1, 'ProbeHandler', probeHandlerFields),
  initialDelaySeconds: field(2, int32, {
    about: 'Seconds to wait after the container starts before the first check; 0 by default.',
  }),
  timeoutSeconds: field(3, int32, { about: 'Seconds after which a check counts as failed; 1 by default.' }),
  periodSeconds: field(4, int32, { about: 'Seconds between two checks; 10 by default, at least 1.' }),
  successThreshold: field(5, int32, {
    about: 'Successes in a row needed after a failure; 1 by default, and always 1 for liveness and startup.',
  }),
  failureThreshold: field(6, int32, {
    about: 'Failures in a row after which the probe counts as failed; 3 by default.',
  }),
  terminationGracePeriodSeconds: field(7, int64, {
    pointer: true,
    about: 'Seconds to stop the container after this probe fails; overrides the pod value, not for readiness.',
  }),
}));

const sleepAction = struct(home, 'SleepAction', 'A pause of fixed length.', () => ({
  seconds: field(1, int64, {
    always: true,
    required: true,
    about: 'How many seconds to wait; not more than the termination grace period.',
  }),
}));

export const lifecycleHandler = struct(
  home,
  'LifecycleHandler',
  'The action a lifecycle hook performs; set exactly one.',
  () => ({
    exec: field(1, execAction, { pointer: true, about: 'Run a command inside the container.' }),
    httpGet: field(2, httpGetAction, { pointer: true, about: 'Send an HTTP GET request to the container.' }),
    tcpSocket: field(3, tcpSocketAction, {
      pointer: true,
      about: 'Kept for compatibility only; a hook using it fails.',
    }),
    sleep: field(4, sleepAction, { pointer: true, about: 'Pause the container for a fixed time.' }),
  }),
);

export const lifecycle = struct(home, 'Lifecycle', 'Actions tied to the start and stop of a container.', () => ({
  postStart: field(1, lifecycleHandler, {
    pointer: true,
    about:
      'Runs right after the container is created; on failure the container is killed and handled by its restart policy.',
  }),
  preStop: field(2, lifecycleHandler, {
    pointer: true,
    about: 'Runs before the container is stopped on purpose; its time counts against the grace period.',
  }),
  stopSignal: field(3, string, {
    goType: 'Signal',
    pointer: true,
    off: 'with-struct',
    enum: signals,
    about: 'Signal sent to stop the container, such as SIGUSR1; needs os.name of the pod to be set.',
  }),
}));
