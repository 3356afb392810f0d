import { ALLOW_HTTP_OPTION, NAME_OPTION } from "../use-mirror.ts";
import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Config, DEFAULT_CONFIG, readConfig, writeConfig } from "../../mirror/settings/config.ts";
import { findKey, type FoundKey, storeKey } from "../../mirror/settings/key.ts";
import { nearestFolder } from "../../mirror/folder/nearest-folder.ts";
import { ok, type Result, type Trouble } from "../../common/trouble.ts";
import type { TrustedOrigin } from "../../mirror/trust/origin.ts";
import { ownershipOf } from "../../mirror/trust/owner.ts";
import type { Args, Command, Io } from "../command.ts";
import { complain, EXIT, type ExitCode, misuse } from "../exit.ts";
import { judgeName, workAsOwner } from "../find-mirror.ts";
import { shownName, shownWords } from "../../common/shown-name.ts";
import { addIgnoreLines } from "../../mirror/settings/ignore-lines.ts";
import { judgeFolder, judgeLeftOver, linkFolder } from "../../mirror/folder/link-folder.ts";
import { lineFault, linkedPart, partClause } from "../../mirror/settings/settings.ts";
import { admit, originOfUser, markerOf } from "../../mirror/trust/gate.ts";
import { isSameUrl, withoutSlashes } from "../../mirror/trust/address.ts";
import { agreeOnFirstPlan, firstSync } from "../first-sync.ts";
import { openToRead } from "../../mirror/folder/open-state.ts";
import { faultTrouble } from "../../mirror/folder/fault-trouble.ts";
import { SILENT_LOG } from "../../mirror/folder/log.ts";
import { bindMirror } from "../../mirror/trust/bind.ts";
import { connect } from "../../mirror/trust/connect.ts";
import type { RemotePath } from "../../contract/path.ts";
import { plural } from "../../common/count.ts";
import { shellWord } from "../../mirror/model/shell-word.ts";
import { MIRROR_FOLDER } from "../../mirror/model/mirror-folder.ts";
import { IGNORE_FILE } from "../../mirror/model/rule-files.ts";

const PREFER = ["local", "remote", "each"] as const;
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
      choices: PREFER,
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
      const fault = lineFault(pattern);
      if (fault !== null) return misuse(io, "init", `--ignore ${JSON.stringify(pattern)} ${fault}`);
    }
    const dir = resolve(io.cwd, args.operands[0] ?? ".");
    const unfit = judgeName(io, "init", args.text("name"), existsSync(dir) ? realpathSync(dir) : dir);
    if (unfit !== null) return unfit;
    const { env, cwd } = io;
    const worker = workOnNew(io, dir);
    if (worker.kind === "trouble") return complain(io, worker.trouble);
    const kind = judgeFolder(dir, io, args.flag("any-folder"));
    if (kind.kind === "trouble") return complain(io, kind.trouble);
    if (kind.value === "linked") return initLinkedFolder(io, dir, args);
    const leftOver = judgeLeftOver(dir, env);
    if (leftOver.kind === "trouble") return complain(io, leftOver.trouble);
    const link = newLink(io, args);
    if (typeof link === "number") return link;
    // A key in a folder that may not be the user's may belong to somebody else. The documents would
    // then go to that person's workspace.
    const folder = leftOver.value === "known" ? join(dir, ".mdmirror") : null;
    const key = findKey({ folder, keyFile: args.text("key-file"), cwd, env, origin: link.origin });
    if (key.kind === "trouble") return complain(io, key.trouble);
    return linkNew(io, args, dir, link, key.value);
  },
};

/**
 * Under `sudo`, continues as the user who called `sudo`, on that user's folder. A new folder
 * belongs to the owner of its parent folder.
 */
function workOnNew(io: Io, dir: string): Result<string> {
  const there = nearestFolder(dir);
  return there === dir || ownershipOf(there, io.env).kind === "by-sudo"
    ? workAsOwner(io, realpathSync(there))
    : ok(dir);
}

function preferOf(args: Args): (typeof PREFER)[number] | null {
  return PREFER.find((one) => one === args.text("prefer")) ?? null;
}

