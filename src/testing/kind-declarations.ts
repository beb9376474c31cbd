// TypeScript declarations of the built-in kinds, made from their data: what the client of a test server is typed by. The build writes
// them to src/testing/kinds (scripts/build.mjs).

import { builtInGroups } from '../groups/catalog.ts';
import { kubernetes } from '../meta/dialect.ts';
import type { GroupVersionDefinition, ResourceDefinition } from '../schema/resource.ts';
import type { ScalarName, SchemaType, StructType, UnionType } from '../schema/types.ts';

const scalars: Readonly<Record<ScalarName, string>> = {
  string: 'string',
  int32: 'number',
  int64: 'number',
  bool: 'boolean',
  double: 'number',
  bytes: 'string',
  'date-time': 'string',
  'micro-time': 'string',
  quantity: 'string',
  'int-or-string': 'number | string',
  'raw-extension': 'unknown',
  'any-json': 'unknown',
  'fields-v1': 'unknown',
};

type Named = StructType | UnionType;

/** `apps/v1` is the file `apps-v1.ts`. */
const fileOf = (home: string) => home.replaceAll(/[./]/g, '-');

/** Files of declarations of the built-in kinds by their names, without the ending. */
export function builtInDeclarations(): ReadonlyMap<string, string> {
  const declarations = new KindDeclarations();
  for (const groupVersion of preferredVersions()) declarations.add(groupVersion);
  return declarations.files();
}

/** The version of each group that clients prefer. */
function preferredVersions(): readonly GroupVersionDefinition[] {
  const groups = builtInGroups(kubernetes).filter(
    ({ offByDefault, resources }) => !offByDefault && resources.length > 0,
  );
  return groups.filter(
    ({ group, priority }) =>
      !groups.some((other) => other.group === group && other.priority.version > priority.version),
  );
}

class KindDeclarations {
  readonly #types = new Map<string, Map<string, Named>>();
  readonly #kinds = new Map<string, ResourceDefinition>();
  readonly #exported = new Set<string>();

  add({ resources }: GroupVersionDefinition): void {
    for (const definition of resources) {
      // of two groups that use one name, the one that comes first has it
      if (definition.type.is !== 'struct' || this.#kinds.has(definition.plural)) continue;
      this.#kinds.set(definition.plural, definition);
      this.#collect(definition.type);
    }
  }

  files(): ReadonlyMap<string, string> {
    const index = this.#index();
    // the first round finds out which names are imported elsewhere
    for (const [home, types] of this.#types) this.#file(home, types);
    const files = new Map([...this.#types].map(([home, types]) => [fileOf(home), this.#file(home, types)]));
    return files.set('built-in-kinds', index);
  }

  #collect(type: SchemaType): void {
    if (type.is === 'list' || type.is === 'map') this.#collect(type.of);
    if (type.is !== 'struct' && type.is !== 'union') return;
    const known = this.#types.get(type.home) ?? new Map<string, Named>();
    this.#types.set(type.home, known);
    if (known.has(type.name)) return;
    known.set(type.name, type);
    const parts = type.is === 'struct' ? plainFields(type) : type.alternatives;
    for (const part of parts) this.#collect(part.type);
  }

  #file(home: string, types: ReadonlyMap<string, Named>): string {
    const imports = new Map<string, Set<string>>();
    const nameOf = (named: Named) => {
      if (named.home === home) return named.name;
      this.#import(imports, named);
      return named.name;
    };
    const sorted = [...types.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    const kinds = new Map([...this.#kinds.values()].map((definition) => [definition.type, definition]));
    const declared = sorted.map((type) => {
      const isExported = this.#exported.has(`${home} ${type.name}`);
      return (isExported ? 'export ' : '') + declarationOf(type, nameOf, kinds.get(type as StructType));
    });
    return [
      `// Types of ${home}, made from the data of its kinds by scripts/build.mjs.`,
      importLines(imports),
      ...declared,
    ]
      .filter((part) => part !== '')
      .join('\n\n')
      .concat('\n');
  }

  #import(imports: Map<string, Set<string>>, { home, name }: Pick<Named, 'home' | 'name'>): void {
    const file = fileOf(home);
    imports.set(file, (imports.get(file) ?? new Set()).add(name));
    this.#exported.add(`${home} ${name}`);
  }

  #index(): string {
    const imports = new Map<string, Set<string>>();
    const rows = [...this.#kinds.values()].sort((a, b) => (a.plural < b.plural ? -1 : 1));
    const table = (namespaced: boolean) =>
      rows
        .filter((definition) => definition.namespaced === namespaced)
        .map(({ plural, type: { home, name } }) => {
          this.#import(imports, { home, name });
          return `  readonly ${plural}: ${name};`;
        })
        .join('\n');
    const inNamespaces = table(true);
    const inCluster = table(false);
    return [
      '// The built-in kinds by the names of their resources, made from their data by scripts/build.mjs.',
      importLines(imports),
      `/** Resources whose objects are in namespaces. */\nexport interface NamespacedKinds {\n${inNamespaces}\n}`,
      `/** Resources whose objects are in none. */\nexport interface ClusterKinds {\n${inCluster}\n}\n`,
    ].join('\n\n');
  }
}

function declarationOf(type: Named, nameOf: (named: Named) => string, kind: ResourceDefinition | undefined): string {
  // objects that are kept have a name
  const isNamed = kind?.verbs.includes('get') ?? false;
  if (type.is === 'union') {
    const alternatives = type.alternatives.map((alternative) => textOf(alternative.type, nameOf));
    return `type ${type.name} = ${[...new Set(alternatives)].join(' | ')};`;
  }
  const plain = plainFields(type);
  const extensions = plain.length < type.fields.length ? [extensionLine] : [];
  const own = plain.map((field) => {
    const mark = isNamed && field.name === 'metadata' ? '' : '?';
    return `  readonly ${field.name}${mark}: ${textOf(field.type, nameOf)};`;
  });
  const head = kind !== undefined ? ['  readonly apiVersion?: string;', '  readonly kind?: string;'] : [];
  const lines = [...head, ...own, ...extensions];
  return lines.length === 0
    ? `type ${type.name} = Readonly<Record<string, never>>;`
    : `interface ${type.name} {\n${lines.join('\n')}\n}`;
}

/** Without the extensions of schemas, which are named after the vendor: the dialect knows that one. */
const plainFields = ({ fields }: StructType) => fields.filter(({ name }) => isIdentifier(name));

const isIdentifier = (name: string) => /^[A-Za-z_$][\w$]*$/.test(name);

const extensionLine = `  readonly [extension: \`x-\${string}\`]: unknown;`;

function textOf(type: SchemaType, nameOf: (named: Named) => string): string {
  switch (type.is) {
    case 'scalar':
      return scalars[type.name];
    case 'list': {
      const item = textOf(type.of, nameOf);
      return `readonly ${item.includes(' ') ? `(${item})` : item}[]`;
    }
    case 'map':
      return `Readonly<Record<string, ${textOf(type.of, nameOf)}>>`;
    default:
      return nameOf(type);
  }
}

/** The widest line that is not broken. */
const lineWidth = 120;

function importLines(imports: ReadonlyMap<string, ReadonlySet<string>>): string {
  return [...imports]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, names]) => {
      const sorted = [...names].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
      const from = `'./${file}.ts';`;
      const line = `import type { ${sorted.join(', ')} } from ${from}`;
      if (line.length <= lineWidth) return line;
      return `import type {\n${sorted.map((name) => `  ${name},`).join('\n')}\n} from ${from}`;
    })
    .join('\n');
}
