import { realpathSync } from "node:fs";
import { join } from "node:path";
import { cleanPrefix, readConfig } from "../app/config.ts";
import { findKey, storeKey } from "../app/config/key.ts";
import { isSameUrl } from "../app/open-mirror.ts";
import { openToRead } from "../app/open-state.ts";
import type { Args, Io } from "./command.ts";
import { complain } from "./complain.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { firstSync } from "./first-sync.ts";

/** `init` on a folder that is linked: it never links it elsewhere; it takes a new key, and builds a lost state anew. */
export async function initAgain(io: Io, dir: string, args: Args): Promise<ExitCode> {
  const root = realpathSync(dir);
  const folder = join(root, ".mdmirror");
  const config = readConfig(folder);
  if (config.kind === "trouble") return complain(io, config.trouble);
  const { url, remote } = config.value;
  const otherUrl = args.text("url") !== null && !isSameUrl(args.text("url")!, url);
  const otherRemote = args.text("remote") !== null && cleanPrefix(args.text("remote")!) !== remote;
  if (otherUrl || otherRemote) {
    const what = `${dir} is linked already, to ${new URL(url).origin}${remote === "" ? "" : `, folder ${remote}`}`;
    return complain(io, {
      kind: "usage",
      what,
      next: "choose another folder; or move .mdmirror/ out of this one to unlink it (your files stay)",
    });
  }
  const { env, cwd } = io;
  const key = findKey({ folder, keyFile: args.text("key-file"), cwd, env, url });
  if (key.kind === "trouble") return complain(io, key.trouble);
  if (key.value.from !== "stored" && key.value.from !== "keychain" && !args.flag("no-store-key")) {
    storeKey(folder, key.value.key);
    io.out("the key was stored");
  }
  const state = openToRead(folder, io.clock);
  const lost = state.kind === "trouble" || state.value.isNew;
  if (state.kind === "ok") state.value.state.close();
  const prefer = (args.text("prefer") as "local" | "remote" | "each" | null) ?? null;
  // The way out of a first sync that a flood of conflicts halted: one side wins.
  if (!lost && prefer !== null) return firstSync(io, root, args.text("key-file"), prefer);
  if (!lost) {
    io.out(`${dir} is linked already, to ${new URL(url).origin}; its state is there`);
    io.out("next: mdmirror sync");
    return EXIT.inSync;
  }
  io.out(
    `${dir} is linked, but its state is not there; it is built anew from both sides, deleting and overwriting nothing`,
  );
  return firstSync(
    io,
    root,
    args.text("key-file"),
    (args.text("prefer") as "local" | "remote" | "each" | null) ?? null,
  );
}
