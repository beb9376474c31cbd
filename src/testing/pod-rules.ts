// Pods for tests of their rules, and their errors.

import { defaultWholePod } from '../groups/core/v1/pod/pod-defaults.ts';
import { validatePodSpec } from '../groups/core/v1/pod/pod-rules.ts';
import { type PodSpec, podSpec } from '../groups/core/v1/pod/pod-spec.ts';
import { kubernetes } from '../meta/dialect.ts';
import { decoderOf } from '../schema/decode.ts';
import { DecodeContext } from '../schema/decode-context.ts';
import { foundBy } from './found-by-rules.ts';

export const rules = { dialect: kubernetes };
export const base = { name: 'c', image: 'i' };

export const podWith = (more: PodSpec): PodSpec => ({ containers: [base], ...more });

/** A pod of one container. */
export const containerWith = (more: object): PodSpec => ({ containers: [{ ...base, ...more }] });

const decoded = (spec: PodSpec) => decoderOf(podSpec)(spec, new DecodeContext()) as PodSpec;

/** All that is wrong with a pod, once it is decoded and has its defaults. */
export const errorsOf = (spec: PodSpec) =>
  foundBy(() => validatePodSpec(defaultWholePod(decoded(spec)), 'spec', rules, 'p'));

/** Fields and reasons, each once. */
export const found = (spec: PodSpec): string[] => [
  ...new Set(errorsOf(spec).map(({ field, reason }) => `${field} ${reason.slice(10)}`)),
];
