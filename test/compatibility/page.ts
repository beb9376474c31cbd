// The generated parts of docs/guides/compatibility.md: made of the dialects' rules and of the notes on odd behaviour in the code.

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { cluster, type Dialect, type DialectRules, inOwnWords, kubernetes } from '../../src/meta/dialect.ts';
import { oddities } from './oddities.ts';
import { areas, rules } from './rules.ts';

const root = join(import.meta.dirname, '../..');
const src = join(root, 'src');

export const compatibilityParts = { rules: rulesPart, names: namesPart, oddities: odditiesPart };

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(escaped).join(' | ')} |\n`).join('');

const escaped = (text: string) => text.replaceAll('|', '\\|');

/** A property and its value: of the behaviour as the code names it. */
const shownValue = ({ rules: its }: Dialect, rule: keyof DialectRules) => String(its[rule]);

function rulesPart(): string {
  const blocks = areas.map(([area, names]) => {
    const rows = names.map((name) => {
      const { where, kubernetes: one, cluster: other } = rules[name];
      return [where, one, other, `\`${name}\``];
    });
    return `### ${area}\n\n${table(['Where', 'kubernetes', 'cluster', 'Property'], rows)}`;
  });
  const values = Object.keys(kubernetes.rules).map((name) => {
    const rule = name as keyof DialectRules;
    return [`\`${rule}\``, `\`${shownValue(kubernetes, rule)}\``, `\`${shownValue(cluster(), rule)}\``];
  });
  const last = `### All properties\n\n${table(['Property', 'kubernetes', 'cluster'], values)}`;
  return `\n${[...blocks, last].join('\n')}\n`;
}

const nameHelp = {
  apiDomain: ['Groups', 'coordination.<name>/v1'],
  labelDomain: ['Labels, annotations, finalizers, signers', '<name>/hostname'],
  systemNamespace: ['Reserved namespace', '<name>'],
  publicNamespace: ['Reserved namespace', '<name>'],
  nodeLeaseNamespace: ['Reserved namespace', '<name>'],
  rootCaConfigMap: ['ConfigMap of the CA, in every namespace', '<name>'],
  vendor: ['Media types, schema keywords', 'application/vnd.<name>.protobuf, x-<name>-map-type'],
} as const;

/** Names in which Kubernetes says its own. */
const ownNames = [
  ['Service of the API servers, in `default`', 'kubernetes'],
  ['Components, as users and in names', 'system:kube-scheduler'],
  ['Checks of health', 'poststarthook/start-kube-aggregator-informers'],
  ['Metrics', 'kubernetes_feature_enabled'],
  ['Signers, certificates of node agents', 'kubelet-serving'],
] as const;

function namesPart(): string {
  const rows = Object.entries(nameHelp).map(([name, [what, form]]) => {
    const shown = (dialect: Dialect) =>
      form
        .split(', ')
        .map((one) => `\`${one.replace('<name>', dialect[name as keyof typeof nameHelp])}\``)
        .join(', ');
    return [what, shown(kubernetes), shown(cluster())];
  });
  const said = ownNames.map(([what, name]) => [
    what,
    ...[kubernetes, cluster()].map((one) => `\`${inOwnWords(one, name)}\``),
  ]);
  return `\n${table(['Name', 'kubernetes', 'cluster'], [...rows, ...said])}\n`;
}

/** The area of a note, by where it stands; the first that fits. */
const places: readonly (readonly [prefix: string, area: string])[] = [
  ['admission/', 'Admission and policies'],
  ['aggregation/', 'Other servers'],
  ['apply/', 'Server-side apply'],
  ['handlers/write/field-management', 'Server-side apply'],
  ['authz/', 'Identity and rights'],
  ['authn/', 'Identity and rights'],
  ['groups/authorization/', 'Identity and rights'],
  ['groups/authentication/', 'Identity and rights'],
  ['meta/forbidden', 'Identity and rights'],
  ['pipeline/', 'Requests and answers'],
  ['cel/', 'Expressions'],
  ['cli/', 'Commands'],
  ['codec/', 'Bodies and media types'],
  ['patch/', 'Patches'],
  ['handlers/write/read-patch', 'Patches'],
  ['handlers/write/patch', 'Patches'],
  ['custom-resources/', 'Custom resources'],
  ['schema/structural/', 'Custom resources'],
  ['schema/unknown-fields', 'Custom resources'],
  ['groups/apiextensions/', 'Custom resources'],
  ['discovery/', 'Discovery, OpenAPI and health'],
  ['handlers/watch/', 'Lists and watches'],
  ['handlers/read-at', 'Lists and watches'],
  ['registry/list', 'Lists and watches'],
  ['registry/selection', 'Lists and watches'],
  ['registry/registry', 'Lists and watches'],
  ['handlers/write/delete', 'Deletion'],
  ['registry/delet', 'Deletion'],
  ['controllers/', 'Deletion'],
  ['meta/quantity', 'Quantities'],
  ['groups/core/v1/service', 'Services and endpoints'],
  ['groups/core/v1/endpoints', 'Services and endpoints'],
  ['groups/core/v1/cluster-addresses', 'Services and endpoints'],
  ['groups/core/v1/node-ports', 'Services and endpoints'],
  ['groups/discovery/', 'Services and endpoints'],
  ['groups/networking/', 'Services and endpoints'],
  ['groups/core/v1/persistent', 'Storage'],
  ['groups/core/v1/storage', 'Storage'],
  ['groups/core/v1/volume', 'Storage'],
  ['groups/storage/', 'Storage'],
  ['groups/core/v1/', 'Pods, nodes and namespaces'],
  ['groups/apps/', 'Workloads'],
  ['groups/', 'Other kinds'],
];

const areaOf = (file: string): string =>
  places.find(([prefix]) => file.startsWith(prefix))?.[1] ?? 'Requests and answers';

/** Every note in the code, with the first file that has it. */
function notes(): ReadonlyMap<string, string> {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => /(?<!\.test)\.ts$/.test(file));
  const found = new Map<string, string>();
  for (const file of files.sort()) {
    const text = readFileSync(join(src, file), 'utf8');
    for (const [, note = ''] of text.matchAll(/compat: (.+?)(?: \*\/)?$/gm))
      if (!found.has(note.trim())) found.set(note.trim(), relative(src, join(src, file)));
  }
  return found;
}

/** Notes that are explained although the code no longer has them. */
export const unusedOddities = (): readonly string[] => {
  const known = notes();
  return oddities.flatMap(([note]) => (known.has(note) ? [] : [note]));
};

function odditiesPart(): string {
  const explained = new Map(oddities.map(([note, where, rule]) => [note, { where, rule }]));
  const byArea = new Map<string, string[][]>();
  for (const [note, file] of notes()) {
    const about = explained.get(note);
    if (about === undefined)
      throw new Error(`test/compatibility/oddities.ts does not say where clients meet this: ${note}`);
    const { where, rule } = about;
    const rows = byArea.get(areaOf(file)) ?? [];
    rows.push([where, rule === undefined ? note : `${note} (\`${rule}\`)`]);
    byArea.set(areaOf(file), rows);
  }
  const blocks = [...byArea].sort(([a], [b]) => (a < b ? -1 : 1));
  return `\n${blocks.map(([area, rows]) => `### ${area}\n\n${table(['Where', 'What clients see'], rows)}`).join('\n')}\n`;
}
