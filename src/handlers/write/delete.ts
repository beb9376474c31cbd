// DELETE of one object.

import { isJsonObject } from '../../base/json/json.ts';
import { parseBody, UnrecognizedError } from '../../codec/body.ts';
import { UndecodableError } from '../../codec/decode-object.ts';
import { type DeleteOptions, deleteOptions, status } from '../../groups/meta/v1/types.ts';
import { metaGroup } from '../../meta/dialect.ts';
import { type Query, queryFlag, queryInteger } from '../../meta/query.ts';
import { badRequest, forbidden, type Status } from '../../meta/status.ts';
import { type DeleteResult, remove } from '../../registry/delete.ts';
import { checkDeleteOptions } from '../../registry/delete-options.ts';
import { decoderOf } from '../../schema/decode.ts';
import { DecodeContext } from '../../schema/decode-context.ts';
import { TypeMismatch } from '../../wording/type-mismatch.ts';
import { answerObject, answerValue } from '../answer.ts';
import type { Call, VerbHandler } from '../call.ts';
import { deletionAdmitter } from '../call-admission.ts';
import { representationOf } from '../representation.ts';
import { commitGuard } from './write-hooks.ts';

export const deleteOne: VerbHandler = async (call) => {
  const form = representationOf(call);
  const request = await readDeleteRequest(call);
  refuseKept(call);
  const result = await deleteObject(call, call.ref.name, call.ref.namespace, request);
  if (!result.removed || call.resource.definition.quirks?.returnsDeleted)
    return answerObject(call, result.stored, form, answerCode(result, request.options));
  return answerValue(deletedStatus(call, result), status, form);
};

function refuseKept({ resource: { definition }, ref: { name }, services: { dialect } }: Call): void {
  const { group, plural } = definition;
  const undeletable = definition.deletion?.refusal?.(name, dialect);
  if (undeletable?.at === 'request') throw forbidden({ group, resource: plural, name }, undeletable.because);
}

/** compat: only the old option not to orphan dependents makes a delete that has to wait an accepted one. */
function answerCode({ removed }: DeleteResult, { orphanDependents }: DeleteOptions): number {
  return !removed && orphanDependents === false ? 202 : 200;
}

export interface DeleteCall {
  readonly options: DeleteOptions;
  readonly dryRun: boolean;
}

export function deleteObject(
  call: Call,
  name: string,
  namespace: string,
  { options, dryRun }: DeleteCall,
): Promise<DeleteResult> {
  const admit = deletionAdmitter(call, dryRun, options);
  const moveIfLarge = (bytes: number) => call.exchange.moveIfLarge(bytes);
  const { notes } = call.exchange;
  const request = { options, dryRun, admit, beforeCommit: commitGuard(call), moveIfLarge, notes };
  return remove(call.registry, { namespace, name }, request);
}

function deletedStatus({ resource: { definition } }: Call, { object }: DeleteResult): Status {
  const { name = '', uid = '' } = object.metadata;
  const group = definition.group === '' ? {} : { group: definition.group };
  const details = { name, ...group, kind: definition.plural, uid };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}

/** Options come in the body or, when there is none, in the query. */
export async function readDeleteRequest(call: Call): Promise<DeleteCall> {
  const { exchange, services } = call;
  const bytes = await exchange.readBody(services.maxBodyBytes);
  const options = bytes.length > 0 ? await readOptions(call, bytes) : optionsFromQuery(exchange.query);
  if (bytes.length > 0)
    exchange.audit?.captureRequest({
      kind: 'DeleteOptions',
      apiVersion: `${metaGroup(services.dialect)}/v1`,
      ...options,
    });
  // compat: options in the body are all options, whatever the query says
  const dryRun = checkDeleteOptions(options, services.dialect);
  warnOfDependents(call, options);
  return { options, dryRun };
}

function warnOfDependents({ resource, exchange }: Call, { propagationPolicy, orphanDependents }: DeleteOptions): void {
  const { warning } = resource.definition.deletion ?? {};
  if (warning !== undefined && propagationPolicy === undefined && orphanDependents === undefined)
    exchange.warn(warning);
}

async function readOptions({ exchange, services }: Call, bytes: Uint8Array): Promise<DeleteOptions> {
  const type = exchange.request.header('content-type');
  try {
    const { value } = await parseBody(type, bytes, deleteOptions, services.dialect, exchange);
    return decodeOptions(value, metaGroup(services.dialect));
  } catch (error) {
    if (error instanceof UnrecognizedError || error instanceof UndecodableError) throw badRequest(error.why);
    throw error;
  }
}

/** compat: the file in which the reference implementation looks for kinds of options */
const scheme = 'pkg/apis/meta/internalversion/scheme/register.go:27';

function decodeOptions(value: unknown, group: string): DeleteOptions {
  if (value === null) return {};
  if (!isJsonObject(value)) throw badRequest('expected an object of kind DeleteOptions');
  const { kind, apiVersion } = value;
  if (kind && kind !== 'DeleteOptions') {
    const [shown, version] = [String(kind), String(apiVersion || `${group}/v1`)].map((text) => JSON.stringify(text));
    throw badRequest(`no kind ${shown} is registered for version ${version} in scheme "${scheme}"`);
  }
  try {
    return decoderOf(deleteOptions)(value, new DecodeContext()) as DeleteOptions;
  } catch (error) {
    if (error instanceof TypeMismatch) throw badRequest(error.message);
    throw error;
  }
}

function optionsFromQuery(query: Query): DeleteOptions {
  const gracePeriodSeconds = queryInteger(query, 'gracePeriodSeconds');
  const propagationPolicy = query.get('propagationPolicy');
  const [uid, resourceVersion] = [query.get('uid'), query.get('resourceVersion')];
  const preconditions = { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
  const dryRun = query.getAll('dryRun');
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(query.has('orphanDependents') ? { orphanDependents: queryFlag(query, 'orphanDependents') } : {}),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(query.has(ignoreReadError) ? { [ignoreReadError]: queryFlag(query, ignoreReadError) } : {}),
    ...(uid || resourceVersion ? { preconditions } : {}),
    ...(dryRun.length > 0 ? { dryRun: [...dryRun] } : {}),
  };
}

const ignoreReadError = 'ignoreStoreReadErrorWithClusterBreakingPotential';
