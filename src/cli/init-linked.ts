import { realpathSync } from "node:fs";
import { join } from "node:path";
import { type Config, readConfig, writeConfig } from "../mirror/settings/config.ts";
import { linkedPart, partClause } from "../mirror/settings/settings.ts";
import { findKey, type FoundKey, storeKey } from "../mirror/settings/key.ts";
import { openToRead } from "../mirror/folder/open-state.ts";
import { addIgnoreLines } from "../mirror/settings/ignore-lines.ts";
import { faultTrouble } from "../mirror/folder/fault-trouble.ts";
import { SILENT_LOG } from "../mirror/folder/log.ts";
import { ok, type Result, type Trouble } from "../common/trouble.ts";
import { isSameUrl } from "../mirror/trust/address.ts";
import { bindMirror, markerOf } from "../mirror/trust/bind.ts";
import { connect } from "../mirror/trust/connect.ts";
import { admit, originOfUser } from "../mirror/trust/gate.ts";
import type { TrustedOrigin } from "../mirror/trust/origin.ts";
import type { RemotePath } from "../contract/path.ts";
import type { Args, Io } from "./command.ts";
import { complain, EXIT, type ExitCode } from "./exit.ts";
import { firstSync } from "./first-sync.ts";
import { plural } from "../common/count.ts";
import { shellWord } from "../mirror/model/shell-word.ts";
import { MIRROR_FOLDER } from "../mirror/model/mirror-folder.ts";
import { IGNORE_FILE } from "../mirror/model/rule-files.ts";
import { shownName, shownWords } from "../common/shown-name.ts";

/**
 * Runs `init` on a folder that is already linked: stores a new key, or rebuilds a lost state. Never
 * links the folder to another place.
 */
export async function initLinkedFolder(io: Io, dir: string, args: Args): Promise<ExitCode> {
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
  const prefer = args.text("prefer") as Prefer | null;
  if (isLost(io, folder)) {
    io.out(
      `${shownName(dir)} is linked, but its state is missing; mdmirror rebuilds it from both sides and deletes or overwrites nothing`,
    );
    return firstSync(io, root, keyFile, prefer);
  }
  // If the first sync stopped because of too many conflicts, it continues after the user chose one
  // side.
  if (prefer !== null) return firstSync(io, root, keyFile, prefer);
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

/** Sources of a key that is stored; a key from the keychain stays there. */
const STORABLE: ReadonlySet<FoundKey["from"]> = new Set(["--key-file", "MDMIRROR_API_KEY"]);

type Prefer = "local" | "remote" | "each";

/** Refuses another service, another folder of it, or another direction than the linked one. */
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
 * Trusts an address that both the folder's configuration and the user name, so that the key may be
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
