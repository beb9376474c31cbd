// A change that a policy could not make; what follows from it is for the policy to say.

export class MutationError extends Error {}
