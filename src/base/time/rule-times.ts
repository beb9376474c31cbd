// How long rules of custom resources took on one server, in seconds.

import { Histogram, usualBounds } from '../histogram.ts';

export class RuleTimes {
  readonly compilation = new Histogram(usualBounds);
  readonly evaluation = new Histogram(usualBounds);
}
