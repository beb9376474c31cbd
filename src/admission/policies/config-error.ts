// What is wrong with a policy or a binding, so that it cannot be evaluated for a request.

export class ConfigError extends Error {}
