import { approve, reject } from "../../mirror/operations/manual/answer-stop.ts";
import type { APPROVE } from "../../mirror/operations/declared/stop.ts";
import type { ResultOf } from "../../mirror/operations/define.ts";
import { runOperation } from "../../mirror/operations/run-operation.ts";
import { count } from "../../common/count.ts";
import { shownName } from "../../common/shown-name.ts";
import type { Notice } from "../../page/layout.ts";
import { BUSY, noticeOfTrouble, type UiAction } from "../action.ts";
import { mirrorAddress } from "../addresses.ts";

/** Carries out `approve` and `reject`. Each answers exactly the stop that the page showed. */

type Answered = ResultOf<typeof APPROVE>;

export const LET_GO: UiAction = answer("approve", approve, ({ next }) => ({
  tone: "good",
  text: `approved${next === "daemon" ? "; the daemon carries them out" : ""}`,
  next: next === "daemon" ? null : "Sync now to carry the changes out",
}));

export const BRING_BACK: UiAction = answer("reject", reject, noticeOfRejection);

function answer(what: "approve" | "reject", operation: typeof approve, noticeOf: (done: Answered) => Notice): UiAction {
  return {
    path: `safety-stop/${what}`,
    operation: what,
    async run({ env, cwd, clock, random, jobs, halts }, { mirror, form }) {
      const { name, root } = mirror;
      const input = { attended: true, expected: { stop: form.get("seen") ?? "" } };
      const started = jobs.start(root, what, async (progress) => {
        const done = await runOperation(root, operation, input, { env, cwd, clock, random, progress });
        halts.forget(root);
        if (done.kind === "trouble") return noticeOfTrouble(done.trouble);
        return done.value.reasons.length === 0 ? NOTHING : noticeOf(done.value);
      });
      return { to: mirrorAddress(name, "safety-stop"), notice: started ? null : BUSY };
    },
  };
}

const NOTHING: Notice = { tone: "quiet", text: "nothing is stopped any more; nothing was done", next: null };

/** LIMIT: names in a notice of items that could not be restored. */
const MOST = 5;

function noticeOfRejection({ items, next: by }: Answered): Notice {
  const left = items.filter(({ end }) => end !== "done");
  const text = `${count(items.length - left.length)} restored`;
  const next = by === "daemon" ? null : "Sync now";
  if (left.length === 0) return { tone: "good", text, next };
  const named = left.slice(0, MOST).map(({ path, why }) => `${shownName(path)}: ${why}`);
  const more = left.length > MOST ? [`and ${count(left.length - MOST)} more`] : [];
  return { tone: "asks", text: `${text}; left alone: ${[...named, ...more].join("; ")}`, next };
}
