// VolumeAttachment: asks for a volume to be attached to a node, and records the outcome.

import type { Dialect } from '../../../meta/dialect.ts';
import { forbiddenField, invalidValue, required, tooLong } from '../../../meta/field-errors.ts';
import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { FieldError } from '../../../meta/status.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import type { StrategyContext } from '../../../schema/strategy.ts';
import { bool, dateTime, field, type Infer, int32, mapOf, string, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn, textColumn } from '../../columns.ts';
import { defaultVolumeSpec } from '../../core/v1/volume/persistent-volume.ts';
import { validateInlineVolume } from '../../core/v1/volume/persistent-volume-rules.ts';
import { persistentVolumeSpec } from '../../core/v1/volume/persistent-volume-type.ts';
import { validateDriverName } from '../../core/v1/volume/storage-source-rules.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { checked, immutableStruct } from '../../rules.ts';
import { statusAlone } from '../../subresources.ts';

const home = 'storage/v1';

const volumeAttachmentSource = struct(
  home,
  'VolumeAttachmentSource',
  'The volume to attach; set exactly one field.',
  () => ({
    persistentVolumeName: field(1, string, { pointer: true, about: 'Name of the PersistentVolume to attach.' }),
    inlineVolumeSpec: field(2, persistentVolumeSpec, {
      pointer: true,
      about: "Volume details for a pod's inline volume; used by CSI migration only.",
    }),
  }),
);

const volumeAttachmentSpec = struct(home, 'VolumeAttachmentSpec', 'Desired attachment of a volume.', () => ({
  attacher: field(1, string, {
    always: true,
    required: true,
    about: 'Name of the CSI driver that must carry this out.',
  }),
  source: field(2, volumeAttachmentSource, {
    always: true,
    required: true,
    about: 'The volume that is to be attached.',
  }),
  nodeName: field(3, string, { always: true, required: true, about: 'Node the volume is attached to.' }),
}));

const volumeError = struct(home, 'VolumeError', 'An error from a volume operation.', () => ({
  time: field(1, dateTime, { always: true, about: 'When the error was met.' }),
  message: field(2, string, { about: 'Error text, which is logged and therefore must hold no secrets.' }),
  errorCode: field(3, int32, { pointer: true, about: 'gRPC status code that the driver returned with the error.' }),
}));

const volumeAttachmentStatus = struct(home, 'VolumeAttachmentStatus', 'Observed state of an attachment.', () => ({
  attached: field(1, bool, { always: true, required: true, about: 'True once the volume is attached to the node.' }),
  attachmentMetadata: field(2, mapOf(string), {
    about: 'Values from a successful attach that later steps such as mounting need.',
  }),
  attachError: field(3, volumeError, { pointer: true, about: 'Last error met while attaching, if any.' }),
  detachError: field(4, volumeError, { pointer: true, about: 'Last error met while detaching, if any.' }),
}));

const volumeAttachmentType = struct(
  home,
  'VolumeAttachment',
  'Asks for a volume to be attached to a node, and records the outcome.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, volumeAttachmentSpec, { always: true, required: true, about: 'Which volume goes to which node.' }),
    status: field(3, volumeAttachmentStatus, {
      always: true,
      about: 'Outcome reported by the attaching driver; read-only for users.',
    }),
  }),
);

type VolumeAttachment = ApiObject & Infer<typeof volumeAttachmentType>;

const exactlyOne = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
const maxMetadataBytes = 256 * 1024;
const maxMessageBytes = 1024;

function defaults(object: VolumeAttachment): ApiObject {
  const { spec } = object;
  const inline = spec?.source?.inlineVolumeSpec;
  if (inline === undefined) return object;
  return { ...object, spec: { ...spec, source: { ...spec?.source, inlineVolumeSpec: defaultVolumeSpec(inline) } } };
}

function validate(object: VolumeAttachment, { dialect }: StrategyContext): readonly FieldError[] {
  const { attacher = '', source = {}, nodeName = '' } = object.spec ?? {};
  const { persistentVolumeName: name } = source;
  return [
    ...validateDriverName(attacher, 'spec.attacher'),
    ...validateSource(source, 'spec.source', dialect),
    ...checkSubdomain(nodeName).map((e) => invalidValue('spec.nodeName', nodeName, e)),
    ...validateStatus(object),
    ...(name === undefined ? [] : checked('spec.source.persistentVolumeName', name, checkSubdomain)),
  ];
}

function validateSource(
  source: Infer<typeof volumeAttachmentSource>,
  at: string,
  dialect: Dialect,
): readonly FieldError[] {
  const { persistentVolumeName: name, inlineVolumeSpec: inline } = source;
  if (name === undefined && inline !== undefined)
    return validateInlineVolume(inline, `${at}.inlineVolumeSpec`, dialect);
  if (name === undefined) return [required(at, exactlyOne)];
  if (inline !== undefined) return [forbiddenField(at, exactlyOne)];
  const detail = 'must specify non empty persistentVolumeName';
  return name === '' ? [required(`${at}.persistentVolumeName`, detail)] : [];
}

function validateStatus(object: VolumeAttachment): readonly FieldError[] {
  const { attachmentMetadata = {}, attachError, detachError } = object.status ?? {};
  const bytes = Object.entries(attachmentMetadata).flat().join('');
  return [
    ...(Buffer.byteLength(bytes) > maxMetadataBytes ? [tooLong('status.attachmentMetadata', maxMetadataBytes)] : []),
    ...validateError(attachError, 'status.attachError'),
    ...validateError(detachError, 'status.detachError'),
  ];
}

function validateError(error: Infer<typeof volumeError> | undefined, at: string): readonly FieldError[] {
  const { message = '', errorCode = 0 } = error ?? {};
  return [
    // compat: of a message of a VolumeAttachment that is too long the limit of its metadata is told
    ...(Buffer.byteLength(message) > maxMessageBytes ? [tooLong(`${at}.message`, maxMetadataBytes)] : []),
    ...(errorCode < 0
      ? [invalidValue(`${at}.errorCode`, errorCode, 'must be between 0 and 2147483647, inclusive')]
      : []),
  ];
}

export const volumeAttachment = defineKind(volumeAttachmentType, {
  kind: 'VolumeAttachment',
  plural: 'volumeattachments',
  namespaced: false,
  verbs: allVerbs,
  checkName: checkSubdomain,
  quirks: { returnsDeleted: true, conditionalUpdateOnly: true },
  columns: [
    nameColumn,
    {
      ...textColumn<VolumeAttachment>('Attacher', 'The driver that attaches.', ({ spec }) => spec?.attacher ?? ''),
      format: 'name',
    },
    textColumn<VolumeAttachment>('PV', 'The volume.', ({ spec }) => spec?.source?.persistentVolumeName ?? ''),
    textColumn<VolumeAttachment>('Node', 'The node.', ({ spec }) => spec?.nodeName ?? ''),
    {
      name: 'Attached',
      type: 'boolean',
      about: 'Whether it is attached.',
      priority: 0,
      cell: (object) => object.status?.attached ?? false,
    },
    ageColumn,
  ],
  subresources: [{ ...statusAlone, validatesWhole: true }],
  strategy: {
    updateChecks: { metaChange: 0 },
    defaults,
    validate,
    validateUpdate: (next, old) => immutableStruct('spec', 'VolumeAttachmentSpec', next['spec'], old['spec']),
  },
});
