// Names of the opaque types.

import { vendors } from '../../meta/dialect.ts';
import { type OpaqueType, opaque } from '../types.ts';

/** Types of the libraries are named after their first vendor in every dialect: expressions are carried between servers. */
export const vendorType = (name: string): OpaqueType => opaque(`${vendors[0]}.${name}`);
