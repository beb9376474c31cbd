// Names of the opaque types.

import { vendors } from '../../meta/dialect.ts';
import { type OpaqueType, opaque } from '../types.ts';

/** Types are named after their first vendor in every dialect: expressions are carried between servers. */
export const vendorName = (name: string): string => `${vendors[0]}.${name}`;

export const vendorType = (name: string): OpaqueType => opaque(vendorName(name));
