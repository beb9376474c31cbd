// Addresses that are shown without their user and password.

/**
 * `https://user:password@host` has what only etcd or an issuer should see. The last @ ends it: a password may have one, and a
 * slash, when its author did not escape them.
 */
export const withoutUserInfo = (text: string): string => text.replace(/(\w:\/\/)[^\s,\]]*@/g, '$1CLASSIFIED@');
