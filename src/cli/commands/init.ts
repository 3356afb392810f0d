import { printNotes } from "../text.ts";
import type { Args, Command, CommandEnd, Io } from "../command.ts";
import { EXIT, EXIT_BY_STATE, type ExitCode, findExitOfTrouble, refuseUsage } from "../exit.ts";
import { ALLOW_HTTP_OPTION, askForYes, NAME_OPTION, showProgress, withOpenedMirror } from "../use-mirror.ts";
import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Config, DEFAULT_CONFIG, readConfig, writeConfig } from "../../mirror/settings/config.ts";
import { findKey, type FoundKey, storeKey } from "../../mirror/settings/key.ts";
import { refuse, TroubleError, unwrap } from "../../common/trouble.ts";
import { isSameUrl, stripSlashes, type TrustedOrigin } from "../../mirror/trust/address.ts";
import { readOwnership } from "../../mirror/trust/owner.ts";
import { requireMirrorName, workAsOwner } from "../find-mirror.ts";
import { shownName, shownWords } from "../../common/shown-words.ts";
import {
  addIgnoreLines,
  isEmpty,
  NO_PROPOSAL,
  proposeRules,
  type RulesProposal,
} from "../../mirror/settings/ignore-rules.ts";
import {
  checkFolder,
  findNearestFolder,
  linkFolder,
  type LinkRequest,
  onlyFillsFolder,
  tryKey,
  withFirstPlan,
} from "../../mirror/folder/link-folder.ts";
import { describeLinkedPart, findLineFault, parseLinkedPart } from "../../mirror/settings/settings.ts";
import { admit, readRootMarker, readUserOrigin } from "../../mirror/trust/gate.ts";
import { openToRead } from "../../mirror/folder/open-local.ts";
import { makeFaultTrouble } from "../../mirror/folder/trouble.ts";
import { bindMirror } from "../../mirror/trust/list.ts";
import { plural } from "../../common/quantities.ts";
import { quoteForShell } from "../../mirror/model/shell-word.ts";
import { IGNORE_FILE, MIRROR_FOLDER } from "../../mirror/model/mirror-folder.ts";
import type { OpenedMirror } from "../../mirror/folder/open-mirror.ts";
import { rememberPrefer, type RunReport, runSync, type SyncPlan, USUAL_RUN } from "../../mirror/folder/run.ts";
import { formatPlan, formatProposal, toProposalFlags } from "./plan.ts";
import { formatStaysLocal } from "../show-attention.ts";
import { showReport } from "../show-report.ts";
import {
  decideLinks,
  planLinkChange,
  refusesPaths,
  showsPictures,
  showsWikiLinks,
  withTranslatedLinks,
} from "../../mirror/operations/links/conversion.ts";

const PREFERRED_SIDES = ["local", "remote", "each"] as const;
const DIRECTIONS = ["both", "pull", "push"] as const;

