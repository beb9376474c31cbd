// The functions that every expression has in Kubernetes, and a few more for those who ask.

import type { Library } from '../declarations.ts';
import { arithmetic } from './arithmetic.ts';
import { authorization } from './authorizer.ts';
import { conversions } from './conversions.ts';
import { namedFormats } from './formats.ts';
import { lists, newerLists } from './lists.ts';
import { logic } from './logic.ts';
import { networks } from './networks.ts';
import { optionals } from './optionals.ts';
import { quantities } from './quantities.ts';
import { regex } from './regex.ts';
import { sets } from './sets.ts';
import { strings } from './strings.ts';
import { times } from './times.ts';
import { urls } from './urls.ts';
import { versions } from './versions.ts';

export const standardLibraries: readonly Library[] = [
  logic,
  arithmetic,
  conversions,
  strings,
  times,
  optionals,
  lists,
  newerLists,
  sets,
  regex,
  urls,
  networks,
  quantities,
  versions,
  namedFormats,
  authorization,
];
