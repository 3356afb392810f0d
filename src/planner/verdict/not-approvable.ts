import type { HaltReason } from "../plan-types.ts";

/** Halts that no approval ends: the folder is not there, or not this mirror's. */
export const NOT_APPROVABLE: ReadonlySet<HaltReason> = new Set(["root-missing", "root-replaced"]);
