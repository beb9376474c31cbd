// Property tests try the same values in each run of `npm test`: what fails fails again, and because of the change that is
// tested. `npm run test:fuzz` draws new values; a failure there names its seed, and KEELSON_FUZZ_SEED tries that one again.

import { configureGlobal, readConfigureGlobal } from 'fast-check';

const { KEELSON_FUZZ_SEED: given, KEELSON_FUZZ_FACTOR: factor } = process.env;
const usualSeed = 1_360_400;

if (given !== undefined || factor === undefined)
  configureGlobal({ ...readConfigureGlobal(), seed: Number(given ?? usualSeed) });
