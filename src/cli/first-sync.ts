import { refuse, unwrap } from "../common/trouble.ts";
import { join } from "node:path";
import { makeFaultTrouble } from "../mirror/folder/fault-trouble.ts";
import type { OpenedMirror } from "../mirror/folder/open-mirror.ts";
import { rememberPrefer, type RunReport, runSync, type SyncPlan, USUAL_RUN } from "../mirror/folder/run.ts";
import type { Io } from "./command.ts";
import { EXIT_BY_STATE, type ExitCode, findExitOfTrouble } from "./exit.ts";
import { MIRROR_FOLDER } from "../mirror/model/mirror-folder.ts";
import { quoteForShell } from "../mirror/model/shell-word.ts";
import { shownName } from "../common/shown-name.ts";
import { formatPlan, toProposalFlags, formatProposal } from "./commands/plan.ts";
import { formatStaysLocal } from "./show-attention.ts";
import { showReport } from "./show-report.ts";
import { askForYes, showProgress, withOpenedMirror } from "./use-mirror.ts";
import { decideLinks, refusesPaths, showsPictures, showsWikiLinks } from "../mirror/operations/links/decide-links.ts";
import { planLinkChange, translateLinks } from "../mirror/operations/links/change-links.ts";
import { readConfig } from "../mirror/settings/config.ts";
import { type LinkRequest, onlyFillsFolder, withFirstPlan } from "../mirror/folder/link-folder.ts";
import { isEmpty, NO_PROPOSAL, type RulesProposal, proposeRules } from "../mirror/settings/propose-rules.ts";

/**
 * If the service refuses links by path, converts all links to ids and syncs again. Returns the
 * report of the last sync.
 */
async function convertLinksIfNeeded(io: Io, mirror: OpenedMirror, report: RunReport): Promise<RunReport> {
  if (mirror.config.links.mode === "translate" || report.isStopped === true || !refusesPaths(report)) return report;
  const linkChange = await planLinkChange(mirror, { mode: "translate", wiki: false });
  if (linkChange.kind === "trouble" || linkChange.value === null) return report;
  await linkChange.value.apply();
  io.out(
    "the service refuses links by path, so links are ids on the service and paths in local files (to keep ids: mdmirror links keep)",
  );
  return runSync(translateLinks(mirror), USUAL_RUN, "init", io.stoppable);
}

const WIKI_HINT =
  "wiki links ([[Name]]) are not changed; to keep them intact after renames, too: mdmirror links translate --wiki";
const PICTURE_HINT =
  "documents show pictures that stay local, because only documents are synced; to list them: mdmirror links check";

function formatHints({ root, world: { state, links, disk } }: OpenedMirror, stays: string | null): string[] {
  const plainDisk = links?.disk.plain ?? disk;
  const paths = [...state.load().records.values()].map(({ localPath }) => localPath);
  // The first sync may have changed the configuration of links, so it is read again.
  const { mode, wiki } = unwrap(readConfig(join(root, MIRROR_FOLDER))).links;
  return [
    ...(stays === null ? [] : [stays]),
    ...(stays !== null && showsPictures(plainDisk, paths) ? [PICTURE_HINT] : []),
    ...(mode === "translate" && !wiki && showsWikiLinks(plainDisk, paths) ? [WIKI_HINT] : []),
  ];
}

/**
 * Warns about a folder in the configuration that does not exist on the service. The name may be a
 * typing error, and the first upload would create the folder.
 */
async function reportMissingFolder(io: Io, { root, config: { remote }, world }: OpenedMirror): Promise<void> {
  for (const path of [remote].flat().filter((folder) => folder !== "")) {
    const answer = await world.remote.findFolder(path);
    if (!answer.ok || answer.value !== null) continue;
    io.err(
      `mdmirror: the service shows no folder ${shownName(path)}; the first upload creates it. If you meant another folder: mdmirror unlink ${quoteForShell(root)}, then init`,
    );
  }
}

export function runFirstSync(
  io: Io,
  root: string,
  keyFile: string | null,
  prefer: "local" | "remote" | "each" | null,
): Promise<ExitCode> {
  return withOpenedMirror(io, root, { mode: "write", what: "init", keyFile }, async (mirror) => {
    const startedAt = io.clock.monotonic();
    if (prefer !== null) rememberPrefer(mirror, prefer);
    await reportMissingFolder(io, mirror);
    const report = await convertLinksIfNeeded(io, mirror, await runSync(mirror, USUAL_RUN, "init", io.stoppable));
    showReport(io, report, io.clock.monotonic() - startedAt, mirror.url);
    for (const line of formatHints(mirror, formatStaysLocal(report.staysLocal))) io.out(line);
    if (report.fault !== null) return findExitOfTrouble(makeFaultTrouble(report.fault, mirror.url));
    io.out("next: edit in any editor, then run: mdmirror sync (from cron: mdmirror service print DIR --for cron)");
    return EXIT_BY_STATE[report.state];
  });
}

