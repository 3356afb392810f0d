import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { type Config, DEFAULT_CONFIG } from "../mirror/settings/config.ts";
import { readRemote } from "../mirror/settings/settings.ts";
import { findKey } from "../mirror/settings/key.ts";
import {
  judgeFolder,
  judgeLeftOver,
  linkFolder,
  type LinkRequest,
  mirrorsInside,
  openUnlinked,
} from "../mirror/folder/link-folder.ts";
import { nearestFolder } from "../mirror/folder/nearest-folder.ts";
import { ok, type Result, trouble } from "../common/trouble.ts";
import { originOfUser } from "../mirror/trust/gate.ts";
import type { TrustedOrigin } from "../mirror/trust/origin.ts";
import { ownershipOf } from "../mirror/trust/owner.ts";
import { MIRROR_FOLDER } from "../mirror/model/mirror-folder.ts";
import { checkDirection, ownFolder, type Environment, environmentOf } from "./session.ts";
import type { LinkOptions } from "./types.ts";

/** Links a folder as `init` does, after the service has answered with a list of documents. */
export async function link(given: string, options: LinkOptions): Promise<Result<string>> {
  const dir = resolve(given);
  const world = environmentOf(options);
  const { env, cwd } = world;
  const judged = judgePlace(dir, env);
  if (judged.kind === "trouble") return judged;
  const leftOver = judgeLeftOver(dir, env);
  if (leftOver.kind === "trouble") return leftOver;
  const target = targetOf(options, env);
  if (target.kind === "trouble") return target;
  const { config, origin } = target.value;
  // A key in a folder that may not be the user's may belong to somebody else.
  const folder = leftOver.value === "known" ? join(dir, MIRROR_FOLDER) : null;
  const found = findKey({ folder, keyFile: options.keyFile ?? null, cwd, env, origin });
  if (found.kind === "trouble") return found;
  const { key, from } = found.value;
  const { clock, random } = world;
  const looked = await lookFirst({ dir, config, origin, key, clock, random, progress: { report: () => undefined } });
  if (looked.kind === "trouble") return looked;
  // A key from the keychain stays there.
  const stored = options.storeKey === false || from === "keychain" ? null : key;
  const linked = linkFolder({ dir, config, origin, random, env, name: null }, stored);
  return linked.kind === "trouble" ? linked : ok(realpathSync(dir));
}

function judgePlace(dir: string, env: Environment["env"]): Result<null> {
  const there = nearestFolder(dir);
  if (there === dir || ownershipOf(there, env).kind === "by-sudo") {
    const own = ownFolder(realpathSync(there), env);
    if (own.kind === "trouble") return own;
  }
  const kind = judgeFolder(dir, { home: env["HOME"] ?? homedir(), env }, false);
  if (kind.kind === "trouble") return kind;
  if (kind.value === "new") return ok(null);
  return trouble("usage", `${dir} is linked already`, "open it: openMirror(dir)", { code: "linked-already" });
}

function targetOf(
  { url, remote = "", direction = "both", allowHttp = [] }: LinkOptions,
  env: Environment["env"],
): Result<{ readonly config: Config; readonly origin: TrustedOrigin }> {
  const part = readRemote(remote);
  if (part === null)
    return trouble(
      "usage",
      `${JSON.stringify(remote)} is not the path of a folder of a workspace`,
      "give such a path as remote",
    );
  const checked = checkDirection(direction);
  if (checked.kind === "trouble") return checked;
  // The URL is always given, so the result is an origin, or the reason why the URL cannot be used.
  const origin = originOfUser({ url, env, allowHttp })!;
  if (origin.kind === "trouble") return origin;
  return ok({
    config: { ...DEFAULT_CONFIG, url: origin.value.url, remote: part, direction, allowHttp },
    origin: origin.value,
  });
}

/**
 * Checks before linking: the service must answer, and no other linked folder may be inside the
 * folder.
 */
async function lookFirst(request: LinkRequest): Promise<Result<null>> {
  const { previewSync, USUAL_RUN } = await import("../mirror/folder/run.ts");
  const { faultTrouble, INIT_AGAIN } = await import("../mirror/folder/fault-trouble.ts");
  const mirror = openUnlinked(request);
  if (mirror.kind === "trouble") return mirror;
  try {
    const preview = await previewSync(mirror.value, USUAL_RUN);
    if (preview.kind === "offline")
      return { kind: "trouble", trouble: faultTrouble(preview.fault, request.config.url, INIT_AGAIN) };
    const [inside] = mirrorsInside(preview);
    if (inside === undefined) return ok(null);
    const what = `${inside} in this folder is a linked folder of its own; its files would be synced twice`;
    return trouble("usage", what, "move it out, or choose another folder");
  } finally {
    await mirror.value.close();
  }
}