export const command: Command = {
  about: [
    "Checks the URL and the key, shows what the first sync would do, and asks whether to go ahead. Then links DIR and syncs. Without DIR it links the current folder.",
    "A first sync deletes and overwrites nothing on either side.",
    "In a linked folder, init stores a new key, and rebuilds a lost state file from both sides.",
    "In a folder with source code, init shows which files come from packages and builds, and how to leave them out.",
  ],
  examples: [
    "mdmirror init notes --url https://files.example.com --key-file key.txt",
    "mdmirror init notes --url https://files.example.com --remote team/handbook",
  ],
  options: {
    url: { value: "URL", help: "base URL of the service (default: MDMIRROR_URL)" },
    "key-file": { value: "FILE", help: "file with the API key (default: MDMIRROR_API_KEY, then the keychain)" },
    remote: {
      value: "PATH",
      multiple: true,
      help: "link only this folder of the workspace; several: only these, each at its own path (default: all of it)",
    },
    direction: {
      value: "WAY",
      choices: DIRECTIONS,
      help: "both; pull: only download; or push: only upload (default: both; later: mdmirror config)",
    },
    prefer: {
      value: "SIDE",
      choices: PREFERRED_SIDES,
      help: "version that wins where both sides have a file: local, remote, or each to keep both (default: merge, or open a conflict)",
    },
    yes: { short: "y", help: "link without asking" },
    "no-store-key": { help: "do not store the key in .mdmirror/key; cron then needs MDMIRROR_API_KEY" },
    ...ALLOW_HTTP_OPTION,
    gitignore: { help: "also exclude the documents that .gitignore files exclude" },
    ignore: {
      value: "PATTERN",
      multiple: true,
      help: "an ignore pattern, as in .gitignore (node_modules/); mdmirror adds it to .mdmirrorignore",
    },
    ...NAME_OPTION,
    "any-folder": { help: "allow a home folder or / as DIR" },
  },
  operands: { usage: "[DIR] --url URL", least: 0, most: 1, offers: ["folder"] },
  async run(io, args) {
    for (const pattern of args.texts("ignore")) {
      const fault = findLineFault(pattern);
      if (fault !== null) return refuseUsage(`--ignore ${JSON.stringify(pattern)} ${fault}`);
    }
    const dir = resolve(io.cwd, args.operands[0] ?? ".");
    requireMirrorName(io, args.text("name"), existsSync(dir) ? realpathSync(dir) : dir);
    // Under `sudo`, the process continues as the user who called `sudo`, if that user owns the
    // folder. A folder that does not exist yet belongs to the owner of its nearest existing parent.
    const existingFolder = findNearestFolder(dir);
    if (existingFolder === dir || readOwnership(existingFolder, io.env).kind === "by-sudo")
      unwrap(workAsOwner(io, realpathSync(existingFolder)));
    const kind = unwrap(checkFolder(dir, io.env, args.flag("any-folder")));
    return kind === "linked" ? initLinkedFolder(io, dir, args) : linkNewFolder(io, args, dir, kind === "known");
  },
};

type PreferredSide = Parameters<typeof runFirstSync>[3];

function readLinkTarget(io: Io, args: Args): { readonly config: Config; readonly origin: TrustedOrigin } {
  const remote = parseLinkedPart(args.texts("remote"));
  if (remote === null) return refuseUsage("--remote must be the path of a folder of the workspace");
  const allowHttp = args.texts("allow-http");
  const origin = unwrap(
    readUserOrigin({ url: args.text("url"), env: io.env, allowHttp }) ?? refuseUsage("--url is missing"),
  );
  const { url } = origin;
  if (url !== stripSlashes(args.text("url") ?? io.env["MDMIRROR_URL"] ?? ""))
    io.err(`mdmirror: the URL is ${url}: mdmirror adds the path of each request itself`);
  const direction = (args.text("direction") ?? DEFAULT_CONFIG.direction) as Config["direction"];
  const config = { ...DEFAULT_CONFIG, url, remote, direction, allowHttp, gitignore: args.flag("gitignore") };
  return { config, origin };
}

/** @param isKnown true if this user linked the folder before, and its `.mdmirror/` still exists */
async function linkNewFolder(io: Io, args: Args, dir: string, isKnown: boolean): Promise<ExitCode> {
  const { cwd, env, random } = io;
  const target = readLinkTarget(io, args);
  const keyFile = args.text("key-file");
  // The key in an unknown `.mdmirror/` may belong to another person. With this key, the documents
  // would be uploaded to that person's workspace. So the key is read only if this user linked the
  // folder before.
  const folder = isKnown ? join(dir, MIRROR_FOLDER) : null;
  const { key, from } = unwrap(findKey({ folder, keyFile, cwd, env, origin: target.origin }));
  const options = { dir, ...target, key, ignore: args.texts("ignore"), yes: args.flag("yes") };
  const agreedPlan = await agreeOnFirstPlan(io, options);
  if (agreedPlan === null) return EXIT.usage;
  const { config, ignore } = agreedPlan;
  // A key from the keychain stays in the keychain and is not copied into the folder.
  const storedKey = args.flag("no-store-key") || from === "keychain" ? null : key;
  const linkNote = unwrap(linkFolder({ ...agreedPlan, random, env, name: args.text("name") }, storedKey));
  if (linkNote !== null) io.err(`mdmirror: ${linkNote}`);
  io.out(`linked ${shownName(dir)} to ${new URL(config.url).origin}${describeLinkedPart(config.remote)}`);
  unwrap(addIgnoreLines(realpathSync(dir), ignore));
  return runFirstSync(io, dir, keyFile, args.text("prefer") as PreferredSide);
}

/**
 * Runs `init` on a folder that is already linked: stores a new key or new ignore rules, rebuilds a
 * lost state, or repeats the first sync (`--prefer`). Never changes which service or remote folder
 * is linked.
 */
