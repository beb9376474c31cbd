// The Kubernetes release whose behaviour this server has.

export const release = { major: 1, minor: 36, patch: 4 } as const;
