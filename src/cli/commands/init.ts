import { printNotes } from "../text.ts";
import { EXIT, type ExitCode, refuseUsage } from "../exit.ts";
import { ALLOW_HTTP_OPTION, NAME_OPTION } from "../use-mirror.ts";
import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Config, DEFAULT_CONFIG, readConfig, writeConfig } from "../../mirror/settings/config.ts";
import { findKey, type FoundKey, storeKey } from "../../mirror/settings/key.ts";
import { refuse, TroubleError, unwrap } from "../../common/trouble.ts";
import type { TrustedOrigin } from "../../mirror/trust/origin.ts";
import { readOwnership } from "../../mirror/trust/owner.ts";
import type { Args, Command, Io } from "../command.ts";
import { requireMirrorName, workAsOwner } from "../find-mirror.ts";
import { shownName, shownWords } from "../../common/shown-name.ts";
import { addIgnoreLines } from "../../mirror/settings/ignore-lines.ts";
import { checkFolder, linkFolder, findNearestFolder, tryKey } from "../../mirror/folder/link-folder.ts";
import { findLineFault, parseLinkedPart, describeLinkedPart } from "../../mirror/settings/settings.ts";
import { admit, readUserOrigin, readRootMarker } from "../../mirror/trust/gate.ts";
import { isSameUrl, stripSlashes } from "../../mirror/trust/address.ts";
import { agreeOnFirstPlan, runFirstSync } from "../first-sync.ts";
import { openToRead } from "../../mirror/folder/open-state.ts";
import { makeFaultTrouble } from "../../mirror/folder/fault-trouble.ts";
import { bindMirror } from "../../mirror/trust/list.ts";
import { plural } from "../../common/count.ts";
import { quoteForShell } from "../../mirror/model/shell-word.ts";
import { IGNORE_FILE, MIRROR_FOLDER } from "../../mirror/model/mirror-folder.ts";

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
  async run(io, args): Promise<ExitCode> {
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
    return kind === "linked" ? initLinkedFolder(io, dir, args) : linkNew(io, args, dir, kind === "known");
  },
};

type PreferredSide = Parameters<typeof runFirstSync>[3];

function readTarget(io: Io, args: Args): { readonly config: Config; readonly origin: TrustedOrigin } {
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
async function linkNew(io: Io, args: Args, dir: string, isKnown: boolean): Promise<ExitCode> {
  const { cwd, env, random } = io;
  const target = readTarget(io, args);
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
 * lost state, or repeats the first sync (`--prefer`). Never changes the linked service or remote
 * folder.
 */
async function initLinkedFolder(io: Io, dir: string, args: Args): Promise<ExitCode> {
  const root = realpathSync(dir);
  const folder = join(root, MIRROR_FOLDER);
  const config = unwrap(readConfig(folder));
  refuseOtherTarget(args, dir, config);
  const { env, cwd } = io;
  const keyFile = args.text("key-file");
  // ORDER: first, because nothing is changed if a newer mdmirror wrote the state file.
  const isLost = isStateLost(io, folder);
  trustAddress(io, args, root);
  const admittedOrigin = unwrap(
    admit(root, config, { mode: "write", env: { ...env, MDMIRROR_URL: "" }, cwd, keyFile }),
  );
  printNotes(io, admittedOrigin.notes);
  const key = unwrap(findKey({ folder, keyFile, cwd, env, origin: admittedOrigin.origin }));
  if (STORABLE_SOURCES.has(key.from) && !args.flag("no-store-key")) {
    await checkKey(io, admittedOrigin.origin, key.key, config);
    storeKey(folder, key.key);
    io.out("the key was stored");
  }
  addRules(io, args, root, config);
  if (isLost)
    io.out(
      `${shownName(dir)} is linked, but its state is missing; mdmirror rebuilds it from both sides and deletes or overwrites nothing`,
    );
  // `--prefer` is the user's answer to a first sync that stopped because of too many conflicts. The
  // first sync then runs again.
  const preferredSide = args.text("prefer") as PreferredSide;
  if (isLost || preferredSide !== null) return runFirstSync(io, root, keyFile, preferredSide);
  io.out(`${shownName(dir)} is already linked to ${new URL(config.url).origin}; nothing is missing`);
  io.out("next: mdmirror sync");
  return EXIT.inSync;
}

/**
 * Checks a new key before it replaces the stored one. Throws if the service refuses the key; prints
 * a warning if the key could not be checked, because the service did not answer.
 */
async function checkKey(io: Io, origin: TrustedOrigin, key: string, config: Config): Promise<void> {
  const { clock, random } = io;
  const fault = await tryKey({ config, origin, key, clock, random });
  if (fault === null) return;
  const failure = makeFaultTrouble(fault, config.url);
  if (fault.kind === "locked-out") throw new TroubleError(failure);
  io.err(`mdmirror: the key was not checked: ${shownWords(failure.what)}`);
}

/**
 * Adds the rules of `--gitignore` and `--ignore`. Documents that are already synced stay synced.
 */
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

/** Trusts the address of `--url` for this folder. The key may then be sent to this address. */
function trustAddress(io: Io, args: Args, root: string): void {
  const url = args.text("url");
  const marker = readRootMarker(root);
  if (url === null || marker === null) return;
  const allowHttp = args.texts("allow-http");
  const { address } = unwrap(readUserOrigin({ url, env: io.env, allowHttp })!);
  unwrap(bindMirror(root, marker, { address, allowHttp, name: args.text("name"), env: io.env }));
}
