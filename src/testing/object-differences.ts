// How an object differs from what a test expects of it: fields that the test does not name are not compared.

interface AsymmetricMatcher {
  asymmetricMatch(value: unknown): boolean;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Such as `expect.any(Number)` of vitest and jest. */
const isMatcher = (value: unknown): value is AsymmetricMatcher =>
  isRecord(value) && typeof value['asymmetricMatch'] === 'function';

/** A line for each difference, such as `spec.replicas: 3 is expected, it is 2`. */
export function differencesOf(actual: unknown, expected: unknown, path = ''): readonly string[] {
  if (isMatcher(expected)) return expected.asymmetricMatch(actual) ? [] : [line(path, actual, expected)];
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length)
    return expected.flatMap((item, index) => differencesOf(actual[index], item, `${path}[${index}]`));
  if (isRecord(expected) && isRecord(actual))
    return Object.entries(expected).flatMap(([key, value]) =>
      differencesOf(actual[key], value, path === '' ? key : `${path}.${key}`),
    );
  return Object.is(actual, expected) ? [] : [line(path, actual, expected)];
}

const line = (path: string, actual: unknown, expected: unknown) =>
  `${path === '' ? 'the value' : path}: ${textOf(expected)} is expected, it is ${textOf(actual)}`;

const maxLength = 200;

const textOf = (value: unknown) => (value === undefined ? 'absent' : String(JSON.stringify(value)).slice(0, maxLength));
