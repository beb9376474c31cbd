// Macros: calls that the parser replaces.

import { type Call, call, type Expression, identifier, literal, node } from './ast.ts';
import { SyntaxIssue } from './source.ts';

/** Not a name that an expression can write. */
const accumulator = '@result';

/** Undefined leaves the call as it is. */
type Macro = (written: Call & { readonly target: Expression }) => Expression | undefined;

/** Which macros there are besides those that every expression has. */
export interface MacroOptions {
  /** `cel.bind(name, value, expression)` */
  readonly bindings?: boolean;
  /** The last minor release whose macros are known. */
  readonly newest?: number;
}

/** The replacement of a call, or undefined when it is an ordinary one. */
export function expand(
  written: Call,
  { bindings = false, newest = Number.POSITIVE_INFINITY }: MacroOptions = {},
): Expression | undefined {
  if (written.target === undefined)
    return written.name === 'has' && written.args.length === 1 ? has(written) : undefined;
  const key = `${written.name}/${written.args.length}`;
  if ((macrosSince.get(key) ?? 0) > newest) return undefined;
  const macro = macros.get(key) ?? (bindings && key === 'bind/3' ? celBind : undefined);
  return macro?.(written as Call & { readonly target: Expression });
}

function has(written: Call): Expression {
  const [arg] = written.args as readonly [Expression];
  if (arg.is !== 'select' || arg.test) throw new SyntaxIssue(arg.at, 'invalid argument to has() macro');
  return node({ is: 'select', at: written.at, operand: arg.operand, field: arg.field, test: true });
}

function variableName(arg: Expression, message = 'argument must be a simple name'): string {
  if (arg.is !== 'identifier' || arg.name.startsWith('.')) throw new SyntaxIssue(arg.at, message);
  if (arg.name === accumulator || arg.name === '__result__')
    throw new SyntaxIssue(arg.at, 'iteration variable overwrites accumulator variable');
  return arg.name;
}

/** What some macros say of a variable that is no name. */
const noIdentifier = 'argument is not an identifier';

interface Fold {
  readonly start: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result: Expression;
}

interface Parts {
  readonly at: number;
  readonly names: readonly string[];
  /** The arguments after the names. */
  readonly args: readonly Expression[];
}

/** A fold over the target with one or two variables. */
const folding =
  (variables: 1 | 2, fold: (parts: Parts) => Fold, nameless?: string): Macro =>
  (written) => {
    const names = written.args.slice(0, variables).map((arg) => variableName(arg, nameless));
    if (names.length === 2 && names[0] === names[1])
      throw new SyntaxIssue((written.args[1] as Expression).at, `duplicate variable name: ${names[0]}`);
    const { at } = written;
    const parts = fold({ at, names, args: written.args.slice(variables) });
    const [variable, second] = names as [string, string?];
    const optional = second === undefined ? {} : { second };
    return node({
      is: 'comprehension',
      at,
      range: written.target,
      variable,
      ...optional,
      accumulator,
      ...parts,
      writtenAs: written,
    });
  };

const accu = (at: number) => identifier(at, accumulator);
const yes = (at: number) => literal(at, true);
const no = (at: number) => literal(at, false);
const list = (at: number, ...values: readonly Expression[]) =>
  node({ is: 'list', at, items: values.map((value) => ({ value, optional: false })) });
const emptyMap = (at: number) => node({ is: 'map', at, entries: [] });
const ternary = (at: number, test: Expression, then: Expression, otherwise: Expression) =>
  call(at, '_?_:_', test, then, otherwise);
const notFalse = (at: number, value: Expression) => call(at, '@not_strictly_false', value);

const all = ({ at, args: [test] }: Parts): Fold => ({
  start: yes(at),
  condition: notFalse(at, accu(at)),
  step: call(at, '_&&_', accu(at), test as Expression),
  result: accu(at),
});

const exists = ({ at, args: [test] }: Parts): Fold => ({
  start: no(at),
  condition: notFalse(at, call(at, '!_', accu(at))),
  step: call(at, '_||_', accu(at), test as Expression),
  result: accu(at),
});

const existsOne = ({ at, args: [test] }: Parts): Fold => ({
  start: literal(at, 0n),
  condition: yes(at),
  step: ternary(at, test as Expression, call(at, '_+_', accu(at), literal(at, 1n)), accu(at)),
  result: call(at, '_==_', accu(at), literal(at, 1n)),
});

/** Appends the value for each item, with a test only for items that pass it. */
function collectFold(at: number, test: Expression | undefined, value: Expression): Fold {
  const step = call(at, '_+_', accu(at), list(at, value));
  return {
    start: list(at),
    condition: yes(at),
    step: test === undefined ? step : ternary(at, test, step, accu(at)),
    result: accu(at),
  };
}

