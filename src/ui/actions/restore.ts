import { type RestoredSeen, restoreSeen } from "../../mirror/operations/history/restore-seen.ts";
import type { Digest } from "../../contract/digest.ts";
import { shownName } from "../../common/shown-name.ts";
import type { Notice } from "../../page/layout.ts";
import { BUSY, noticeOfTrouble, type UiAction } from "../action.ts";
import { documentAddress } from "../addresses.ts";
import { versionNumber } from "../path-parts.ts";
import { SYNC } from "./sync.ts";

/** `restore`, only if file and version are still those that the page showed. */
export const RESTORE: UiAction = {
  path: "restore/*",
  async run(ui, asked) {
    const { mirror, form, params } = asked;
    const path = params["*"]!;
    const n = versionNumber(form.get("n"));
    const back = documentAddress(mirror.name, "version", path, { n });
    if (n === null) return { to: documentAddress(mirror.name, "history", path), notice: NO_NUMBER };
    if (ui.jobs.isBusy(mirror.root)) return { to: back, notice: BUSY };
    const wanted = (form.get("wanted") ?? "") as Digest;
    const here = (form.get("here") || null) as Digest | null;
    const done = await restoreSeen(mirror.root, { path, n, wanted, here }, ui);
    if (done.kind === "trouble") return { to: back, notice: noticeOfTrouble(done.trouble) };
    if (done.value.kind === "changed") return { to: back, notice: noticeOfChange(done.value.what) };
    // The command syncs afterwards, too.
    await SYNC.run(ui, asked);
    return { to: documentAddress(mirror.name, "history", done.value.path), notice: noticeOf(done.value) };
  },
};

const NO_NUMBER: Notice = { tone: "bad", text: "that is not the number of a version; nothing was done", next: null };

const CHANGED: Readonly<Record<Extract<RestoredSeen, { kind: "changed" }>["what"], string>> = {
  here: "the file was changed since this page was shown",
  version: "the version with this number changed meanwhile",
};

function noticeOfChange(what: "here" | "version"): Notice {
  return {
    tone: "asks",
    text: `nothing was written: ${CHANGED[what]}`,
    next: "check the present versions, and choose again",
  };
}

function noticeOf({ path, entry, notes }: Extract<RestoredSeen, { kind: "restored" }>): Notice {
  const text = [`${shownName(path)}: version ${entry.n} is restored`, ...notes].join("; ");
  return { tone: "good", text, next: null };
}
