// How kinds name other kinds.

/** A kind of another group-version, by the group's name without the domain. */
export interface KindReference {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}
