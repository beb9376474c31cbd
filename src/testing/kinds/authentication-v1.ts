// Types of authentication/v1, made from the data of its kinds by built-in-kinds.test.ts.

import type { ObjectMeta } from './meta-v1.ts';

export interface SelfSubjectReview {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
  readonly status?: SelfSubjectReviewStatus;
}

interface SelfSubjectReviewStatus {
  readonly userInfo?: UserInfo;
}

export interface TokenReview {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
  readonly spec?: TokenReviewSpec;
  readonly status?: TokenReviewStatus;
}

interface TokenReviewSpec {
  readonly token?: string;
  readonly audiences?: readonly string[];
}

interface TokenReviewStatus {
  readonly authenticated?: boolean;
  readonly user?: UserInfo;
  readonly audiences?: readonly string[];
  readonly error?: string;
}

interface UserInfo {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}
