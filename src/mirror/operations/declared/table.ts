import { PROTECT, UNPROTECT } from "./protect.ts";
import { RESOLVE } from "./resolve.ts";
import { RESTORE } from "./restore.ts";
import { APPROVE, REJECT } from "./stop.ts";
import { UNDO } from "./undo.ts";

/** The declarations of all operations. The types of the library come from them. */
export const DECLARED = {
  approve: APPROVE,
  protect: PROTECT,
  reject: REJECT,
  resolve: RESOLVE,
  restore: RESTORE,
  undo: UNDO,
  unprotect: UNPROTECT,
} as const;

export type OperationName = keyof typeof DECLARED;
