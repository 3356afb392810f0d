import type { Intent } from "../../ports/state.ts";
import {
  DONE,
  withValue,
  isNotFound,
  outcomeOfFault,
  readDocument,
  outcomeOfUndoneWrite,
  outcomeOfFailedRead,
} from "./effect.ts";
import type { Effect } from "./run-effect.ts";

type ProtectRow = Extract<Intent, { kind: "protect" }>;

/** Sends a document's new protection. The next listing puts the protection into the record. */
export const protectDocument: Effect<Omit<ProtectRow, "kind">, ProtectRow, null, "set"> = {
  async prepare(_, action) {
    return withValue({ row: { kind: "protect", ...action }, input: null });
  },

  async perform(ctx, { id, value }) {
    const answer = await ctx.world.remote.setProtected(id, value);
    if (!answer.ok) return { kind: "failed", fault: answer.fault };
    return { kind: "seen", seen: "set", requestId: answer.requestId };
  },

  async observe(ctx, { id, localPath, value }, fault) {
    const answer = await readDocument(ctx, id, localPath);
    if (!answer.ok) {
      const isOver = isNotFound(answer);
      return isOver
        ? { kind: "over", outcome: outcomeOfFault(answer.fault) }
        : { kind: "open", outcome: outcomeOfFailedRead(answer.fault) };
    }
    if (answer.value.protected === value) return { kind: "seen", seen: "set" };
    return { kind: "over", outcome: outcomeOfUndoneWrite("write", fault) };
  },

  conclude(_, { id, localPath: path, value, why: detail }, __, source) {
    const requestId = source.from === "answer" ? source.requestId : null;
    const event = { kind: value ? "protect" : "unprotect", side: "remote", id, path, detail, requestId } as const;
    return { outcome: DONE, change: { event } };
  },
};
