// Checks of single options. Each returns the error of a value, as it follows the name of the option.

type Check<T> = (value: T) => string | undefined;

const numberCheck =
  (isValid: (value: number) => boolean, is: string): Check<number> =>
  (value) =>
    isValid(value) ? undefined : `${value} is not ${is}`;

const isPositive = (value: number) => value > 0 && Number.isFinite(value);

export const positiveSeconds = numberCheck(isPositive, 'a positive number of seconds');
export const secondsOrZero = numberCheck((value) => value >= 0 && Number.isFinite(value), 'a number of seconds');
export const wholeSeconds = numberCheck(Number.isInteger, 'a whole number of seconds');
export const positiveNumber = numberCheck(isPositive, 'a positive number');
export const positiveCount = numberCheck((value) => Number.isSafeInteger(value) && value >= 1, 'a positive number');
export const countOfRequests = numberCheck(
  (value) => Number.isSafeInteger(value) && value >= 0,
  'a number of requests',
);
export const countOfBytes = numberCheck((value) => Number.isSafeInteger(value) && value >= 0, 'a number of bytes');
export const wholeNumber = numberCheck(Number.isSafeInteger, 'a whole number');
export const port = numberCheck(
  (value) => Number.isInteger(value) && value >= 0 && value <= 65_535,
  'a port, use 0 to 65535',
);

export const wholeNumberFrom = (least: number): Check<number> =>
  numberCheck((value) => Number.isInteger(value) && value >= least && value < 2 ** 31, `a whole number from ${least}`);

export const between =
  (least: number, most: number, error: string): Check<number> =>
  (value) =>
    value >= least && value <= most ? undefined : error;

export const oneOfChoices =
  (choices: readonly string[]): Check<string> =>
  (value) =>
    choices.includes(value) ? undefined : `${JSON.stringify(value)} is not one of ${choices.join(', ')}`;
