// Medians, percentiles and spreads.

export function median(values) {
  return percentile(values, 0.5);
}

/** Linear between neighbours; undefined for no values. */
export function percentile(values, share) {
  const sorted = Float64Array.from(values).sort();
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)];
  const high = sorted[Math.ceil(at)];
  return low === undefined || high === undefined ? undefined : low + (high - low) * (at - Math.floor(at));
}

export function spread(values) {
  return { min: Math.min(...values), max: Math.max(...values) };
}
