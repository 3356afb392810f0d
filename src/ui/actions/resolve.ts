import type { Digest } from "../../contract/digest.ts";
import { shownName } from "../../common/shown-name.ts";
import { withLineEnds } from "../../markdown/merge/line-ends.ts";
import { resolve } from "../../mirror/operations/manual/resolve-many.ts";
import { RESOLUTION_ENDS } from "../../mirror/operations/results/resolutions.ts";
import { runOperation } from "../../mirror/operations/run-operation.ts";
import { type ActionRequest, BUSY, noticeOfTrouble, type UiAction } from "../action.ts";
import { documentAddress } from "../addresses.ts";
import { requestedStart } from "../conflict-model.ts";
import type { Ui } from "../page.ts";
import { SYNC } from "./sync.ts";

/** Carries out `resolve`, but only if the versions are still those that the page showed. */
export const RESOLVE: UiAction = {
  path: "conflict/*",
  operation: "resolve",
  async run(ui, asked) {
    const { mirror, form } = asked;
    const path = asked.params["*"]!;
    const draft = draftOf(ui, asked, path);
    // The draft is stored first, so that the typed content is not lost if a later step fails.
    if (draft !== null) ui.drafts.keep(mirror.root, path, draft);
    const to = documentAddress(mirror.name, "conflict", path);
    const way = WAYS.find((one) => one === form.get("way"));
    if (way === undefined) return { to, notice: { tone: "bad", text: "choose a way; nothing was done", next: null } };
    if (ui.jobs.isBusy(mirror.root)) return { to, notice: BUSY };
    const input = { paths: [path], way, force: form.get("force") !== null, expected: expectedOf(form), noSync: true };
    const text = way === "merged" && draft !== null ? { text: draft } : {};
    const done = await runOperation(mirror.root, resolve, { ...input, ...text }, ui);
    if (done.kind === "trouble") {
      const notice = noticeOfTrouble(done.trouble);
      const isKept = done.trouble.changed !== undefined && draft !== null;
      return {
        to,
        notice: isKept ? { ...notice, next: "check the present versions; your result is kept below" } : notice,
      };
    }
    ui.drafts.drop(mirror.root, path);
    // The sync is a separate job, because a page does not wait for the service.
    await SYNC.run(ui, asked);
    const [item] = done.value.items as [(typeof done.value.items)[number]];
    const words = [`${shownName(item.path)}: ${RESOLUTION_ENDS[way]}`, ...item.notes].join("; ");
    const at = documentAddress(mirror.name, "conflict", item.path);
    return { to: at, notice: { tone: "good", text: words, next: null } };
  },
};

const WAYS = ["mine", "theirs", "merged", "keep", "delete", "recreate"] as const;

/** Returns the typed content, with its original line ends; null if the form has none. */
function draftOf(ui: Ui, { mirror, form }: ActionRequest, path: string): string | null {
  const written = form.get("text");
  return written === null ? null : withLineEnds(written, requestedStart(ui, mirror.root, path, form.get("from")));
}

function expectedOf(form: URLSearchParams): Record<"mine" | "theirs" | "base", Digest | null> {
  const digest = (name: string) => ((form.get(name) ?? "") as Digest | "") || null;
  return { mine: digest("mine"), theirs: digest("theirs"), base: digest("base") };
}
