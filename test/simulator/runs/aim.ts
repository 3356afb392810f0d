import type { WireRequest } from "../../../src/contract/wire.ts";
import { rollDice } from "../dice.ts";
import { actInApp } from "./app-acts.ts";
import type { Actors } from "./actors.ts";
import type { Ledger } from "./ledger.ts";
import { isDocumentPath } from "./user-folder.ts";
import { actInFolder } from "./local-acts.ts";
import { ROOT } from "../mirror.ts";
import type { SyncStep } from "./script.ts";

/** LIMIT: interventions in one sync; with more, no sync would end. */
const MOST = 4;
const SAVES = ["write-in-place", "save-by-rename", "save-with-backup", "write-in-place", "rename"] as const;
const SET_ASIDE = `${ROOT}/.mdmirror/tmp/`;

/**
 * Lets users act on the document that a mirror is about to change, at the call that changes it.
 * Content is lost between the scan of a document and the effect on it, and interventions at random
 * calls hardly ever hit that moment.
 */
export class Aim {
  readonly #actors: Actors;
  readonly #step: SyncStep;
  readonly #ledger: Ledger;
  readonly #odds: number | null;
  readonly #dice;
  #done = 0;
  /** Calls until an editor that keeps a file open writes into it. */
  #late: { calls: number; readonly write: () => void } | null = null;

  constructor(actors: Actors, step: SyncStep, ledger: Ledger) {
    this.#actors = actors;
    this.#step = step;
    this.#ledger = ledger;
    this.#odds = step.aim ?? null;
    this.#dice = rollDice(step.seed + 9);
  }

  #meets(odds: number): boolean {
    if (this.#odds === null || this.#done >= MOST || this.#dice.below(Math.ceil(odds)) > 0) return false;
    this.#done++;
    this.#actors.tally.interventions++;
    return true;
  }

  /** Called before each port call. */
  onCall(): void {
    if (this.#late === null || --this.#late.calls > 0) return;
    const { write } = this.#late;
    this.#late = null;
    this.#ledger.intervened(write);
  }

  /** Called before a call of the disk. */
  onDisk(call: string, path: string, to: string | null): void {
    const { setup } = this.#actors.mirrors[this.#step.mirror]!;
    // RACE: without hard links, a save between the last check and the rename is overwritten, so no
    // user acts then.
    if (this.#odds === null || setup.disk.hardLinks === false || this.#step.trouble === "unmounted") return;
    const rare = call === "lstat" ? this.#odds : this.#odds / 4;
    if (call === "lstat" || call === "readFile" || call === "rename") this.#at(path, to, rare);
    if (to !== null && (call === "link" || call === "rename")) this.#newcomer(to, rare);
  }

  #at(path: string, to: string | null, odds: number): void {
    const { userFolder } = this.#actors.mirrors[this.#step.mirror]!;
    const own = ownPath(path);
    if (own === null) return;
    const removed = userFolder.removed.get(own);
    if (!userFolder.user.exists(path)) {
      if (removed === undefined || !this.#meets(odds / 8)) return;
      // Restores a file from the desktop's own trash.
      userFolder.removed.delete(own);
      const folder = path.slice(0, path.lastIndexOf("/"));
      if (userFolder.user.exists(folder)) this.#act(`${own} comes back`, () => userFolder.user.write(path, removed));
      return;
    }
    const isSettingAside = to?.startsWith(SET_ASIDE) === true;
    if (isSettingAside && userFolder.half === null && this.#meets(odds / 2)) this.keepOpen(path);
    else if (this.#meets(odds))
      this.#act("aimed", () =>
        actInFolder(userFolder, this.#actors.history, this.#dice.pick(SAVES), this.#seed(), own),
      );
  }

  /**
   * Opens a file that is being set aside, like an editor. It saves into the file some calls later.
   */
  keepOpen(path: string): void {
    const { userFolder } = this.#actors.mirrors[this.#step.mirror]!;
    const { history } = this.#actors;
    const text = userFolder.user.read(path);
    if (text === null || !text.includes("tag ")) return;
    const handle = userFolder.user.open(path);
    const isGone = this.#ledger.watchRemoval(userFolder.user.inode(path));
    const seed = this.#seed();
    this.#late = {
      // RACE: content that is written after the second check of the set-aside file, in the next
      // cycle, is lost.
      calls: 2 + this.#dice.below(2),
      write: () => {
        if (isGone()) return;
        const next = history.edit(text, seed, `mirror ${userFolder.mirror}`);
        history.editedHere(userFolder.mirror, text);
        // Another program of this user may have written into the file meanwhile; that content is
        // replaced too.
        for (const overwritten of [text, handle.read()]) history.replaced(overwritten, next);
        handle.write(next);
        history.note(`${path} is written late`);
      },
    };
  }

  #newcomer(to: string, odds: number): void {
    const { userFolder, state } = this.#actors.mirrors[this.#step.mirror]!;
    const own = ownPath(to);
    if (own === null || userFolder.user.exists(to) || !this.#meets(odds * 2)) return;
    // The path is free only during a replacement and still belongs to its document. A file that
    // comes to the path would be an edit of that document.
    if ([...state.load().records.values()].some(({ localPath }) => localPath === own)) return;
    // The same if base has not recorded yet that the document was moved to this path.
    if (state.intents().some(({ intent }) => intent.kind === "replace" && intent.path === own)) return;
    this.#act(`a newcomer at ${to}`, () => userFolder.user.write(to, this.#actors.history.newText(this.#seed())));
  }

  /** Lets the web app's user edit a document just before a request about it is executed. */
  onRequest({ method, path }: WireRequest): void {
    const id = /^\/v1\/files\/([^/?]+)/.exec(path)?.[1];
    // RACE: the API has no conditional DELETE.
    if (this.#odds === null || id === undefined || method === "DELETE" || !this.#meets(this.#odds / 3)) return;
    const { simulatedWorld, history } = this.#actors;
    history.note(actInApp(simulatedWorld, history, this.#dice.below(4) === 0 ? "rename" : "edit", this.#seed(), id));
    this.#actors.noteIds();
  }

  #act(when: string, act: () => unknown): void {
    this.#ledger.intervened(() => this.#actors.history.note(`${when}: ${String(act())}`));
    this.#actors.noteIds();
  }

  #seed(): number {
    return this.#dice.below(1_000_000);
  }
}

export function ownPath(path: string): string | null {
  const own = path.startsWith(`${ROOT}/`) ? path.slice(ROOT.length + 1) : "";
  return isDocumentPath(own) && !own.startsWith(".") && !own.startsWith("linked/") ? own : null;
}
