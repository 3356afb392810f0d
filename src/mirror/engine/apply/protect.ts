import type { Intent } from "../../ports/state.ts";
import { DONE, got, isNotFound, outcomeOfFault, readFacts, provenNotDone, outcomeOfFailedRead } from "./effect.ts";
import type { Effect } from "./run-effect.ts";

type Row = Extract<Intent, { kind: "protect" }>;

/**
 * Sets or clears a document's review protection on the service. The record gets the new value from
 * the next listing, as if another user had changed it.
 */
export const protectDocument: Effect<Omit<Row, "kind">, Row, null, "set"> = {
  async prepare(_, action) {
    return got({ row: { kind: "protect", ...action }, input: null });
  },

  async perform(ctx, { id, value }) {
    const answer = await ctx.world.remote.setProtected(id, value);
    if (!answer.ok) return { kind: "failed", fault: answer.fault };
    return { kind: "seen", seen: "set", requestId: answer.requestId };
  },

  async observe(ctx, { id, localPath, value }, fault) {
    const answer = await readFacts(ctx, id, localPath);
    if (!answer.ok) {
      const isOver = isNotFound(answer);
      return isOver
        ? { kind: "over", outcome: outcomeOfFault(answer.fault) }
        : { kind: "open", outcome: outcomeOfFailedRead(answer.fault) };
    }
    if (answer.value.protected === value) return { kind: "seen", seen: "set" };
    return { kind: "over", outcome: provenNotDone("write", fault) };
  },

  conclude(_, { id, localPath: path, value, why: detail }, __, source) {
    const requestId = source.from === "answer" ? source.requestId : null;
    const event = { kind: value ? "protect" : "unprotect", side: "remote", id, path, detail, requestId } as const;
    return { outcome: DONE, change: { event } };
  },
};
