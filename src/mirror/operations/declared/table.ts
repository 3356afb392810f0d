import { RESOLVE } from "./resolve.ts";
import { RESTORE } from "./restore.ts";
import { APPROVE, REJECT } from "./stop.ts";

/** The declarations of all operations. The types of the library come from them. */
export const DECLARED = {
  approve: APPROVE,
  reject: REJECT,
  resolve: RESOLVE,
  restore: RESTORE,
} as const;

export type OperationName = keyof typeof DECLARED;