/** A folder to link, and the rules that exclude files: `config.gitignore` and `ignore`. */
type FirstSyncOptions = Pick<LinkRequest, "dir" | "config" | "origin" | "key"> & {
  readonly ignore: readonly string[];
  readonly yes: boolean;
};

/**
 * Shows the plan of the first sync. Proposes ignore rules for installed packages (such as
 * `node_modules`) and build output. If the user accepts the rules, plans again. Then, if necessary,
 * asks the user to agree to the plan.
 * @param proposes false if ignore rules were already proposed
 * @returns the options to which the user agreed; null if the user does not agree
 */
export async function agreeOnFirstPlan(
  io: Io,
  options: FirstSyncOptions,
  proposes = true,
): Promise<FirstSyncOptions | null> {
  const { dir, config } = options;
  const progress = showProgress(io, false);
  const { clock, random } = io;
  const agreement = await withFirstPlan({ ...options, clock, random, progress }, async (mirror, preview) => {
    progress.end();
    io.out(`the first sync of ${shownName(dir)}:`);
    for (const line of formatPlan(preview, 3).slice(0, -1)) io.out(line);
    if (preview.plan.steps.length === 0) io.out("  nothing to do: both sides are empty or equal");
    const proposal = proposes ? proposeRules(mirror, preview, random) : NO_PROPOSAL;
    const optionsWithRules = await offerRules(io, options, proposal);
    if (optionsWithRules !== null) return { wider: optionsWithRules, agreed: null };
    const linkMode = await decideLinks(mirror.world, [...preview.trees.remote.files.keys()]);
    if (linkMode === "translate") io.out(BY_ID_NOTE);
    const agreedOptions = { ...options, config: { ...config, links: { ...config.links, mode: linkMode } } };
    return {
      wider: optionsWithRules,
      agreed: (await askToLink(io, options, preview, proposal)) ? agreedOptions : null,
    };
  }).finally(progress.end);
  const { wider, agreed } = unwrap(agreement);
  return wider === null ? agreed : agreeOnFirstPlan(io, wider, false);
}

/**
 * Proposes ignore rules for installed packages and build output. Returns the options with the
 * accepted rules; null if the user accepts none.
 */
async function offerRules(
  io: Io,
  options: FirstSyncOptions,
  proposal: RulesProposal,
): Promise<FirstSyncOptions | null> {
  if (isEmpty(proposal)) return null;
  io.out("  these look like packages or build output; options that leave them out:");
  for (const line of formatProposal(proposal)) io.out(line);
  if (options.yes || !io.terminal.input) return null;
  const answer = (await io.ask("leave these out? [Y/n] "))?.trim() ?? "";
  if (!/^(y(es)?)?$/i.test(answer)) return null;
  return {
    ...options,
    config: { ...options.config, gitignore: options.config.gitignore || proposal.gitignore !== null },
    ignore: [...options.ignore, ...proposal.patterns.map(({ pattern }) => pattern)],
  };
}

const BY_ID_NOTE =
  "on the service, links are document ids; in local files they are paths, so that editors can follow them (to keep ids: mdmirror links keep)";

async function askToLink(
  io: Io,
  { dir, yes }: FirstSyncOptions,
  preview: SyncPlan,
  proposal: RulesProposal,
): Promise<boolean> {
  if (!yes && !io.terminal.input) {
    if (onlyFillsFolder(preview)) return true;
    const command = `mdmirror init ${quoteForShell(dir)} --yes with the same options`;
    return refuse(
      "this first sync would change existing documents, so it needs a confirmation, but no terminal is attached",
      isEmpty(proposal)
        ? `to do this: ${command}`
        : `to leave out packages and build outputs: ${command} and ${toProposalFlags(proposal).join(" ")}; to upload them as well, leave these options out`,
    );
  }
  const isAgreed = await askForYes(io, yes, "link the folder and sync now?");
  if (!isAgreed) io.err("mdmirror: nothing was linked, nothing was written");
  return isAgreed;
}
