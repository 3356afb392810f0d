import { CONFLICTS, DIFF, HISTORY, REVIEWS, SHOW, VERIFY, WAIT } from "./reads.ts";
import { APPROVE, PROTECT, REJECT, RESOLVE, RESTORE, UNDO, UNPROTECT } from "./writes.ts";

/** Declarations by name. The types of the library's methods are made from these declarations. */
export const DECLARED = {
  approve: APPROVE,
  conflicts: CONFLICTS,
  diff: DIFF,
  history: HISTORY,
  protect: PROTECT,
  reject: REJECT,
  resolve: RESOLVE,
  restore: RESTORE,
  reviews: REVIEWS,
  show: SHOW,
  undo: UNDO,
  unprotect: UNPROTECT,
  verify: VERIFY,
  wait: WAIT,
} as const;

export type OperationName = keyof typeof DECLARED;
