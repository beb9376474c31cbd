// A function of an object that computes each result once, and keeps it as long as the object is in use.

export function memoized<K extends WeakKey, V>(compute: (key: K) => V): (key: K) => V {
  const results = new WeakMap<K, V>();
  return (key) => {
    const earlier = results.get(key);
    if (earlier !== undefined || results.has(key)) return earlier as V;
    const result = compute(key);
    results.set(key, result);
    return result;
  };
}
