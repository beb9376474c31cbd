// What may not be said of the claim that serves the extended resources of a pod.

import { duplicate, invalidValue, required } from '../../../../meta/field-errors.ts';
import { findEach } from '../../../../meta/find-each.ts';
import { checkLabelName, checkSubdomain } from '../../../../meta/names.ts';
import type { Infer } from '../../../../schema/types.ts';
import { checked, repeatsIn, requiredChecked, type ValidationErrors } from '../../../rules.ts';
import type { PodSpec } from './pod-spec.ts';
import type { podExtendedResourceClaimStatus } from './pod-status-type.ts';

type Claim = Infer<typeof podExtendedResourceClaimStatus>;
type Mapping = NonNullable<Claim['requestMappings']>[number];
type RequestsOf = ReadonlyMap<string, object>;

const noContainer = 'must match the name of an entry in spec.initContainers.name or spec.containers.name';
const noRequest =
  'must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests';

export function validateExtendedClaim(claim: Claim | undefined, spec: PodSpec): ValidationErrors {
  if (claim === undefined) return [];
  const at = 'status.extendedResourceClaimStatus';
  const mappings = claim.requestMappings ?? [];
  const isRepeated = repeatsIn(mappings.map((one) => JSON.stringify(one)));
  const requests = requestsOf(spec);
  return [
    ...(mappings.length > 0 ? [] : [required(`${at}.requestMappings`, 'at least one request mapping is required')]),
    ...findEach(mappings, (one, i) => {
      const here = `${at}.requestMappings[${i}]`;
      return [
        ...validateTarget(one, requests, here),
        // compat: a malformed name of a request is reported without its place in the list
        ...checked(`${at}.requestName`, one.requestName ?? '', checkLabelName),
        ...(isRepeated(i) ? repeated(one, here) : []),
      ];
    }),
    ...requiredChecked(`${at}.resourceClaimName`, claim.resourceClaimName, checkSubdomain),
  ];
}

const requestsOf = ({ initContainers = [], containers = [] }: PodSpec): RequestsOf =>
  new Map([...initContainers, ...containers].map(({ name = '', resources }) => [name, resources?.requests ?? {}]));

function validateTarget(mapping: Mapping, known: RequestsOf, at: string): ValidationErrors {
  const { containerName = '', resourceName = '' } = mapping;
  const requests = known.get(containerName);
  if (requests === undefined) return [invalidValue(`${at}.containerName`, containerName, noContainer)];
  return Object.hasOwn(requests, resourceName) ? [] : [invalidValue(`${at}.resourceName`, resourceName, noRequest)];
}

const repeated = (mapping: Mapping, at: string): ValidationErrors =>
  (['containerName', 'resourceName', 'requestName'] as const).map((name) =>
    duplicate(`${at}.${name}`, mapping[name] ?? ''),
  );
