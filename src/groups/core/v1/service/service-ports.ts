// Node ports of one service: which it names, which it shares among its ports, which it is given.

import { invalidValue } from '../../../../meta/field-errors.ts';
import { ApiError, internalError, invalid, plainError } from '../../../../meta/status.ts';
import { PortError, type PortOperation } from './node-ports.ts';
import {
  mayHaveNodePorts,
  needsHealthCheckPort,
  needsNodePorts,
  nodePortsOf,
  type ServiceSpec,
  specOf,
} from './service-fields.ts';
import type { Service } from './service-type.ts';

type Port = NonNullable<ServiceSpec['ports']>[number];

/** All node ports that an object holds. */
export function heldPorts(spec: ServiceSpec): readonly number[] {
  const checked = needsHealthCheckPort(spec) && spec.healthCheckNodePort ? [spec.healthCheckNodePort] : [];
  return mayHaveNodePorts(spec) ? [...nodePortsOf(spec), ...checked] : [];
}

/** Reserves what the service needs beyond what it held before. */
export function assignPorts(next: Service, old: Service | undefined, operation: PortOperation): ServiceSpec {
  const spec = specOf(next);
  const held = new Set(old === undefined ? [] : heldPorts(specOf(old)));
  const assign = old === undefined ? assignNew : assignChanged;
  const ports = mayHaveNodePorts(spec) ? assign(next, held, operation) : spec.ports;
  const settled: ServiceSpec = { ...spec, ...(ports === undefined ? {} : { ports }) };
  return needsHealthCheckPort(settled) ? withHealthCheckPort(settled, held, operation) : settled;
}

/** Ports with the same number share a node port, whatever their protocol. */
function assignNew(next: Service, _held: ReadonlySet<number>, operation: PortOperation): readonly Port[] {
  const spec = specOf(next);
  const { ports = [] } = spec;
  const byNumber = new Map<number, number>();
  const chosen = new Map(
    ports.flatMap(({ port, nodePort }) => (nodePort ? [[port, nodePort] as const] : [])).reverse(),
  );
  return ports.map((port, index) => {
    if (!port.nodePort && !needsNodePorts(spec)) return port;
    const number = port.port ?? 0;
    const shared = byNumber.get(number);
    if (shared !== undefined) {
      if (port.nodePort && port.nodePort !== shared) take(next, index, port.nodePort, operation);
      return port.nodePort ? port : { ...port, nodePort: shared };
    }
    const asked = chosen.get(port.port);
    const nodePort = asked ?? takeAny(operation, 'failed to allocate a nodePort');
    if (asked !== undefined) take(next, index, asked, operation);
    byNumber.set(number, nodePort);
    return { ...port, nodePort };
  });
}

function assignChanged(next: Service, held: ReadonlySet<number>, operation: PortOperation): readonly Port[] {
  const spec = specOf(next);
  const own = new Set(held);
  const seen = new Set<string>();
  return (spec.ports ?? []).map((port, index) => {
    if (!port.nodePort && !needsNodePorts(spec)) return port;
    const nodePort = port.nodePort || takeAny(operation, 'failed to allocate a nodePort');
    if (port.nodePort && !own.has(nodePort)) take(next, index, nodePort, operation);
    own.add(nodePort);
    const pair = `${port.protocol} ${nodePort}`;
    // compat: a node port that a change gives to two ports is an error of the server
    if (seen.has(pair)) throw plainError(`duplicate nodePort: {${pair}}`);
    seen.add(pair);
    return { ...port, nodePort };
  });
}

function withHealthCheckPort(spec: ServiceSpec, held: ReadonlySet<number>, operation: PortOperation): ServiceSpec {
  const asked = spec.healthCheckNodePort ?? 0;
  if (asked === 0)
    return { ...spec, healthCheckNodePort: takeAny(operation, 'failed to allocate a HealthCheck NodePort') };
  if (held.has(asked)) return spec;
  return speaking(`failed to allocate requested HealthCheck NodePort ${asked}`, () => {
    operation.take(asked);
    return spec;
  });
}

function take(service: Service, index: number, port: number, operation: PortOperation): void {
  try {
    operation.take(port);
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    const validationError = invalidValue(`spec.ports[${index}].nodePort`, port, error.message);
    throw invalid({ group: '', kind: 'Service', name: service.metadata.name ?? '' }, [validationError]);
  }
}

const takeAny = (operation: PortOperation, what: string) => speaking(what, () => operation.takeAny());

function speaking<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ApiError || !(error instanceof PortError)) throw error;
    throw internalError(`${what}: ${error.message}`);
  }
}
