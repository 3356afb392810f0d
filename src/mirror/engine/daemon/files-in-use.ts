import type { Digest } from "../../../contract/digest.ts";
import type { Block } from "../../model/record.ts";
import type { Intent } from "../../ports/state.ts";
import { isWaitOver, timeUntilSettled } from "../run/files-in-editors.ts";
import type { EditorWait, World } from "../run/world.ts";

/** Milliseconds between two checks whether a program still has a file open. */
const LOCK_CHECK_MS = 2_000;
const MIN_CHECK_MS = 100;

type SetAsideRow = Extract<Intent, { kind: "set-aside" }>;

/**
 * Decides when to check again the files that programs have open. Some of these files wait until
 * mdmirror may replace them. Others are set-aside files, to which a program may still write. Times
 * are monotonic.
 */
export class FilesInUse {
  readonly #world: World;
  readonly #handsOff: EditorWait | undefined;
  #blocks: readonly Block[] = [];
  #setAside: readonly SetAsideRow[] = [];
  /**
   * Last content of each set-aside file that caused a run. The same content causes no second run.
   */
  readonly #requestedContents = new Map<string, Digest>();
  #checkAt: number | null = null;

  constructor(world: World, handsOff: EditorWait | undefined) {
    this.#world = world;
    this.#handsOff = handsOff;
  }

  update(): void {
    const { state, disk } = this.#world;
    this.#blocks = state.blocks().filter(({ reason }) => reason === "in-use");
    this.#setAside = state
      .intents()
      .flatMap(({ intent }) =>
        intent.kind === "set-aside" && disk.isOpenElsewhere(intent.setAsideAt) ? [intent] : [],
      );
    const setAsidePaths = new Set(this.#setAside.map(({ setAsideAt }) => setAsideAt));
    for (const place of this.#requestedContents.keys())
      if (!setAsidePaths.has(place)) this.#requestedContents.delete(place);
    this.#schedule();
  }

  /** Returns the time of the next check; null if no check is needed. */
  nextAt(): number | null {
    return this.#checkAt;
  }

  /** Returns true if a file may be replaced now, or if a program wrote to a set-aside file. */
  isAnyFree(): boolean {
    if (this.#blocks.some((block) => this.#waitsMs(block) <= 0) || this.#setAside.some((one) => this.#isWritten(one))) {
      this.#checkAt = null;
      return true;
    }
    this.#schedule();
    return false;
  }

  #schedule(): void {
    const delays = this.#blocks.map((block) => Math.max(MIN_CHECK_MS, this.#waitsMs(block)));
    if (this.#setAside.length > 0) delays.push(LOCK_CHECK_MS);
    this.#checkAt = delays.length === 0 ? null : this.#world.clock.monotonic() + Math.min(...delays);
  }

  #isWritten({ setAsideAt, path, expect }: SetAsideRow): boolean {
    const readOutcome = this.#world.disk.readSetAside(setAsideAt, path);
    const digest = readOutcome.kind === "done" ? (readOutcome.value?.digest ?? expect) : expect;
    if (digest === expect || digest === this.#requestedContents.get(setAsideAt)) return false;
    this.#requestedContents.set(setAsideAt, digest);
    return true;
  }

  /** Returns the milliseconds to wait; 0 or less if the file may be replaced now. */
  #waitsMs({ path, since }: Block): number {
    const { changedMs, openIn } = this.#world.disk.useOf(path);
    if (this.#handsOff === undefined) return 0;
    if (openIn !== null) return isWaitOver(this.#world, since, this.#handsOff.openMs) ? 0 : LOCK_CHECK_MS;
    return changedMs === null ? 0 : timeUntilSettled(this.#world, this.#handsOff, changedMs);
  }
}