async function initLinkedFolder(io: Io, dir: string, args: Args): Promise<CommandEnd> {
  const root = realpathSync(dir);
  const folder = join(root, MIRROR_FOLDER);
  const config = unwrap(readConfig(folder));
  refuseOtherTarget(args, dir, config);
  const { env, cwd } = io;
  const keyFile = args.text("key-file");
  // ORDER: this check comes before all changes, because nothing may change if a newer mdmirror
  // wrote the state file.
  const isLost = isStateLost(io, folder);
  trustAddress(io, args, root);
  const admittedFolder = unwrap(
    admit(root, config, { mode: "write", env: { ...env, MDMIRROR_URL: "" }, cwd, keyFile }),
  );
  printNotes(io, admittedFolder.notes);
  const key = unwrap(findKey({ folder, keyFile, cwd, env, origin: admittedFolder.origin }));
  if (STORABLE_SOURCES.has(key.from) && !args.flag("no-store-key")) {
    await checkKey(io, admittedFolder.origin, key.key, config);
    storeKey(folder, key.key);
    io.out("the key was stored");
  }
  addRules(io, args, root, config);
  if (isLost)
    io.out(
      `${shownName(dir)} is linked, but its state is missing; mdmirror rebuilds it from both sides and deletes or overwrites nothing`,
    );
  // `--prefer` is the user's answer to a first sync that stopped because of too many conflicts.
  // mdmirror then repeats the first sync.
  const preferredSide = args.text("prefer") as PreferredSide;
  if (isLost || preferredSide !== null) return runFirstSync(io, root, keyFile, preferredSide);
  const linkedLine = `${shownName(dir)} is already linked to ${new URL(config.url).origin}; nothing is missing`;
  return { lines: [linkedLine, "next: mdmirror sync"] };
}

/**
 * Checks a new key before the key replaces the stored key. Throws if the service refuses the key.
 * Prints a warning if the service did not answer.
 */
async function checkKey(io: Io, origin: TrustedOrigin, key: string, config: Config): Promise<void> {
  const { clock, random } = io;
  const fault = await tryKey({ config, origin, key, clock, random });
  if (fault === null) return;
  const failure = makeFaultTrouble(fault, config.url);
  if (fault.kind === "locked-out") throw new TroubleError(failure);
  io.err(`mdmirror: the key was not checked: ${shownWords(failure.what)}`);
}

/** Adds the rules of `--gitignore` and `--ignore`. Documents that are synced already stay so. */
function addRules(io: Io, args: Args, root: string, config: Config): void {
  if (args.flag("gitignore") && !config.gitignore) {
    writeConfig(join(root, MIRROR_FOLDER), { ...config, gitignore: true });
    io.out(".gitignore files are followed; synced documents stay synced (restart a running watch)");
  }
  const addedLines = unwrap(addIgnoreLines(root, args.texts("ignore")));
  if (addedLines.length > 0) io.out(`${IGNORE_FILE} has ${plural(addedLines.length, "line")} more`);
}

/**
 * Sources from which a key is copied into the folder. A key from the keychain stays in the
 * keychain.
 */
const STORABLE_SOURCES: ReadonlySet<FoundKey["from"]> = new Set(["--key-file", "MDMIRROR_API_KEY"]);

function refuseOtherTarget(args: Args, dir: string, { url, remote, direction }: Config): void {
  const [wantedUrl, wantedRemote, wanted] = [args.text("url"), args.texts("remote"), args.text("direction")];
  const isOtherUrl = wantedUrl !== null && !isSameUrl(wantedUrl, url);
  const isOtherPart = wantedRemote.length > 0 && String(parseLinkedPart(wantedRemote)) !== String(remote);
  if (isOtherUrl || isOtherPart)
    refuse(
      `${dir} is already linked to ${new URL(url).origin}${describeLinkedPart(remote)}`,
      "choose another folder; or move .mdmirror/ out of this one to unlink it (your files stay)",
    );
  if (wanted === null || wanted === direction) return;
  const nextStep = `mdmirror config set direction ${wanted} ${quoteForShell(dir)}`;
  refuse(`${dir} is already linked, with the direction ${direction}`, nextStep);
}

function isStateLost(io: Io, folder: string): boolean {
  const { state, isNew } = unwrap(openToRead(folder, io.clock, true));
  state.close();
  return isNew;
}

