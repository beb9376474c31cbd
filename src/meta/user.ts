// Who is calling.

export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const mastersGroup = 'system:masters';
export const authenticatedGroup = 'system:authenticated';
export const unauthenticatedGroup = 'system:unauthenticated';

export const anonymousUser: UserInfo = { name: 'system:anonymous', groups: [unauthenticatedGroup] };

/** The server's own identity for calls that never leave the process. */
export const loopbackUser: UserInfo = { name: 'system:apiserver', groups: [mastersGroup, authenticatedGroup] };
