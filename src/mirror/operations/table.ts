import type { DECLARED, OperationName } from "./declared/table.ts";

/** Operations by name. An operation's module is loaded only when the operation is called. */
export const OPERATIONS = {
  approve: async () => (await import("./manual/answer-stop.ts")).approve,
  conflicts: async () => (await import("./manual/problem-lists.ts")).conflicts,
  diff: async () => (await import("./history/diff.ts")).diff,
  history: async () => (await import("./history/versions.ts")).history,
  protect: async () => (await import("./manual/protect.ts")).protect,
  reject: async () => (await import("./manual/answer-stop.ts")).reject,
  resolve: async () => (await import("./manual/resolve.ts")).resolve,
  restore: async () => (await import("./history/restore.ts")).restore,
  reviews: async () => (await import("./manual/problem-lists.ts")).reviews,
  show: async () => (await import("./history/versions.ts")).show,
  undo: async () => (await import("./history/undo.ts")).undo,
  unprotect: async () => (await import("./manual/protect.ts")).unprotect,
  verify: async () => (await import("./doctor/verify.ts")).verify,
  wait: async () => (await import("./manual/wait-operation.ts")).wait,
} satisfies { [Name in OperationName]: () => Promise<{ readonly declared: (typeof DECLARED)[Name] }> };