type Link = { readonly config: Config; readonly origin: TrustedOrigin };

function newLink(io: Io, args: Args): Link | ExitCode {
  const remote = linkedPart(args.texts("remote"));
  if (remote === null) return misuse(io, "init", "--remote must be the path of a folder of the workspace");
  const allowHttp = args.texts("allow-http");
  const origin = originOfUser({ url: args.text("url"), env: io.env, allowHttp });
  if (origin === null) return misuse(io, "init", "--url is missing");
  if (origin.kind === "trouble") return complain(io, origin.trouble);
  const given = args.text("url") ?? io.env["MDMIRROR_URL"] ?? "";
  const { url } = origin.value;
  if (url !== withoutSlashes(given))
    io.err(`mdmirror: the URL is ${url}: mdmirror adds the path of each request itself`);
  const direction = DIRECTIONS.find((one) => one === args.text("direction")) ?? DEFAULT_CONFIG.direction;
  const config = { ...DEFAULT_CONFIG, url, remote, direction, allowHttp };
  return { config, origin: origin.value };
}

async function linkNew(io: Io, args: Args, dir: string, link: Link, found: FoundKey): Promise<ExitCode> {
  const rules = { gitignore: args.flag("gitignore"), patterns: args.texts("ignore") };
  const asked = { dir, ...link, key: found.key, yes: args.flag("yes") };
  const agreed = await agreeOnFirstPlan(io, asked, rules);
  if (typeof agreed === "number") return agreed;
  const config = { ...link.config, links: { ...link.config.links, mode: agreed.links }, gitignore: agreed.gitignore };
  // A key from the keychain is not copied into the folder.
  const stored = args.flag("no-store-key") || found.from === "keychain" ? null : found.key;
  const { env, random } = io;
  const linked = linkFolder({ dir, ...link, config, random, env, name: args.text("name") }, stored);
  if (linked.kind === "trouble") return complain(io, linked.trouble);
  if (linked.value !== null) io.err(`mdmirror: ${linked.value}`);
  io.out(`linked ${shownName(dir)} to ${new URL(config.url).origin}${partClause(config.remote)}`);
  const added = addIgnoreLines(realpathSync(dir), agreed.patterns);
  if (added.kind === "trouble") return complain(io, added.trouble);
  return firstSync(io, dir, args.text("key-file"), preferOf(args));
}

/**
 * Runs `init` on a folder that is already linked: stores a new key, or rebuilds a lost state. Never
 * links the folder to another place.
 */
async function initLinkedFolder(io: Io, dir: string, args: Args): Promise<ExitCode> {
  const root = realpathSync(dir);
  const folder = join(root, ".mdmirror");
  const config = readConfig(folder);
  if (config.kind === "trouble") return complain(io, config.trouble);
  const other = troubleOfOther(args, dir, config.value);
  if (other !== null) return complain(io, other);
  const { env, cwd } = io;
  const keyFile = args.text("key-file");
  const bound = bindAsSaid(io, args, root);
  if (bound.kind === "trouble") return complain(io, bound.trouble);
  const admitted = admit(root, config.value, { mode: "write", env: { ...env, MDMIRROR_URL: "" }, cwd, keyFile });
  if (admitted.kind === "trouble") return complain(io, admitted.trouble);
  for (const note of admitted.value.notes) io.err(`mdmirror: ${shownWords(note)}`);
  const key = findKey({ folder, keyFile, cwd, env, origin: admitted.value.origin });
  if (key.kind === "trouble") return complain(io, key.trouble);
  if (STORABLE.has(key.value.from) && !args.flag("no-store-key")) {
    const refused = await refusalOf(io, admitted.value.origin, key.value.key, config.value);
    if (refused !== null) return complain(io, refused);
    storeKey(folder, key.value.key);
    io.out("the key was stored");
  }
  const ruled = takeRules(io, args, root, config.value);
  if (ruled.kind === "trouble") return complain(io, ruled.trouble);
  const isStateLost = isLost(io, folder);
  if (isStateLost)
    io.out(
      `${shownName(dir)} is linked, but its state is missing; mdmirror rebuilds it from both sides and deletes or overwrites nothing`,
    );
  // If the first sync stopped because of too many conflicts, it continues after the user chose one
  // side.
  const prefer = preferOf(args);
  if (isStateLost || prefer !== null) return firstSync(io, root, keyFile, prefer);
  io.out(`${shownName(dir)} is already linked to ${new URL(config.value.url).origin}; nothing is missing`);
  io.out("next: mdmirror sync");
  return EXIT.inSync;
}

