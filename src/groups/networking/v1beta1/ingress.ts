// Ingress before networking v1: backends were a service name and a port that is a number or a name.

import type { ApiObject } from '../../../meta/object.ts';
import type { Deprecation, KindDefinition } from '../../../schema/resource.ts';
import { field, type Infer, intOrString, listOf, string, struct, within } from '../../../schema/types.ts';
import { convertedKind } from '../../converted-kind.ts';
import { typedLocalObjectReference } from '../../core/v1/references.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { ingress } from '../v1/ingress.ts';
import { type Ingress, ingressStatus, ingressTLS } from '../v1/ingress-type.ts';

const home = 'networking/v1beta1';

const ingressBackend = struct(
  home,
  'IngressBackend',
  'Destination of ingress traffic; set either the two service fields or resource.',
  () => ({
    serviceName: field(1, string, { about: 'Name of a Service in the namespace of the Ingress.' }),
    servicePort: field(2, intOrString, { always: true, about: 'Port of the Service, as a number or a name.' }),
    resource: field(3, typedLocalObjectReference, {
      pointer: true,
      about: 'Another object in the same namespace that serves the requests.',
    }),
  }),
);

const httpIngressPath = struct(home, 'HTTPIngressPath', 'Sends requests for one URL path to a backend.', () => ({
  path: field(1, string, { about: 'URL path to match, starting with a slash.' }),
  pathType: field(3, string, {
    goType: 'PathType',
    pointer: true,
    about: 'Exact, Prefix or ImplementationSpecific, the default.',
  }),
  backend: field(2, ingressBackend, { always: true, required: true, about: 'Where matching requests are sent.' }),
}));

const httpIngressRuleValue = struct(home, 'HTTPIngressRuleValue', 'The path list of one HTTP rule.', () => ({
  paths: field(1, listOf(httpIngressPath), {
    always: true,
    required: true,
    listType: 'atomic',
    about: 'Paths and their backends.',
  }),
}));

const ingressRule = struct(home, 'IngressRule', 'Paths to serve for one host name.', () => ({
  host: field(1, string, { about: 'Host name to match; empty for all.' }),
  ...within(2, 'IngressRuleValue', {
    http: field(1, httpIngressRuleValue, { pointer: true, about: 'Paths of the host.' }),
  }),
}));

const ingressSpec = struct(home, 'IngressSpec', 'Desired configuration of an Ingress.', () => ({
  ingressClassName: field(4, string, { pointer: true, about: 'Name of the IngressClass that handles this Ingress.' }),
  backend: field(1, ingressBackend, { pointer: true, about: 'Gets requests that match no rule.' }),
  tls: field(2, listOf(ingressTLS), { listType: 'atomic', about: 'Certificates and the hosts they serve.' }),
  rules: field(3, listOf(ingressRule), { listType: 'atomic', about: 'Host rules that route requests.' }),
}));

const type = struct(home, 'Ingress', 'Routes HTTP requests from outside to services.', () => ({
  metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
  spec: field(2, ingressSpec, { always: true, about: 'The routing you want.' }),
  status: field(3, ingressStatus, { always: true, about: 'Addresses of the load balancer.' }),
}));

type OldIngress = ApiObject & Infer<typeof type>;
type OldBackend = Infer<typeof ingressBackend>;
type Backend = NonNullable<NonNullable<Ingress['spec']>['defaultBackend']>;

function newBackend({ serviceName, servicePort, resource }: OldBackend): Backend {
  if (resource !== undefined) return { resource };
  const port =
    typeof servicePort === 'string' ? { name: servicePort } : servicePort ? { number: servicePort } : undefined;
  return { service: { name: serviceName ?? '', ...(port ? { port } : {}) } };
}

function oldBackend({ service, resource }: Backend): OldBackend {
  if (resource !== undefined) return { servicePort: 0, resource };
  const { number, name } = service?.port ?? {};
  return { serviceName: service?.name ?? '', servicePort: name || (number ?? 0) };
}

function toStorage(object: OldIngress): ApiObject {
  const { backend, rules, ...spec } = object.spec ?? {};
  return {
    ...object,
    spec: {
      ...spec,
      ...(backend ? { defaultBackend: newBackend(backend) } : {}),
      ...(rules ? { rules: rules.map((rule) => withBackends(rule, newBackend)) } : {}),
    },
  };
}

function fromStorage(object: Ingress): ApiObject {
  const { defaultBackend, rules, ...spec } = object.spec ?? {};
  return {
    ...object,
    spec: {
      ...spec,
      ...(defaultBackend ? { backend: oldBackend(defaultBackend) } : {}),
      ...(rules ? { rules: rules.map((rule) => withBackends(rule, oldBackend)) } : {}),
    },
  };
}

interface Rule<B> {
  readonly http?: { readonly paths?: readonly { readonly backend?: B }[] };
}

function withBackends<B extends object, C>(rule: Rule<B>, convert: (backend: B) => C): Rule<C> {
  const { http, ...rest } = rule;
  if (http === undefined) return rest;
  const paths = (http.paths ?? []).map((path) => ({ ...path, backend: convert(path.backend ?? ({} as B)) }));
  return { ...rest, http: { ...http, paths } };
}

/** Paths were matched as the controller likes before they had a type. */
function defaultPathTypes(object: OldIngress): ApiObject {
  const { spec } = object;
  if (spec?.rules === undefined) return object;
  const rules = spec.rules.map((rule) =>
    rule.http === undefined
      ? rule
      : {
          ...rule,
          http: { paths: (rule.http.paths ?? []).map((path) => ({ pathType: 'ImplementationSpecific', ...path })) },
        },
  );
  return { ...object, spec: { ...spec, rules } };
}

export const ingressV1beta1 = (deprecated: Deprecation): KindDefinition =>
  convertedKind(ingress, { type, conversion: { toStorage, fromStorage }, defaults: defaultPathTypes, deprecated });
