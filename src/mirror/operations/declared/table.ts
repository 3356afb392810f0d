import { DIFF, HISTORY, SHOW } from "./history.ts";
import { CONFLICTS, REVIEWS, VERIFY } from "./problems.ts";
import { PROTECT, UNPROTECT } from "./protect.ts";
import { RESOLVE } from "./resolve.ts";
import { RESTORE } from "./restore.ts";
import { APPROVE, REJECT } from "./stop.ts";
import { UNDO } from "./undo.ts";
import { WAIT } from "./wait.ts";

/** Declarations by name. The types of the library's methods come from them. */
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
