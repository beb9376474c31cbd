// What is wrong with probes and lifecycle hooks.

import { forbiddenField, invalidValue, required } from '../../../../meta/field-errors.ts';
import { findEach } from '../../../../meta/find-each.ts';
import { validatePort, validatePortOrName } from '../../../../meta/network-names.ts';
import type { FieldError } from '../../../../meta/status.ts';
import type { Infer } from '../../../../schema/types.ts';
import { checked, noneNegative, oneOf, type ValidationErrors } from '../../../rules.ts';
import type { Container } from './container-defaults.ts';
import type { httpGetAction, lifecycleHandler, probe } from './probe.ts';

type Probe = Infer<typeof probe>;
type Handler = Pick<Probe, 'grpc'> & Infer<typeof lifecycleHandler>;
type HTTPGetAction = Infer<typeof httpGetAction>;

/** Everything of a container that runs next to its program. */
export function validateProbesAndHooks(one: Container, at: string, gracePeriodSeconds: number): ValidationErrors {
  const { livenessProbe: liveness, readinessProbe: readiness, startupProbe: startup, lifecycle } = one;
  return [
    ...(lifecycle ? validateHooks(lifecycle, `${at}.lifecycle`, gracePeriodSeconds) : []),
    ...validateProbe(liveness, `${at}.livenessProbe`, true),
    ...validateProbe(readiness, `${at}.readinessProbe`, false),
    ...(readiness?.terminationGracePeriodSeconds === undefined
      ? []
      : [
          invalidValue(
            `${at}.readinessProbe.terminationGracePeriodSeconds`,
            readiness.terminationGracePeriodSeconds,
            'must not be set for readinessProbes',
          ),
        ]),
    ...validateProbe(startup, `${at}.startupProbe`, true),
  ];
}

function validateHooks(
  lifecycle: NonNullable<Container['lifecycle']>,
  at: string,
  gracePeriodSeconds: number,
): ValidationErrors {
  return findEach(['postStart', 'preStop'] as const, (hook) => {
    const handler = lifecycle[hook];
    return handler ? validateHandler(handler, `${at}.${hook}`, gracePeriodSeconds) : [];
  });
}

const timings = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'];

function validateProbe(given: Probe | undefined, at: string, oneSuccess: boolean): ValidationErrors {
  if (given === undefined) return [];
  const { successThreshold = 0, terminationGracePeriodSeconds: grace } = given;
  return [
    ...validateHandler(given, at, 0),
    ...noneNegative(at, given, timings),
    ...(grace !== undefined && grace <= 0
      ? [invalidValue(`${at}.terminationGracePeriodSeconds`, grace, 'must be greater than 0')]
      : []),
    ...(oneSuccess && successThreshold !== 1
      ? [invalidValue(`${at}.successThreshold`, successThreshold, 'must be 1')]
      : []),
  ];
}

const handlerNames = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const;

function validateHandler(handler: Handler, at: string, gracePeriodSeconds: number): ValidationErrors {
  const first = handlerNames.find((name) => handler[name] !== undefined);
  if (first === undefined) return [required(at, 'must specify a handler type')];
  const others = handlerNames.filter((name) => name !== first && handler[name] !== undefined);
  return [
    ...handlerErrors(handler, first, `${at}.${first}`, gracePeriodSeconds),
    ...others.map((name) => forbiddenField(`${at}.${name}`, 'may not specify more than 1 handler type')),
  ];
}

function handlerErrors(
  { exec, httpGet, tcpSocket, grpc, sleep }: Handler,
  which: (typeof handlerNames)[number],
  at: string,
  gracePeriodSeconds: number,
): ValidationErrors {
  switch (which) {
    case 'exec':
      return (exec?.command ?? []).length === 0 ? [required(`${at}.command`)] : [];
    case 'httpGet':
      return validateHttpGet(httpGet ?? {}, at);
    case 'tcpSocket':
      return validatePortOrName(tcpSocket?.port ?? 0, `${at}.port`);
    case 'grpc':
      return validatePort(grpc?.port ?? 0, `${at}.port`);
    case 'sleep':
      return validateSleep(sleep?.seconds ?? 0, at, gracePeriodSeconds);
  }
}

const headerForm = /^[-A-Za-z0-9]+$/;
const headerAdvice =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";

function validateHttpGet(
  { path, port = 0, scheme = '', httpHeaders = [] }: HTTPGetAction,
  at: string,
): ValidationErrors {
  const errors: FieldError[] = [];
  if (!path) errors.push(required(`${at}.path`));
  errors.push(...validatePortOrName(port, `${at}.port`), ...oneOf(`${at}.scheme`, scheme, ['HTTP', 'HTTPS']));
  for (const { name = '' } of httpHeaders)
    errors.push(...checked(`${at}.httpHeaders`, name, (text) => (headerForm.test(text) ? [] : [headerAdvice])));
  return errors;
}

function validateSleep(seconds: number, at: string, gracePeriodSeconds: number): ValidationErrors {
  if (seconds >= 0 && seconds <= gracePeriodSeconds) return [];
  const detail = `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriodSeconds})`;
  return [invalidValue(at, seconds, detail)];
}
