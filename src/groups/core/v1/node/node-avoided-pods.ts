// The annotation by which a node once said which pods should rather not come to it.

import { isJsonObject } from '../../../../base/json/json.ts';
import { scanJson } from '../../../../base/json/json-scan.ts';
import type { Dialect } from '../../../../meta/dialect.ts';
import { invalidValue, required } from '../../../../meta/field-errors.ts';
import { findEach } from '../../../../meta/find-each.ts';
import type { ValidationErrors } from '../../../rules.ts';
import type { Node } from './node-type.ts';

/** Each entry names the controller of the pods that it means. */
export function validateAvoidedPods({ metadata }: Node, { labelDomain }: Dialect): ValidationErrors {
  const key = `scheduler.alpha.${labelDomain}/preferAvoidPods`;
  const text = metadata.annotations?.[key] ?? '';
  if (text === '') return [];
  try {
    const entries = memberOf(scanJson(text), 'preferAvoidPods');
    return findEach(Array.isArray(entries) ? entries : [], (entry, i) =>
      validateEntry(entry, `metadata.annotations.${key}[${i}].PodSignature`),
    );
  } catch (error) {
    return [invalidValue('metadata.annotations.AvoidPods', key, error instanceof Error ? error.message : '')];
  }
}

function validateEntry(entry: unknown, at: string): ValidationErrors {
  const controller = memberOf(memberOf(entry, 'podSignature'), 'podController');
  if (controller === undefined || controller === null) return [required(at)];
  if (memberOf(controller, 'controller') === true) return [];
  return [invalidValue(`${at}.PodController.Controller`, false, 'must point to a controller')];
}

const memberOf = (value: unknown, name: string): unknown => (isJsonObject(value) ? value[name] : undefined);
