// How long parsers and patches are fuzzed: a moment in every test run, as long as you like by `npm run test:fuzz`.

const factor = Number(process.env['KEELSON_FUZZ_FACTOR'] ?? 1);

/** For fast-check: as many runs as usual, times what the environment asks for. */
export const fuzzRuns = (usual: number): { readonly numRuns: number } => ({ numRuns: Math.ceil(usual * factor) });
