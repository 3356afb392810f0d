import { findProblem } from "../mirror/operations/manual/open-problem.ts";
import { type ProblemView, viewProblem } from "../mirror/operations/manual/problem-view.ts";
import { ok, type Result, type Trouble } from "../common/trouble.ts";
import { withLocal } from "../mirror/folder/open-local.ts";
import type { FolderStatus } from "../mirror/folder/all-statuses.ts";
import { markConflicts } from "../markdown/merge/marked.ts";
import type { Ui } from "./page.ts";

/** The conflict, review or block at one path, as plain data. */
export type ConflictModel = {
  readonly name: string;
  readonly root: string;
  readonly path: string;
  /** Open problem at the path; null if no problem is open that a choice could resolve. */
  readonly open: ProblemView | null;
  /** Reason why `open` is null. */
  readonly why: Trouble | null;
  /** Content that a user typed and that could not be saved; null if there is none. */
  readonly draft: string | null;
  /** Paths of other conflicts. */
  readonly others: readonly string[];
  /**
   * Name of the action that a page started in this folder and that still runs; null if none runs.
   */
  readonly busy: string | null;
};

/** LIMIT: other conflicts that the page links to. */
const MOST_OTHERS = 5;

export function modelOfConflict(ui: Ui, { mirror, look }: FolderStatus, path: string): Result<ConflictModel> {
  if (look.kind === "unseen") return { kind: "trouble", trouble: look.trouble };
  const { name, root } = mirror;
  return withLocal<ConflictModel>(root, ui, (local) => {
    const found = findProblem(local, path);
    const open = found.kind === "ok" ? viewProblem(local, found.value) : null;
    const others = look.status.conflicts.filter((one) => one !== path && one !== open?.path).slice(0, MOST_OTHERS);
    const job = ui.jobs.of(root);
    return ok({
      name,
      root,
      path: open?.path ?? path,
      open,
      why: found.kind === "trouble" ? found.trouble : null,
      draft: ui.drafts.of(root, open?.path ?? path),
      others,
      busy: job !== null && job.end === null ? job.what : null,
    });
  });
}

/** Content with which the form starts. */
export type Start = "merge" | "mine" | "theirs" | "base" | "draft";

/** Returns the starting content of the form; null if that content cannot be shown. */
export function startText(open: ProblemView, draft: string | null, from: Start): string | null {
  if (from === "draft") return draft;
  const [mine, theirs, base] = [open.mine, open.theirs, open.base].map((one) =>
    one.kind === "text" ? one.text : null,
  );
  if (from === "mine") return mine!;
  if (from === "theirs") return theirs!;
  if (from === "base") return base!;
  return mine === null || theirs === null ? null : markConflicts({ base: base ?? "", mine: mine!, theirs: theirs! });
}

const STARTS: readonly Start[] = ["merge", "mine", "theirs", "base", "draft"];

export function startNamed(name: string | null): Start | null {
  return STARTS.find((one) => one === name) ?? null;
}

/**
 * Returns the starting content that a form was shown with; "" if that content is no longer known.
 */
export function requestedStart(ui: Ui, root: string, path: string, name: string | null): string {
  const from = startNamed(name);
  if (from === null) return "";
  const found = withLocal(root, ui, (local) => {
    const subject = findProblem(local, path);
    return subject.kind === "trouble" ? subject : ok(viewProblem(local, subject.value));
  });
  return found.kind === "trouble" ? "" : (startText(found.value, ui.drafts.of(root, path), from) ?? "");
}
