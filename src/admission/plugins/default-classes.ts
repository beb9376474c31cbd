// DefaultStorageClass and DefaultIngressClass: claims and ingresses that name no class get the one that is marked for them.

import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { PersistentVolumeClaim } from '../../groups/core/v1/volume/persistent-volume-claim-type.ts';
import type { Ingress } from '../../groups/networking/v1/ingress-type.ts';
import { groupName, labelKey } from '../../meta/dialect.ts';
import type { GroupVersionResource } from '../../meta/group-version.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { AdmissionEngines } from '../engines.ts';
import { type AdmissionPlugin, type AdmissionRequest, creates, objectsOf, refusal } from '../plugin.ts';

type Engines = Pick<AdmissionEngines, 'dialect' | 'objects'>;

const hasAnnotation = ({ metadata }: ApiObject, keys: readonly string[]) =>
  keys.some((key) => metadata.annotations?.[key] !== undefined);

export function defaultStorageClass(engines: Engines): AdmissionPlugin {
  const { dialect } = engines;
  const older = `volume.beta.${labelKey(dialect, 'storage-class')}`;
  const classes: MarkedClasses = {
    resource: { group: groupName(dialect, 'storage'), version: 'v1', resource: 'storageclasses' },
    kinds: 'StorageClasses',
    marks: ['storageclass', 'storageclass.beta'].map((prefix) => `${prefix}.${labelKey(dialect, 'is-default-class')}`),
  };
  return {
    name: 'DefaultStorageClass',
    operations: creates,
    covers: objectsOf('', 'persistentvolumeclaims'),
    mutate(request) {
      const claim = request.object as PersistentVolumeClaim;
      const isNamed = claim.spec?.storageClassName !== undefined || hasAnnotation(claim, [older]);
      return andThen(markedClass(engines, request, classes, isNamed), (storageClassName) =>
        storageClassName === undefined ? claim : { ...claim, spec: { ...claim.spec, storageClassName } },
      );
    },
  };
}

export function defaultIngressClass(engines: Engines): AdmissionPlugin {
  const { dialect } = engines;
  const group = groupName(dialect, 'networking');
  const older = labelKey(dialect, 'ingress.class');
  const classes: MarkedClasses = {
    resource: { group, version: 'v1', resource: 'ingressclasses' },
    kinds: 'IngressClasses',
    marks: [`ingressclass.${labelKey(dialect, 'is-default-class')}`],
  };
  return {
    name: 'DefaultIngressClass',
    operations: creates,
    covers: (definition, subresource) =>
      [group, 'extensions'].some((one) => objectsOf(one, 'ingresses')(definition, subresource)),
    mutate(request) {
      const ingress = request.object as Ingress;
      const isNamed = ingress.spec?.ingressClassName !== undefined || hasAnnotation(ingress, [older]);
      return andThen(markedClass(engines, request, classes, isNamed), (ingressClassName) =>
        ingressClassName === undefined ? ingress : { ...ingress, spec: { ...ingress.spec, ingressClassName } },
      );
    },
  };
}

/** Classes of one kind, and the annotations that mark one of them. */
interface MarkedClasses {
  readonly resource: GroupVersionResource;
  readonly kinds: string;
  readonly marks: readonly string[];
}

/** The class to fill in. Where several marked ones are refused, that holds for objects that name a class too. */
function markedClass(
  { objects, dialect }: Engines,
  request: AdmissionRequest,
  { resource, kinds, marks }: MarkedClasses,
  isNamed: boolean,
): MaybePromise<string | undefined> {
  const refusesSeveral = dialect.rules.severalDefaultClasses === 'refused';
  if (isNamed && !refusesSeveral) return undefined;
  return andThen(objects.list(resource, ''), (all) => {
    const marked = all.filter(({ metadata }) => marks.some((mark) => metadata.annotations?.[mark] === 'true'));
    if (marked.length > 1 && refusesSeveral) throw refusal(request, `${marked.length} default ${kinds} were found`);
    return isNamed ? undefined : [...marked].sort(newestFirst)[0]?.metadata.name;
  });
}

function newestFirst({ metadata: a }: ApiObject, { metadata: b }: ApiObject): number {
  const [atA, atB] = [Date.parse(a.creationTimestamp ?? ''), Date.parse(b.creationTimestamp ?? '')];
  return atA === atB ? ((a.name ?? '') < (b.name ?? '') ? -1 : 1) : atB - atA;
}
