import { askDaemon, NO_DAEMON } from "../../mirror/daemon/control/ask.ts";
import { type Done, noticeOfTrouble, type UiAction } from "../action.ts";
import { mirrorAddress } from "../addresses.ts";

/** Carries out `pause` and `resume`: sends requests to the folder's daemon. */

export const PAUSE: UiAction = {
  path: "pause",
  run: (_ui, { mirror }) => askTo("pause", mirror, { changed: "paused", as: "the daemon was already paused" }),
};

export const RESUME: UiAction = {
  path: "resume",
  run: (_ui, { mirror }) => askTo("resume", mirror, { changed: "resumed", as: "the daemon was not paused" }),
};

async function askTo(
  verb: "pause" | "resume",
  { name, root }: { readonly name: string; readonly root: string },
  words: { readonly changed: string; readonly as: string },
): Promise<Done> {
  const to = mirrorAddress(name);
  const done = await askDaemon(root, { do: verb });
  if (done === NO_DAEMON) {
    const next = "mdmirror watch, or mdmirror service install";
    return { to, notice: { tone: "asks", text: "no daemon syncs it", next } };
  }
  if (done.kind === "trouble") return { to, notice: noticeOfTrouble(done.trouble) };
  const text = done.value.changed ? words.changed : words.as;
  return { to, notice: { tone: "good", text, next: null } };
}
