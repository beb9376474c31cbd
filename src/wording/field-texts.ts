// Unknown and repeated fields of a body.

import { goQuoted } from './go-format.ts';

export const duplicateField = (path: string): string => `duplicate field ${goQuoted(path)}`;

export const unknownField = (path: string): string => `unknown field ${goQuoted(path)}`;

/** compat: an unknown field of a custom resource is quoted as it is */
export const unknownInSchema = (path: string): string => `unknown field "${path}"`;
