// Base64. Not among the functions that Kubernetes gives to every expression.

import { type Library, plain } from '../declarations.ts';
import { bytes, string } from '../types.ts';
import { EvaluationError } from '../values.ts';

/** With or without padding. Line breaks count for nothing. */
function decode(text: string): Uint8Array {
  const [, digits] = /^([A-Za-z0-9+/]*)={0,2}$/.exec(text.replace(/[\r\n]/g, '')) ?? [];
  if (digits === undefined || digits.length % 4 === 1) throw new EvaluationError('illegal base64 data');
  return Buffer.from(digits, 'base64');
}

export const encoders: Library = {
  functions: {
    'base64.decode': [plain('base64_decode_string', [string], bytes, decode)],
    'base64.encode': [
      plain('base64_encode_bytes', [bytes], string, (value: Uint8Array) => Buffer.from(value).toString('base64')),
    ],
  },
};
