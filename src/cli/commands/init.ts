import { ALLOW_HTTP_OPTION, NAME_OPTION } from "../use-mirror.ts";
import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Config, DEFAULT_CONFIG } from "../../mirror/settings/config.ts";
import { findKey, type FoundKey } from "../../mirror/settings/key.ts";
import { nearestFolder } from "../../mirror/folder/nearest-folder.ts";
import { ok, type Result } from "../../common/trouble.ts";
import type { TrustedOrigin } from "../../mirror/trust/origin.ts";
import { ownershipOf } from "../../mirror/trust/owner.ts";
import type { Args, Command, Io } from "../command.ts";
import { complain, type ExitCode, misuse } from "../exit.ts";
import { judgeName, workAsOwner } from "../find-mirror.ts";
import { shownName } from "../../common/shown-name.ts";
import { addIgnoreLines, lineFault } from "../../mirror/settings/ignore-lines.ts";
import { judgeFolder, judgeLeftOver, linkFolder } from "../../mirror/folder/link-folder.ts";
import { initLinkedFolder } from "../init-linked.ts";
import { linkedPart, partClause } from "../../mirror/settings/settings.ts";
import { originOfUser } from "../../mirror/trust/gate.ts";
import { withoutSlashes } from "../../mirror/trust/address.ts";
import { agreeOnFirstPlan, firstSync } from "../first-sync.ts";

const PREFER = ["local", "remote", "each"] as const;
type Prefer = (typeof PREFER)[number];
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
    const prefer = args.text("prefer");
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
    if (kind.value === "linked") {
      return initLinkedFolder(io, dir, args);
    }
    const leftOver = judgeLeftOver(dir, env);
    if (leftOver.kind === "trouble") return complain(io, leftOver.trouble);
    const link = await newLink(io, args);
    if (typeof link === "number") return link;
    // A key in a folder that may not be the user's may belong to somebody else. The documents would
    // then go to that person's workspace.
    const folder = leftOver.value === "known" ? join(dir, ".mdmirror") : null;
    const key = findKey({ folder, keyFile: args.text("key-file"), cwd, env, origin: link.origin });
    if (key.kind === "trouble") return complain(io, key.trouble);
    return linkNew(io, args, dir, link, key.value, prefer as Prefer | null);
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

type Link = { readonly config: Config; readonly origin: TrustedOrigin };

async function newLink(io: Io, args: Args): Promise<Link | ExitCode> {
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

async function linkNew(
  io: Io,
  args: Args,
  dir: string,
  link: Link,
  found: FoundKey,
  prefer: Prefer | null,
): Promise<ExitCode> {
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
  return firstSync(io, dir, args.text("key-file"), prefer);
}
