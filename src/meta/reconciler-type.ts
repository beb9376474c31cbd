// How API servers on one store may agree on the endpoints of their own service.

export const reconcilerTypes = ['lease', 'master-count', 'none'] as const;
export type ReconcilerType = (typeof reconcilerTypes)[number];
