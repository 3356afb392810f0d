import type { DECLARED, OperationName } from "./declared/table.ts";

/** Every operation. The module of one is loaded when it is called. */
export const OPERATIONS = {
  restore: async () => (await import("./history/restore.ts")).restore,
} satisfies { [Name in OperationName]: () => Promise<{ readonly declared: (typeof DECLARED)[Name] }> };
