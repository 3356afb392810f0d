import type { ResolutionKind } from "../../mirror/model/hold.ts";
import { shownName } from "../../common/shown-name.ts";
import type { Resolution } from "../../mirror/operations/manual/resolve.ts";
import { type ResolvedSeen, resolveSeen } from "../../mirror/operations/manual/resolve-seen.ts";
import type { Versions } from "../../mirror/operations/manual/problem-view.ts";
import { RESOLUTION_ENDS } from "../../mirror/operations/results/resolutions.ts";
import type { Digest } from "../../contract/digest.ts";
import type { Notice } from "../../page/layout.ts";
import { withLineEnds } from "../../markdown/merge/line-ends.ts";
import { type ActionRequest, BUSY, type Done, noticeOfTrouble, type UiAction } from "../action.ts";
import { documentAddress } from "../addresses.ts";
import { requestedStart } from "../conflict-model.ts";
import type { Ui } from "../page.ts";
import { SYNC } from "./sync.ts";

/** `resolve`, only if the versions are still those that the page showed. */
export const RESOLVE: UiAction = {
  path: "conflict/*",
  async run(ui, asked) {
    const { mirror, form } = asked;
    const path = asked.params["*"]!;
    const draft = draftOf(ui, asked, path);
    const way = wayOf(asked, draft);
    // Stored first: whatever fails later, the typed text is not lost.
    if (draft !== null) ui.drafts.keep(mirror.root, path, draft);
    const to = documentAddress(mirror.name, "conflict", path);
    if (way === null) return { to, notice: { tone: "bad", text: "choose a way; nothing was done", next: null } };
    const job = ui.jobs.of(mirror.root);
    if (job !== null && job.end === null) return { to, notice: BUSY };
    const seen = versionsOf(form);
    const done = await resolveSeen(mirror.root, { path, way, seen, force: form.get("force") !== null }, ui);
    if (done.kind === "trouble") return { to, notice: noticeOfTrouble(done.trouble) };
    if (done.value.kind === "changed") return { to, notice: noticeOfChange(done.value.what, draft !== null) };
    ui.drafts.drop(mirror.root, path);
    return sendResolved(ui, asked, done.value, way.kind);
  },
};

/** Starts the sync that uploads the choice, as the command does. */
async function sendResolved(
  ui: Ui,
  asked: ActionRequest,
  { path, notes }: Extract<ResolvedSeen, { kind: "resolved" }>,
  kind: ResolutionKind,
): Promise<Done> {
  await SYNC.run(ui, asked);
  const text = [`${shownName(path)}: ${RESOLUTION_ENDS[kind]}`, ...notes].join("; ");
  return { to: documentAddress(asked.mirror.name, "conflict", path), notice: { tone: "good", text, next: null } };
}

const WAYS: readonly ResolutionKind[] = ["mine", "theirs", "merged", "keep", "delete", "recreate"];

function wayOf({ form }: ActionRequest, draft: string | null): Resolution | null {
  const kind = WAYS.find((one) => one === form.get("way"));
  if (kind === undefined) return null;
  if (kind !== "merged") return { kind };
  return draft === null ? null : { kind, text: draft };
}

/** Returns the typed text, with its original line ends; null if the form has none. */
function draftOf(ui: Ui, { mirror, form }: ActionRequest, path: string): string | null {
  const written = form.get("text");
  return written === null ? null : withLineEnds(written, requestedStart(ui, mirror.root, path, form.get("from")));
}

function versionsOf(form: URLSearchParams): Versions {
  const digest = (name: string) => (form.get(name) ?? "") as Digest | "";
  return { mine: digest("mine") || null, theirs: digest("theirs") || null, base: digest("base") || null };
}

const CHANGED: Readonly<Record<keyof Versions, string>> = {
  mine: "the local file was saved",
  theirs: "the version on the service changed",
  base: "both versions were merged",
};

function noticeOfChange(what: readonly (keyof Versions)[], wrote: boolean): Notice {
  const text = `nothing was written: since this page was shown, ${what.map((one) => CHANGED[one]).join(", and ")}`;
  const next = wrote
    ? "check the present versions; your result is kept below"
    : "check the present versions, and choose again";
  return { tone: "asks", text, next };
}
