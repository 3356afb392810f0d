import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { systemClock } from "../common/system-clock.ts";
import type { MirrorOptions } from "../mirror/folder/open-mirror.ts";
import { systemRandom } from "../common/system-random.ts";
import { refuse, unwrap } from "../common/trouble.ts";
import { SETTINGS, valueFault } from "../mirror/settings/settings.ts";
import { examineFolder, foreignTrouble, ownershipOf } from "../mirror/trust/owner.ts";
import { MIRROR_FOLDER } from "../mirror/model/mirror-folder.ts";
import { MdmirrorError } from "./error.ts";
import { withLibraryErrors } from "./with-errors.ts";
import type { OpenOptions } from "./types.ts";

/** The caller's environment, which all calls of one linked folder share. */
export type Environment = Pick<MirrorOptions, "env" | "cwd" | "clock" | "random" | "url" | "keyFile">;

/** Returns the environment in which a program's call runs, with the caller's key. */
export function environmentOf({ url, key, keyFile, env = process.env }: OpenOptions): Environment {
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
 * Checks that this user may work on a folder. Under `sudo`, a command becomes the user who called
 * `sudo`; a library does not change its process, and refuses the folder instead.
 */
export function checkOwner(folder: string, env: Environment["env"]): void {
  const ownership = ownershipOf(folder, env);
  if (ownership.kind === "foreign") unwrap(foreignTrouble(ownership));
  if (ownership.kind === "by-sudo") {
    const what = `${folder} belongs to user ${ownership.caller.uid}, who called sudo, and this process is root`;
    const next = "run the program as that user: its files in the folder would belong to root";
    refuse(what, next, "foreign-owner");
  }
  unwrap(examineFolder(folder));
}

/**
 * Checks a direction from a program. An unknown direction would otherwise sync in both directions.
 */
export function checkDirection(direction: unknown): void {
  const what = valueFault("direction", SETTINGS.direction, direction);
  if (what !== null) refuse(what, "give one of these, or none");
}

/** Finds the linked folder at the path that the caller passed. */
export function findRoot(dir: string, env: Environment["env"]): string {
  const whole = resolve(dir);
  if (!existsSync(join(whole, MIRROR_FOLDER))) {
    const next = "link it: linkMirror(dir, { url, key }), or mdmirror init";
    const what = `${whole} is not a linked folder: it has no ${MIRROR_FOLDER}/`;
    refuse(what, next, "not-a-mirror");
  }
  checkOwner(whole, env);
  return realpathSync(whole);
}

/**
 * Opens the linked folder for each call, as a command does, and keeps nothing between two calls.
 */
export class Session {
  readonly root: string;
  readonly environment: Environment;
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();

  constructor(root: string, environment: Environment) {
    this.root = root;
    this.environment = environment;
  }

  /**
   * Runs one call.
   * @param path file or folder that an error would concern
   */
  async run<T>(path: string, work: () => T | Promise<T>): Promise<T> {
    if (this.closing.aborted) {
      const facts = { kind: "closed", code: "closed", path: this.root, next: "open it again: openMirror" } as const;
      throw new MdmirrorError({ ...facts, message: "the linked folder is closed" });
    }
    const running = withLibraryErrors(path, () => {
      // Checked for each call, because the owner of the folder may change between two calls.
      checkOwner(this.root, this.environment.env);
      return work();
    });
    this.#underWay.add(running);
    try {
      return await running;
    } finally {
      this.#underWay.delete(running);
    }
  }

  /** Signal that `close` aborts. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Closes the folder: resolves when no call is active; later calls are refused. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#underWay);
  }
}
