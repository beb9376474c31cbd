// A text that is no value of its type.

export class ValueError extends Error {}
