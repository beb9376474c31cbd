// What a container's description becomes when it leaves things out.

import { withFields } from '../../../../base/maps/with-fields.ts';
import type { Infer } from '../../../../schema/types.ts';
import type { container, ephemeralContainer } from './container.ts';
import type { envVar, objectFieldSelector } from './environment.ts';
import type { httpGetAction, lifecycle, lifecycleHandler, probe } from './probe.ts';
import { roundedResources } from './rounded-amounts.ts';

export type Container = Infer<typeof container>;
export type EphemeralContainer = Infer<typeof ephemeralContainer>;
type Probe = Infer<typeof probe>;
type Lifecycle = Infer<typeof lifecycle>;
type LifecycleHandler = Infer<typeof lifecycleHandler>;
type HTTPGetAction = Infer<typeof httpGetAction>;
type EnvVar = Infer<typeof envVar>;
type ObjectFieldSelector = Infer<typeof objectFieldSelector>;

export function defaultContainer(given: Container): Container {
  const { env, livenessProbe, readinessProbe, startupProbe, lifecycle: hooks, resources } = given;
  return withFields(given, {
    env: env?.map(defaultEnv),
    livenessProbe: livenessProbe && defaultProbe(livenessProbe),
    readinessProbe: readinessProbe && defaultProbe(readinessProbe),
    startupProbe: startupProbe && defaultProbe(startupProbe),
    lifecycle: hooks && defaultLifecycle(hooks),
    resources: resources && roundedResources(resources),
    terminationMessagePath: given.terminationMessagePath || '/dev/termination-log',
    terminationMessagePolicy: given.terminationMessagePolicy || 'File',
    imagePullPolicy: given.imagePullPolicy || pullPolicyOf(given.image ?? ''),
  });
}

/** A moving tag is pulled every time, everything else once. */
export function pullPolicyOf(image: string): 'Always' | 'IfNotPresent' {
  return tagOf(image) === 'latest' ? 'Always' : 'IfNotPresent';
}

const imageName =
  /^(?:(?:[a-zA-Z0-9][a-zA-Z0-9.-]*(?::[0-9]+)?|\[[a-fA-F0-9:]+\](?::[0-9]+)?)\/)?[a-z0-9]+(?:[._/-]+[a-z0-9]+)*$/;
const tagForm = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;

const maxImagePath = 255;

/** The path of an image in its registry, which is named by what looks like a host before the first slash. */
function pathOf(name: string): string {
  const slash = name.indexOf('/');
  if (slash < 0) return `library/${name}`;
  const host = name.slice(0, slash);
  return host === 'localhost' || /[.:A-Z]/.test(host) ? name.slice(slash + 1) : name;
}

/** The tag of an image; none when it is pinned by a digest or no image at all. */
function tagOf(image: string): string {
  const [named = '', digest] = image.split('@', 2);
  const colon = named.lastIndexOf(':');
  const hasTag = colon > named.lastIndexOf('/');
  const name = hasTag ? named.slice(0, colon) : named;
  const tag = hasTag ? named.slice(colon + 1) : '';
  if (pathOf(name).length > maxImagePath || !imageName.test(name) || (hasTag && !tagForm.test(tag))) return '';
  return hasTag ? tag : digest === undefined ? 'latest' : '';
}

function defaultProbe(given: Probe): Probe {
  return withFields(given, {
    httpGet: given.httpGet && defaultHttpGet(given.httpGet),
    timeoutSeconds: given.timeoutSeconds || 1,
    periodSeconds: given.periodSeconds || 10,
    successThreshold: given.successThreshold || 1,
    failureThreshold: given.failureThreshold || 3,
  });
}

const defaultHttpGet = (given: HTTPGetAction): HTTPGetAction =>
  withFields(given, { path: given.path || '/', scheme: given.scheme || 'HTTP' });

function defaultLifecycle(given: Lifecycle): Lifecycle {
  const { postStart, preStop } = given;
  return withFields(given, {
    postStart: postStart && defaultHook(postStart),
    preStop: preStop && defaultHook(preStop),
  });
}

const defaultHook = (given: LifecycleHandler): LifecycleHandler =>
  given.httpGet ? { ...given, httpGet: defaultHttpGet(given.httpGet) } : given;

function defaultEnv(given: EnvVar): EnvVar {
  const { valueFrom } = given;
  if (!valueFrom?.fieldRef) return given;
  return { ...given, valueFrom: { ...valueFrom, fieldRef: defaultFieldRef(valueFrom.fieldRef) } };
}

export const defaultFieldRef = (given: ObjectFieldSelector): ObjectFieldSelector =>
  given.apiVersion ? given : withFields(given, { apiVersion: 'v1' });

const sorted = (amounts: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.keys(amounts)
      .sort()
      .map((name) => [name, amounts[name] as string]),
  );

/** A container that limits a resource and names no request asks for as much as the limit. */
export function requestLimits(given: Container): Container {
  const { limits, requests } = given.resources ?? {};
  if (limits === undefined || Object.keys(limits).length === 0) return given;
  const resources = withFields(given.resources ?? {}, { requests: sorted({ ...limits, ...requests }) });
  return withFields(given, { resources });
}
