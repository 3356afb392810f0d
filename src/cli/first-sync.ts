import { join } from "node:path";
import { faultTrouble } from "../mirror/folder/fault-trouble.ts";
import type { OpenedMirror } from "../mirror/folder/open-mirror.ts";
import { rememberPrefer, type RunReport, runSync, USUAL_RUN } from "../mirror/folder/run.ts";
import type { Io } from "./command.ts";
import { exitOfTrouble } from "./complain.ts";
import { MIRROR_FOLDER } from "../mirror/model/mirror-folder.ts";
import { shellWord } from "../mirror/model/shell-word.ts";
import { shownName } from "../common/shown-name.ts";
import { stayLine } from "./describe.ts";
import type { ExitCode } from "./exit.ts";
import { exitCodeOf, showReport } from "./show-report.ts";
import { useMirror } from "./use-mirror.ts";
import { refusesPaths, showsPictures, showsWikiLinks } from "../mirror/operations/links/decide-links.ts";
import { planLinkChange, withTranslatedLinks } from "../mirror/operations/links/change-links.ts";
import { readConfig } from "../mirror/settings/config.ts";

/**
 * Translates links to ids if the service refuses links by path. Then uploads the refused documents
 * in that form.
 */
async function withLinksAsNeeded(io: Io, mirror: OpenedMirror, report: RunReport): Promise<RunReport> {
  if (mirror.config.links.mode === "translate" || report.isStopped === true || !refusesPaths(report)) return report;
  const change = await planLinkChange(mirror, { mode: "translate", wiki: false });
  if (change.kind === "trouble" || change.value === null) return report;
  await change.value.apply();
  io.out(
    "the service refuses links by path, so links are ids on the service and paths in local files (to keep ids: mdmirror links keep)",
  );
  return runSync(withTranslatedLinks(mirror), USUAL_RUN, "init", io.stoppable);
}

/**
 * Returns a line that recommends `links translate --wiki` if several documents have wiki links,
 * else null.
 */
async function wikiLine({ root, world: { state, links, disk } }: OpenedMirror): Promise<string | null> {
  const config = readConfig(join(root, MIRROR_FOLDER));
  if (config.kind !== "ok" || config.value.links.mode === "keep" || config.value.links.wiki) return null;
  const paths = [...state.load().links.values()].map(({ localPath }) => localPath);
  if (!showsWikiLinks(links?.disk.plain ?? disk, paths)) return null;
  return "wiki links ([[Name]]) are not changed; to keep them intact after renames, too: mdmirror links translate --wiki";
}

const PICTURES =
  "documents show pictures that stay local, because only documents are synced; to list them: mdmirror links check";

function hasPictures({ world: { state, links, disk } }: OpenedMirror): boolean {
  const paths = [...state.load().links.values()].map(({ localPath }) => localPath);
  return showsPictures(links?.disk.plain ?? disk, paths);
}

/**
 * Warns about a folder that does not exist on the service. The first upload would create it, and
 * its name may be a typing error.
 */
async function tellOfNoFolder(io: Io, { root, config: { remote }, world }: OpenedMirror): Promise<void> {
  for (const path of [remote].flat().filter((one) => one !== "")) {
    const answer = await world.remote.findFolder(path);
    if (!answer.ok || answer.value !== null) continue;
    io.err(
      `mdmirror: the service shows no folder ${shownName(path)}; the first upload creates it. If you meant another folder: mdmirror unlink ${shellWord(root)}, then init`,
    );
  }
}

/** Runs the sync at the end of `init`. */
export function firstSync(
  io: Io,
  root: string,
  keyFile: string | null,
  prefer: "local" | "remote" | "each" | null,
): Promise<ExitCode> {
  return useMirror(io, root, { mode: "write", what: "init", keyFile }, async (mirror) => {
    const began = io.clock.monotonic();
    if (prefer !== null) rememberPrefer(mirror, prefer);
    await tellOfNoFolder(io, mirror);
    const report = await withLinksAsNeeded(io, mirror, await runSync(mirror, USUAL_RUN, "init", io.stoppable));
    showReport(io, report, io.clock.monotonic() - began, mirror.url);
    const stays = stayLine(report.staysLocal);
    if (stays !== null) io.out(stays);
    if (stays !== null && hasPictures(mirror)) io.out(PICTURES);
    const wiki = await wikiLine(mirror);
    if (wiki !== null) io.out(wiki);
    if (report.fault !== null) return exitOfTrouble(faultTrouble(report.fault, mirror.url));
    io.out("next: edit in any editor, then run: mdmirror sync (from cron: mdmirror service print DIR --for cron)");
    return exitCodeOf(report);
  });
}
