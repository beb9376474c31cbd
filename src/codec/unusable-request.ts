// Why a certificate request is refused.

/** A certificate request that cannot be used; the message says why, for the client that sent it. */
export class UnusableRequest extends Error {}
