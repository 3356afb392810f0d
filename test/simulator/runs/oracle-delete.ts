import type { DocId } from "../../../src/contract/ids.ts";
import type { DocumentRecord } from "../../../src/mirror/model/record.ts";
import type { Clock } from "../../../src/common/clock.ts";
import { ROOT } from "../mirror.ts";
import type { SimulatedMirror } from "./mirror.ts";
import { isTextOf } from "./stored-texts.ts";
import { tagOf } from "./text-marks.ts";

const SECOND_LOOK_MS = 2_000;

/** Checks the DELETE requests of one mirror by its earlier reads of the disk: I03, I04, I06. */
export class DeleteOracle {
  readonly #mirror: SimulatedMirror;
  readonly #clock: Clock;
  /** In this run, for each path: whether the last read found a file, and its time in virtual ms. */
  readonly #looks = new Map<string, { readonly found: boolean; readonly at: number }>();
  /** Times of whole scans in this run, in virtual ms. */
  readonly #scans: number[] = [];
  #watches = false;

  constructor(mirror: SimulatedMirror, clock: Clock) {
    this.#mirror = mirror;
    this.#clock = clock;
  }

  /**
   * @param watches true for a daemon, for which a local absence waits for a grace period, not for a
   * second scan
   */
  startRun(watches: boolean): void {
    this.#watches = watches;
    this.#looks.clear();
    this.#scans.length = 0;
  }

  /** Called before a call of the disk. */
  onDisk(call: string, path: string): void {
    if (call !== "lstat") return;
    this.#looks.set(path, { found: this.#mirror.disk.user.exists(path), at: this.#clock.monotonic() });
  }

  /** Called before a scan of the whole folder. */
  onScan(): void {
    this.#scans.push(this.#clock.monotonic());
  }

  /**
   * Checks a DELETE request.
   * @param shown change id in the last GET of the document in this run, if there was one
   */
  judge(id: string, shown: string | undefined, fail: (what: string) => void): void {
    const record = this.#mirror.state.record(id as DocId);
    if (shown === undefined) fail("I04 it is deleted without having been read in this run");
    else if (record === null) fail("I04 it is deleted without a link");
    else if (shown !== record.changeId)
      fail(`I06 it is deleted although ${shown} is newer than our base ${record.changeId}`);
    const at = `${ROOT}/${record?.localPath}`;
    const { user } = this.#mirror.disk;
    const look = this.#looks.get(at);
    // Only a read after the second scan is the one right before the DELETE.
    const isLookedFor = look !== undefined && !look.found && look.at >= this.#scans.at(-1)!;
    if (record !== null && this.#isBack(record, user.read(at)) && !isLookedFor)
      fail("I04 it is deleted, and nobody looked whether it is here again");
    const waited = this.#scans.at(-1)! - this.#scans[0]!;
    if (!this.#watches && waited < SECOND_LOOK_MS) fail("I04 it is deleted after one look");
    if (record !== null && !this.#mirror.state.hasText(record.digest))
      fail("I03 the text of what is deleted is not kept");
  }

  /**
   * Returns true if the content at a record's path is its document's, not that of another document
   * which was moved there. Content without a tag is the document's only if the record has the same
   * content: empty documents and damaged files have no tag.
   */
  #isBack(record: DocumentRecord, text: string | null): boolean {
    const { state } = this.#mirror;
    if (text === null) return false;
    const isOf = (one: DocumentRecord) => isTextOf(state, one.localDigest, text);
    const tag = tagOf(text);
    if (tag === null ? !isOf(record) : tag !== tagOf(state.text(record.digest) ?? "")) return false;
    return ![...state.load().records.values()].some((one) => one.id !== record.id && isOf(one));
  }
}