/**
 * Requests one folder from the service, so that a refused key does not replace a valid one. If the
 * service cannot be reached, nothing is known about the key. Returns null if the key may be stored.
 */
async function refusalOf(io: Io, origin: TrustedOrigin, key: string, { url, remote }: Config): Promise<Trouble | null> {
  const { clock, random } = io;
  const asking = connect(origin, { key, clock, random, log: SILENT_LOG, traits: null });
  try {
    const answer = await asking.findFolder(typeof remote === "string" && remote !== "" ? remote : ANY_FOLDER);
    if (answer.ok) return null;
    const told = faultTrouble(answer.fault, url);
    if (answer.fault.kind === "locked-out") return told;
    io.err(`mdmirror: the key was not checked: ${shownWords(told.what)}`);
    return null;
  } finally {
    await asking.close();
  }
}

/**
 * The request works with any name: with a valid key, the service answers that no such folder
 * exists.
 */
const ANY_FOLDER = "mdmirror" as RemotePath;

/**
 * Stores rules for files that are excluded from now on. Documents that are synced already stay
 * synced.
 */
function takeRules(io: Io, args: Args, root: string, config: Config): Result<null> {
  if (args.flag("gitignore") && !config.gitignore) {
    writeConfig(join(root, MIRROR_FOLDER), { ...config, gitignore: true });
    io.out(".gitignore files are followed; synced documents stay synced (restart a running watch)");
  }
  const added = addIgnoreLines(root, args.texts("ignore"));
  if (added.kind === "trouble") return added;
  if (added.value.length > 0) io.out(`${IGNORE_FILE} has ${plural(added.value.length, "line")} more`);
  return ok(null);
}

/** Sources of a key that is stored in the folder. A key from the keychain stays in the keychain. */
const STORABLE: ReadonlySet<FoundKey["from"]> = new Set(["--key-file", "MDMIRROR_API_KEY"]);

/** Refuses a service, a folder of the service, or a direction that differs from the linked one. */
function troubleOfOther(args: Args, dir: string, { url, remote, direction }: Config): Trouble | null {
  const [askedUrl, askedRemote, asked] = [args.text("url"), args.texts("remote"), args.text("direction")];
  const isOtherUrl = askedUrl !== null && !isSameUrl(askedUrl, url);
  const isOtherPart = askedRemote.length > 0 && String(linkedPart(askedRemote)) !== String(remote);
  if (isOtherUrl || isOtherPart)
    return {
      kind: "usage",
      what: `${dir} is already linked to ${new URL(url).origin}${partClause(remote)}`,
      next: "choose another folder; or move .mdmirror/ out of this one to unlink it (your files stay)",
    };
  if (asked === null || asked === direction) return null;
  return {
    kind: "usage",
    what: `${dir} is already linked, with the direction ${direction}`,
    next: `mdmirror config set direction ${asked} ${shellWord(dir)}`,
  };
}

/** Returns true if the state is damaged or missing. */
function isLost(io: Io, folder: string): boolean {
  const state = openToRead(folder, io.clock);
  if (state.kind === "trouble") return true;
  state.value.state.close();
  return state.value.isNew;
}

/**
 * Trusts an address that both the folder's configuration and the user name. The key may then be
 * sent to that address.
 */
function bindAsSaid(io: Io, args: Args, root: string): Result<string | null> {
  const url = args.text("url");
  const marker = markerOf(root);
  if (url === null || marker === null) return ok(null);
  const allowHttp = args.texts("allow-http");
  const origin = originOfUser({ url, env: io.env, allowHttp })!;
  if (origin.kind === "trouble") return origin;
  return bindMirror(root, marker, { address: origin.value.address, allowHttp, name: args.text("name"), env: io.env });
}
