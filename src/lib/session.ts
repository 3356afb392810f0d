import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { systemClock } from "../common/clock.ts";
import type { MirrorOptions } from "../mirror/folder/open-mirror.ts";
import { systemRandom } from "../common/random.ts";
import { refuse, unwrap } from "../common/trouble.ts";
import { SETTINGS, findValueFault } from "../mirror/settings/settings.ts";
import { examineFolder, refuseForeignFolder, readOwnership } from "../mirror/trust/owner.ts";
import { MIRROR_FOLDER } from "../mirror/model/mirror-folder.ts";
import { MdmirrorError, withLibraryErrors } from "./error.ts";
import type { OpenOptions } from "./types.ts";

/**
 * Parts of the calling program that the methods of a linked folder use, such as its environment
 * variables.
 */
export type CallEnvironment = Pick<MirrorOptions, "env" | "cwd" | "clock" | "random" | "url" | "keyFile">;

/**
 * Returns the environment for calls of the library. An option `key` becomes the environment
 * variable `MDMIRROR_API_KEY`.
 */
export function makeEnvironment({ url, key, keyFile, env = process.env }: OpenOptions): CallEnvironment {
  return {
    env: key === undefined ? env : { ...env, MDMIRROR_API_KEY: key },
    cwd: process.cwd(),
    clock: systemClock(),
    random: systemRandom(),
    url: url ?? null,
    keyFile: keyFile ?? null,
  };
}

/**
 * Throws if this user must not work in a folder. Under `sudo`, also throws if the folder belongs to
 * the user who called `sudo`. A command would continue as that user, but a library must not change
 * the user of its process.
 */
export function checkOwner(folder: string, env: CallEnvironment["env"]): void {
  const ownership = readOwnership(folder, env);
  if (ownership.kind === "foreign") unwrap(refuseForeignFolder(ownership));
  if (ownership.kind === "by-sudo") {
    const message = `${folder} belongs to user ${ownership.caller.uid}, who called sudo, and this process is root`;
    const nextStep = "run the program as that user: its files in the folder would belong to root";
    refuse(message, nextStep, "foreign-owner");
  }
  unwrap(examineFolder(folder));
}

/**
 * Throws if a program passed an unknown direction. Without this check, both sides would be synced.
 */
export function checkDirection(direction: unknown): void {
  const what = findValueFault("direction", SETTINGS.direction, direction);
  if (what !== null) refuse(what, "give one of these, or none");
}

/** Returns the real path. Throws a TroubleError with code `not-a-mirror` or `foreign-owner`. */
export function findRoot(dir: string, env: CallEnvironment["env"]): string {
  const absolutePath = resolve(dir);
  if (!existsSync(join(absolutePath, MIRROR_FOLDER))) {
    const next = "link it: linkMirror(dir, { url, key }), or mdmirror init";
    const what = `${absolutePath} is not a linked folder: it has no ${MIRROR_FOLDER}/`;
    refuse(what, next, "not-a-mirror");
  }
  checkOwner(absolutePath, env);
  return realpathSync(absolutePath);
}

/**
 * Runs the calls of one linked folder. Each call opens the folder and closes it again, so nothing
 * is kept between two calls.
 */
export class MirrorSession {
  readonly root: string;
  readonly environment: CallEnvironment;
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();

  constructor(root: string, environment: CallEnvironment) {
    this.root = root;
    this.environment = environment;
  }

  /** Runs one call. Throws if the folder was closed. An error of the call names `path`. */
  async run<T>(path: string, work: () => T | Promise<T>): Promise<T> {
    if (this.closing.aborted) {
      const errorFacts = {
        kind: "closed",
        code: "closed",
        path: this.root,
        next: "open it again: openMirror",
      } as const;
      throw new MdmirrorError({ ...errorFacts, message: "the linked folder is closed" });
    }
    const runningCall = withLibraryErrors(path, () => {
      // The owner of the folder may have changed since the last call.
      checkOwner(this.root, this.environment.env);
      return work();
    });
    this.#underWay.add(runningCall);
    try {
      return await runningCall;
    } finally {
      this.#underWay.delete(runningCall);
    }
  }

  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Closes the folder. Refuses all later calls, and resolves when no call is active. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#underWay);
  }
}
