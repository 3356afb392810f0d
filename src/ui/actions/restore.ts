import { restore } from "../../mirror/operations/history/restore.ts";
import { runOperation } from "../../mirror/operations/run-operation.ts";
import { shownName } from "../../common/shown-name.ts";
import type { Notice } from "../../page/layout.ts";
import { BUSY, noticeOfTrouble, type UiAction } from "../action.ts";
import { documentAddress } from "../addresses.ts";
import { versionNumber } from "../path-parts.ts";
import { SYNC } from "./sync.ts";

/** Carries out `restore`, but only if file and version are still those that the page showed. */
export const RESTORE: UiAction = {
  path: "restore/*",
  operation: "restore",
  async run(ui, asked) {
    const { mirror, form, params } = asked;
    const path = params["*"]!;
    const n = versionNumber(form.get("n"));
    const back = documentAddress(mirror.name, "version", path, { n });
    if (n === null) return { to: documentAddress(mirror.name, "history", path), notice: NO_NUMBER };
    if (ui.jobs.isBusy(mirror.root)) return { to: back, notice: BUSY };
    const expected = { local: form.get("local") || null, version: form.get("version") ?? "" };
    const done = await runOperation(mirror.root, restore, { paths: [path], n, expected, noSync: true }, ui);
    if (done.kind === "trouble") return { to: back, notice: noticeOfTrouble(done.trouble) };
    // The sync is a separate job, because a page does not wait for the service.
    await SYNC.run(ui, asked);
    const [item] = done.value.items as [(typeof done.value.items)[number]];
    const text = [`${shownName(item.path)}: version ${n} is restored`, ...item.notes].join("; ");
    return { to: documentAddress(mirror.name, "history", item.path), notice: { tone: "good", text, next: null } };
  },
};

const NO_NUMBER: Notice = { tone: "bad", text: "that is not the number of a version; nothing was done", next: null };
