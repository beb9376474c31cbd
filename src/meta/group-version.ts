// Group, version, kind and resource names, and how they are written.

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}
export interface GroupVersionKind extends GroupVersion {
  readonly kind: string;
}
export interface GroupVersionResource extends GroupVersion {
  readonly resource: string;
}
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** `v1` for the core group, `apps/v1` otherwise. */
export function formatApiVersion(gv: GroupVersion): string {
  return gv.group === '' ? gv.version : `${gv.group}/${gv.version}`;
}

/** Undefined when the text is no version of an API. */
export function parseApiVersion(text: string): GroupVersion | undefined {
  const [first = '', second, ...more] = text.split('/');
  if (text === '' || more.length > 0) return undefined;
  return second === undefined ? { group: '', version: first } : { group: first, version: second };
}

/** `configmaps` for the core group, `leases.coordination.k8s.io` otherwise. */
export function formatGroupResource(gr: GroupResource): string {
  return gr.group === '' ? gr.resource : `${gr.resource}.${gr.group}`;
}

/** Where a group-version is served: `/api/v1` or `/apis/apps/v1`. */
export function apiPath(gv: GroupVersion): string {
  return gv.group === '' ? `/api/${gv.version}` : `/apis/${gv.group}/${gv.version}`;
}
