import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Config, DEFAULT_CONFIG } from "../mirror/settings/config.ts";
import { readRemote } from "../mirror/settings/settings.ts";
import { findKey } from "../mirror/settings/key.ts";
import { checkFolder, linkFolder, findNearestFolder, withFirstPlan } from "../mirror/folder/link-folder.ts";
import { refuse, unwrap } from "../common/trouble.ts";
import { readUserOrigin } from "../mirror/trust/gate.ts";
import type { TrustedOrigin } from "../mirror/trust/address.ts";
import { readOwnership } from "../mirror/trust/owner.ts";
import { MIRROR_FOLDER } from "../mirror/model/mirror-folder.ts";
import { type CallEnvironment, checkDirection, checkOwner, makeEnvironment } from "./mirror.ts";
import type { LinkOptions } from "./types.ts";

/**
 * Links a folder as `mdmirror init` does. First lists the documents of the service. Returns the
 * real path of the folder.
 */
export async function linkToWorkspace(requestedDir: string, options: LinkOptions): Promise<string> {
  const dir = resolve(requestedDir);
  const environment = makeEnvironment(options);
  const { env, cwd } = environment;
  const folderKind = checkLinkFolder(dir, env);
  const { config, origin } = readTarget(options, env);
  // The key in an unknown `.mdmirror/` may belong to another person. So the key is read only if
  // this user linked the folder before.
  const folder = folderKind === "known" ? join(dir, MIRROR_FOLDER) : null;
  const { key, from } = unwrap(findKey({ folder, keyFile: options.keyFile ?? null, cwd, env, origin }));
  const { clock, random } = environment;
  // Only the errors of planning matter: the service does not answer, or another linked folder is
  // inside this folder. The plan itself is not used.
  unwrap(await withFirstPlan({ dir, config, origin, key, clock, random }, async () => null));
  // A key from the keychain stays only in the keychain, and is not copied into the folder.
  const storedKey = options.storeKey === false || from === "keychain" ? null : key;
  unwrap(linkFolder({ dir, config, origin, random, env, name: null }, storedKey));
  return realpathSync(dir);
}

function checkLinkFolder(dir: string, env: CallEnvironment["env"]): "known" | "fresh" {
  const existingFolder = findNearestFolder(dir);
  if (existingFolder === dir || readOwnership(existingFolder, env).kind === "by-sudo")
    checkOwner(realpathSync(existingFolder), env);
  const kind = unwrap(checkFolder(dir, env, false));
  return kind === "linked" ? refuse(`${dir} is linked already`, "open it: openMirror(dir)", "linked-already") : kind;
}

function readTarget(
  { url, remote = "", direction = "both", allowHttp = [] }: LinkOptions,
  env: CallEnvironment["env"],
): { readonly config: Config; readonly origin: TrustedOrigin } {
  const linkedFolders = readRemote(remote);
  if (linkedFolders === null)
    return refuse(`${JSON.stringify(remote)} is not the path of a folder of a workspace`, "give such a path as remote");
  checkDirection(direction);
  // `readUserOrigin` returns null only without a URL.
  const origin = unwrap(readUserOrigin({ url, env, allowHttp })!);
  return { config: { ...DEFAULT_CONFIG, url: origin.url, remote: linkedFolders, direction, allowHttp }, origin };
}
