// The functions that other hosts of the language have besides those of Kubernetes, for the official conformance suite.

import type { Library } from '../declarations.ts';
import { encoders } from '../library/encoders.ts';
import { standardLibraries } from '../library/standard.ts';
import { reversedStrings } from '../library/strings.ts';

export const extendedLibraries: readonly Library[] = [...standardLibraries, reversedStrings, encoders];
