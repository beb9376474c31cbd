// Definitions of custom resources as operators ship them, and objects of them.
import { setTimeout as delay } from 'node:timers/promises';
import { COUNTER } from './generator/hpack.mjs';
import { fill } from './objects.mjs';

const GROUP = 'bench.example.com';
export const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const about = (subject) =>
  `Says how ${subject} is set for the workload; the operator reads it again whenever the object changes.`;

/** A few of every kind of field that large definitions consist of. */
const shapes = [
  (name) => ({ type: 'string', description: about(name), maxLength: 1024 }),
  (name) => ({ type: 'integer', format: 'int32', description: about(name), minimum: 0, maximum: 65535 }),
  (name) => ({ type: 'boolean', description: about(name), default: false }),
  (name) => ({ type: 'string', description: about(name), enum: ['Always', 'Never', 'IfNotPresent'] }),
  (name) => ({ type: 'array', description: about(name), items: { type: 'string', pattern: '^[a-z0-9-]+$' } }),
  (name) => ({ type: 'object', description: about(name), additionalProperties: { type: 'string' } }),
];

/** Sections of twenty fields each, `count` fields in all. */
function sections(count) {
  const properties = {};
  for (let index = 0; index < count; index += 1) {
    const section = `section${Math.floor(index / 20)}`;
    properties[section] ??= { type: 'object', description: about(section), properties: {} };
    const name = `field${index}`;
    properties[section].properties[name] = shapes[index % shapes.length](name);
  }
  return properties;
}

const conditions = {
  type: 'array',
  items: {
    type: 'object',
    required: ['type', 'status'],
    properties: { type: { type: 'string' }, status: { type: 'string' }, reason: { type: 'string' } },
  },
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
};

/** `rules` are expressions about the spec. */
export function definition({ plural, kind, fields, rules = [], group = GROUP }) {
  const spec = {
    type: 'object',
    description: about('the spec'),
    properties: { revision: { type: 'string' }, settings: { type: 'string', maxLength: 4096 }, ...sections(fields) },
    ...(rules.length === 0 ? {} : { 'x-kubernetes-validations': rules }),
  };
  const status = { type: 'object', properties: { conditions } };
  const schema = { openAPIV3Schema: { type: 'object', description: about(kind), properties: { spec, status } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true, subresources: { status: {} }, schema }],
    },
  };
}

export const instances = (plural, namespace, group = GROUP) => `/apis/${group}/v1/namespaces/${namespace}/${plural}`;

/** An object whose compact JSON has exactly `size` bytes, with a few fields of three sections. */
export function instance({ kind, name, namespace, size, group = GROUP }) {
  const section = (index) => ({
    [`field${index * 20}`]: 'on',
    [`field${index * 20 + 1}`]: 8080,
    [`field${index * 20 + 3}`]: 'Always',
  });
  const spec = { revision: COUNTER, settings: '', section0: section(0), section3: section(3), section6: section(6) };
  const labels = { app: 'bench', tier: 'backend' };
  const object = { apiVersion: `${group}/v1`, kind, metadata: { name, namespace, labels }, spec };
  spec.settings = fill(size - JSON.stringify(object).length);
  return object;
}

/** Rules of the kind that operators write. */
export const tenRules = [
  'self.settings.size() > 10',
  "self.revision != ''",
  "!has(self.section0.field0) || self.section0.field0 in ['on', 'off']",
  'self.section0.field1 >= 1024 && self.section0.field1 <= 65535',
  'has(self.section3) || has(self.section6)',
  "self.section3.field63 == 'Always' || self.section3.field61 > 0",
  "!self.settings.startsWith('#')",
  'self.section6.field121 == self.section0.field1',
  "!has(self.section9) || self.section9.field180 != ''",
  "self.settings.contains('=')",
].map((rule, index) => ({ rule, message: `rule ${index + 1}` }));

/** Resolves when a list of instances is answered. */
export async function untilServed(api, path) {
  for (;;) {
    try {
      return await api.request({ path: `${path}?limit=1` });
    } catch {
      await delay(1);
    }
  }
}