const withTest = (args: readonly Expression[]) =>
  args.length === 1
    ? { test: undefined, value: args[0] as Expression }
    : { test: args[0] as Expression, value: args[1] as Expression };

const mapMacro = ({ at, args }: Parts): Fold => {
  const { test, value } = withTest(args);
  return collectFold(at, test, value);
};

const filter = ({ at, names, args: [test] }: Parts): Fold =>
  collectFold(at, test as Expression, identifier(at, names[0] as string));

const inserting =
  (insert: (at: number, names: readonly string[], value: Expression) => Expression) =>
  ({ at, names, args }: Parts): Fold => {
    const { test, value } = withTest(args);
    const step = insert(at, names, value);
    return {
      start: emptyMap(at),
      condition: yes(at),
      step: test === undefined ? step : ternary(at, test, step, accu(at)),
      result: accu(at),
    };
  };

const transformMap = inserting((at, names, value) =>
  call(at, 'cel.@mapInsert', accu(at), identifier(at, names[0] as string), value),
);
const transformMapEntry = inserting((at, _, value) => call(at, 'cel.@mapInsert', accu(at), value));

/** One value under a name: a fold over nothing whose start is the value. */
function bind(at: number, written: Call, variable: string, value: Expression, body: Expression): Expression {
  return node({
    is: 'comprehension',
    at,
    range: list(at),
    variable: '#unused',
    accumulator: variable,
    start: value,
    condition: no(at),
    step: identifier(at, variable),
    result: body,
    writtenAs: written,
  });
}

const celBind: Macro = (written) => {
  if (written.target.is !== 'identifier' || written.target.name !== 'cel') return undefined;
  const [name, value, body] = written.args as readonly [Expression, Expression, Expression];
  const variable = variableName(name, 'cel.bind() variable names must be simple identifiers');
  return bind(written.at, written, variable, value, body);
};

/** The target, its value under a name inside of `make`, or an empty optional. */
const optionalMap =
  (macro: string, wrap: (at: number, value: Expression) => Expression): Macro =>
  (written) => {
    const [name, value] = written.args as readonly [Expression, Expression];
    const { at, target } = written;
    const variable = variableName(name, `${macro}() variable name must be a simple identifier`);
    const member = (method: string) => node({ is: 'call', at, name: method, target, args: [] });
    const body = wrap(at, bind(at, written, variable, member('value'), value));
    const empty = node({ is: 'call', at, name: 'none', target: identifier(at, 'optional'), args: [] });
    return node({ ...(ternary(at, member('hasValue'), body, empty) as Call), writtenAs: written } as Call);
  };

/** The list under a name, sorted by the keys that are made of it. */
const sortBy: Macro = (written) => {
  const { at, target } = written;
  const input = identifier(at, '@sortBy');
  const keys = folding(1, mapMacro, noIdentifier)({ ...written, target: input }) as Expression;
  const sorted = node({ is: 'call', at, name: '@sortByAssociatedKeys', target: input, args: [keys] });
  return bind(at, written, '@sortBy', target, sorted);
};

const optionalOf = (at: number, value: Expression) =>
  node({ is: 'call', at, name: 'of', target: identifier(at, 'optional'), args: [value] });

const macros: ReadonlyMap<string, Macro> = new Map([
  ['all/2', folding(1, all)],
  ['exists/2', folding(1, exists)],
  ['exists_one/2', folding(1, existsOne)],
  ['map/2', folding(1, mapMacro, noIdentifier)],
  ['map/3', folding(1, mapMacro, noIdentifier)],
  ['filter/2', folding(1, filter, noIdentifier)],
  ['all/3', folding(2, all)],
  ['exists/3', folding(2, exists)],
  ['exists_one/3', folding(2, existsOne)],
  ['existsOne/3', folding(2, existsOne)],
  ['transformList/3', folding(2, mapMacro)],
  ['transformList/4', folding(2, mapMacro)],
  ['transformMap/3', folding(2, transformMap)],
  ['transformMap/4', folding(2, transformMap)],
  ['transformMapEntry/3', folding(2, transformMapEntry)],
  ['transformMapEntry/4', folding(2, transformMapEntry)],
  ['optMap/2', optionalMap('optMap', optionalOf)],
  ['optFlatMap/2', optionalMap('optFlatMap', (_, value) => value)],
  ['sortBy/2', sortBy],
]);

/** The minor releases that some came with. */
const macrosSince: ReadonlyMap<string, number> = new Map([['sortBy/2', 34]]);

/** What a call must be named to be replaced. */
export const macroNames: readonly string[] = [
  ...new Set(['has', ...[...macros.keys()].map((key) => key.split('/')[0] as string)]),
];
