// How long rules of custom resources took, for metrics of the process.

import { Histogram, usualBounds } from './histogram.ts';

export const ruleTimes = { compilation: new Histogram(usualBounds), evaluation: new Histogram(usualBounds) };
