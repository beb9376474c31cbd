// How long rules of custom resources took, for metrics of the process.

import { Histogram } from './histogram.ts';

/** Usual bounds of Go's metrics library. */
const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export const ruleTimes = { compilation: new Histogram(bounds), evaluation: new Histogram(bounds) };
