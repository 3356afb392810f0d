import { rejectShownStop, type Decided, approveShownStop } from "../../mirror/operations/manual/answer-stop.ts";
import type { RejectEnd } from "../../mirror/operations/manual/reject.ts";
import type { Result } from "../../common/trouble.ts";
import { NEXT_WITHOUT_ROOT } from "../../mirror/operations/results/attention.ts";
import { count } from "../../common/count.ts";
import { shownName } from "../../common/shown-name.ts";
import type { Notice } from "../../page/layout.ts";
import { BUSY, noticeOfTrouble, type UiAction } from "../action.ts";
import { mirrorAddress } from "../addresses.ts";

/** `approve` and `reject`: each answers exactly the stop that the page showed. */

export const LET_GO: UiAction = answer("approve", async (root, seen, options) => {
  const decided = await approveShownStop(root, seen, options);
  return noticeOf(decided, ({ borrowed }) => ({
    tone: "good",
    text: `approved${borrowed ? "; the daemon carries them out" : ""}`,
    next: borrowed ? null : "Sync now to carry the changes out",
  }));
});

export const BRING_BACK: UiAction = answer("reject", async (root, seen, options) => {
  const decided = await rejectShownStop(root, seen, options);
  return noticeOf(decided, ({ ends, borrowed }) => noticeOfRejection(ends, borrowed));
});

type Answer = (root: string, seen: string, options: Parameters<typeof approveShownStop>[2]) => Promise<Notice>;

function answer(what: "approve" | "reject", give: Answer): UiAction {
  return {
    path: `safety-stop/${what}`,
    async run({ env, cwd, clock, random, jobs, halts }, { mirror, form }) {
      const { name, root } = mirror;
      const seen = form.get("seen") ?? "";
      const started = jobs.start(root, what, (progress) =>
        give(root, seen, { env, cwd, clock, random, progress }).finally(() => halts.forget(root)),
      );
      return { to: mirrorAddress(name, "safety-stop"), notice: started ? null : BUSY };
    },
  };
}

const OTHERS: Readonly<Record<Exclude<Decided<unknown>["kind"], "done">, Notice>> = {
  nothing: { tone: "quiet", text: "nothing is stopped any more; nothing was done", next: null },
  changed: {
    tone: "asks",
    text: "the stop changed since this page was shown; nothing was done",
    next: "read the present stop, then answer again",
  },
  "not-approvable": {
    tone: "bad",
    text: "no answer ends this stop: the folder is missing or another one",
    next: NEXT_WITHOUT_ROOT,
  },
};

function noticeOf<T extends object>(decided: Result<Decided<T>>, done: (how: T) => Notice): Notice {
  if (decided.kind === "trouble") return noticeOfTrouble(decided.trouble);
  const { value } = decided;
  return value.kind === "done" ? done(value as T) : OTHERS[value.kind];
}

/** LIMIT: names in a notice of items that could not be restored. */
const MOST = 5;

function noticeOfRejection(ends: readonly RejectEnd[], borrowed: boolean): Notice {
  const left = ends.filter(({ done }) => !done);
  const text = `${count(ends.length - left.length)} restored`;
  const next = borrowed ? null : "Sync now";
  if (left.length === 0) return { tone: "good", text, next };
  const named = left.slice(0, MOST).map(({ item, note }) => `${shownName(item.path)}: ${note}`);
  const more = left.length > MOST ? [`and ${count(left.length - MOST)} more`] : [];
  return { tone: "asks", text: `${text}; left alone: ${[...named, ...more].join("; ")}`, next };
}
