import { EventEmitter } from "node:events";
import { dirname } from "node:path";
import { acquireLock } from "../state/lock.ts";
import { ageText } from "../../common/age.ts";
import { errnoClause, ok, type Result, type Trouble, trouble } from "../../common/trouble.ts";
import { placeOf } from "../trust/gate.ts";
import { listOwnMirrors } from "../trust/list.ts";
import { retryMsAfter } from "./answer.ts";
import { type DaemonsOptions, openDaemonFolder, notifySystemd } from "./daemon.ts";
import type { DaemonFolder } from "./daemon-folder.ts";
import { makeFolders } from "../../common/make-folders.ts";

/**
 * One process that keeps every linked folder of this user in sync, by the present list. A folder
 * that fails is tried again and ends no other.
 */

/** Milliseconds between two checks of the list and its folders: a disk may have been mounted. */
const CHECK_MS = 2_000;

/**
 * Resolves when `stop` is aborted and all active work has ended.
 * @returns trouble of kind `locked` if another process does the same
 */
export async function syncAllMirrors(given: DaemonsOptions, stop: AbortSignal): Promise<Result<null>> {
  const place = placeOf(given.env);
  if (place.kind === "trouble") return place;
  const lock = lockList(dirname(place.value), given);
  if (lock.kind === "trouble") return lock;
  // Each folder, and each of its runs, waits for the end.
  EventEmitter.setMaxListeners(0, stop);
  const all = new AllMirrors(given, stop);
  const systemd = notifySystemd(given, () => all.folders(), stop);
  try {
    await all.keep((count) => systemd.ready(count));
    return ok(null);
  } finally {
    systemd.end();
    lock.value();
  }
}

/** If the list cannot be written, there is no common lock; each folder has its own. */
function lockList(folder: string, { clock, onNote }: DaemonsOptions): Result<() => void> {
  try {
    makeFolders(folder, 0o700);
    const lock = acquireLock(folder, { since: clock.now(), what: "watch" });
    if (lock.kind === "locked") return ok(() => lock.release());
    const { holder } = lock;
    const who = holder === null ? "" : ` (process ${holder.pid}, for ${ageText(clock.now() - holder.since)})`;
    return trouble(
      "locked",
      `another mdmirror watch --all already syncs your linked folders${who}`,
      "mdmirror status --all shows what it does; one such process is enough",
    );
  } catch (error) {
    onNote(`${folder} cannot be written, so mdmirror cannot prevent a second watch --all: ${errnoClause(error)}`);
    return ok(() => undefined);
  }
}

type Kept = { readonly stop: AbortController; readonly ended: Promise<void>; folder: DaemonFolder | null };

class AllMirrors {
  readonly #options: DaemonsOptions;
  readonly #stop: AbortSignal;
  readonly #kept = new Map<string, Kept>();
  readonly #told = new Set<string>();

  constructor(options: DaemonsOptions, stop: AbortSignal) {
    this.#options = options;
    this.#stop = stop;
  }

  folders(): DaemonFolder[] {
    return [...this.#kept.values()].flatMap(({ folder }) => (folder === null ? [] : [folder]));
  }

  /** @param onReady called once, when the folders of the first check have been started */
  async keep(onReady: (count: number) => void): Promise<void> {
    let absent: ReadonlySet<string> | null = null;
    while (!this.#stop.aborted) {
      const isFirst = absent === null;
      absent = this.#follow(absent);
      if (isFirst) onReady(this.#kept.size);
      await this.#options.clock.sleep(CHECK_MS, this.#stop);
    }
    await Promise.all([...this.#kept.values()].map(({ ended }) => ended));
  }

  /**
   * Starts new folders of the list and ends removed ones.
   * @param before folders that were absent at the last check: `init` lists a folder before it
   * exists. Null at the first check
   * @returns the absent folders
   */
  #follow(before: ReadonlySet<string> | null): ReadonlySet<string> {
    const listed = listOwnMirrors(this.#options.env);
    const { mirrors, unfit } = listed.kind === "ok" ? listed.value : { mirrors: [], unfit: [listed.trouble.what] };
    for (const why of unfit) this.#note(`${why}; its folder is not synced; mdmirror trust allows it again`);
    const roots = new Set(mirrors.map(({ root }) => root));
    // A list that cannot be trusted for now does not prove that a folder was unlinked.
    if (unfit.length === 0) for (const [root, { stop }] of this.#kept) if (!roots.has(root)) stop.abort();
    const fresh = mirrors.filter(({ root }) => !this.#kept.has(root));
    for (const { root } of fresh.filter(({ place }) => place === "present")) this.#begin(root);
    const absent = fresh.filter(({ place }) => place !== "present");
    for (const { root, name } of absent.filter((one) => before?.has(one.root) !== false))
      this.#note(`${root}, your linked folder "${name}", does not exist; mdmirror syncs it as soon as it does`);
    if (mirrors.length + unfit.length === 0)
      this.#note("no folder is linked yet; mdmirror syncs each folder as soon as mdmirror init links it");
    return new Set(absent.map(({ root }) => root));
  }

  /** Reports each message once. */
  #note(text: string): void {
    if (this.#told.has(text)) return;
    this.#told.add(text);
    this.#options.onNote(text);
  }

  #begin(root: string): void {
    const stop = new AbortController();
    const ending = AbortSignal.any([stop.signal, this.#stop]);
    EventEmitter.setMaxListeners(0, ending);
    const kept: Kept = {
      stop,
      folder: null,
      ended: Promise.resolve()
        .then(() => this.#keepOne(root, kept, ending))
        .finally(() => this.#kept.delete(root)),
    };
    this.#kept.set(root, kept);
  }

  /** Runs until the end, or until no linked folder is at this path any more. */
  async #keepOne(root: string, kept: Kept, ending: AbortSignal): Promise<void> {
    const { clock, onEvent } = this.#options;
    for (let failures = 0; !ending.aborted; failures++) {
      const broken = await this.#openAndRun(root, kept, ending);
      if (broken === null) return;
      const retryMs = retryMsAfter(failures);
      onEvent(root, { kind: "broken", at: clock.now(), trouble: broken, retryMs }, null);
      await clock.sleep(retryMs, ending);
    }
  }

  /** Returns null if it ended as intended. */
  async #openAndRun(root: string, kept: Kept, ending: AbortSignal): Promise<Trouble | null> {
    try {
      const opened = await openDaemonFolder(root, this.#options);
      if (opened.kind === "trouble") return opened.trouble;
      kept.folder = opened.value;
      const end = await opened.value.run(ending);
      return end.kind === "trouble" ? end.trouble : null;
    } catch (error) {
      // An error of the system or a bug, which concerns this folder alone.
      const what = `${root} cannot be synced: ${errnoClause(error)}`;
      return {
        kind: "fault",
        what,
        next: "nothing is lost: mdmirror tries again by itself; details: mdmirror doctor",
      };
    } finally {
      kept.folder = null;
    }
  }
}