/** Trusts the address in `--url` for this folder, so that the key may be sent to this address. */
function trustAddress(io: Io, args: Args, root: string): void {
  const url = args.text("url");
  const marker = readRootMarker(root);
  if (url === null || marker === null) return;
  const allowHttp = args.texts("allow-http");
  const { address } = unwrap(readUserOrigin({ url, env: io.env, allowHttp })!);
  unwrap(bindMirror(root, marker, { address, allowHttp, name: args.text("name"), env: io.env }));
}

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
  return runSync(withTranslatedLinks(mirror), USUAL_RUN, "init", io.stoppable);
}

const WIKI_HINT =
  "wiki links ([[Name]]) are not changed; to keep them intact after renames, too: mdmirror links translate --wiki";
const PICTURE_HINT =
  "documents show pictures that stay local, because only documents are synced; to list them: mdmirror links check";

function formatHints({ root, world: { state, links, disk } }: OpenedMirror, stays: string | null): string[] {
  const plainDisk = links?.disk.plain ?? disk;
  const paths = [...state.load().records.values()].map(({ localPath }) => localPath);
  // The first sync may have changed the configuration of links, so the configuration is read again.
  const { mode, wiki } = unwrap(readConfig(join(root, MIRROR_FOLDER))).links;
  return [
    ...(stays === null ? [] : [stays]),
    ...(stays !== null && showsPictures(plainDisk, paths) ? [PICTURE_HINT] : []),
    ...(mode === "translate" && !wiki && showsWikiLinks(plainDisk, paths) ? [WIKI_HINT] : []),
  ];
}

/**
 * Warns about a folder in the configuration that does not exist on the service. The folder's name
 * may be a typing error, and the first upload would create the folder.
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

function runFirstSync(
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

/** A folder to link, with the rules that exclude files: `config.gitignore` and `ignore`. */
type FirstSync = Pick<LinkRequest, "dir" | "config" | "origin" | "key"> & {
  readonly ignore: readonly string[];
  readonly yes: boolean;
};

/**
 * Shows the plan of the first sync. Proposes ignore rules for installed packages (such as
 * `node_modules`) and build output, and plans again if the user accepts the rules. Then, if
 * necessary, asks the user to agree to the plan.
 * @param proposes false if ignore rules were already proposed
 * @returns the options to which the user agreed; null if the user does not agree
 */
async function agreeOnFirstPlan(io: Io, options: FirstSync, proposes = true): Promise<FirstSync | null> {
  const { dir, config } = options;
  const progress = showProgress(io, false);
  const { clock, random } = io;
  const agreement = await withFirstPlan({ ...options, clock, random, progress }, async (mirror, preview) => {
    progress.end();
    io.out(`the first sync of ${shownName(dir)}:`);
    for (const line of formatPlan(preview, 3)) io.out(line);
    if (preview.plan.steps.length === 0) io.out("  nothing to do: both sides are empty or equal");
    const proposal = proposes ? proposeRules(mirror, preview, random) : NO_PROPOSAL;
    const optionsWithRules = await offerRules(io, options, proposal);
    if (optionsWithRules !== null) return { kind: "again", options: optionsWithRules } as const;
    const linkMode = await decideLinks(mirror.world, [...preview.trees.remote.files.keys()]);
    if (linkMode === "translate") io.out(LINKS_BY_ID_NOTE);
    const agreedOptions = { ...options, config: { ...config, links: { ...config.links, mode: linkMode } } };
    const isAgreed = await askToLink(io, options, preview, proposal);
    return { kind: "answer", options: isAgreed ? agreedOptions : null } as const;
  }).finally(progress.end);
  const planEnd = unwrap(agreement);
  return planEnd.kind === "again" ? agreeOnFirstPlan(io, planEnd.options, false) : planEnd.options;
}

/**
 * Proposes ignore rules for installed packages and build output. Returns the options with the
 * accepted rules; null if the user accepts none.
 */
async function offerRules(io: Io, options: FirstSync, proposal: RulesProposal): Promise<FirstSync | null> {
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

const LINKS_BY_ID_NOTE =
  "on the service, links are document ids; in local files they are paths, so that editors can follow them (to keep ids: mdmirror links keep)";

async function askToLink(io: Io, { dir, yes }: FirstSync, plan: SyncPlan, proposal: RulesProposal): Promise<boolean> {
  if (!yes && !io.terminal.input) {
    if (onlyFillsFolder(plan)) return true;
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
