import { type DirId, type DocId, isChangeId, isDocId } from "../../../src/contract/ids.ts";
import type { EventHint, EventListener, RemoteEvents } from "../../../src/mirror/ports/remote.ts";
import type { Dice } from "../dice.ts";
import type { LiveFile } from "./world.ts";

/**
 * Events of a service that reports changes badly: events are lost, late, doubled, out of order, or
 * about unknown documents. The connection breaks and returns.
 */
export class ReportedEvents implements RemoteEvents {
  readonly #dice: Dice;
  #listener: EventListener | null = null;
  #late: EventHint[] = [];

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  start(listener: EventListener): void {
    this.#listener = listener;
    this.#connect();
  }

  async close(): Promise<void> {
    this.#listener = null;
  }

  /** Reports the differences between two lists of the service's documents. */
  reportChanges(before: readonly LiveFile[], after: readonly LiveFile[]): void {
    const honest = hintsOf(before, after);
    const reported = [...this.#late.splice(0), ...honest.flatMap((hint) => this.#bend(hint))];
    if (this.#dice.below(2) === 0) reported.reverse();
    if (this.#dice.below(12) === 0) this.#reconnect();
    for (const hint of reported) this.#listener?.onHint(hint);
  }

  #bend(hint: EventHint): readonly EventHint[] {
    switch (this.#dice.below(10)) {
      case 0:
      case 1:
        return [];
      case 2:
        return [hint, hint];
      case 3:
        this.#late.push(hint);
        return [];
      case 4:
        return [hint, { kind: "folder", id: "dir_00000000000000" as DirId }];
      case 5:
        return hint.kind === "file" ? [{ ...hint, gone: !hint.gone }, lieAt(hint.path)] : [hint];
      case 6:
        return hint.kind === "file" ? [{ ...hint, path: "work/elsewhere.md" }] : [hint];
      default:
        return [hint];
    }
  }

  #reconnect(): void {
    this.#listener?.onState({ kind: "broken", why: "cut off" });
    this.#connect();
  }

  #connect(): void {
    this.#listener?.onState({ kind: "listening" });
    this.#listener?.onHint({ kind: "all" });
  }
}

/** Returns an event about a document that does not exist, at the path of an existing one. */
function lieAt(path: string | null): EventHint {
  return { kind: "file", id: "doc_00000000000000" as DocId, path, changeId: null, gone: false };
}

function hintsOf(before: readonly LiveFile[], after: readonly LiveFile[]): EventHint[] {
  const was = new Map(before.map((file) => [file.id as string, file]));
  const is = new Map(after.map((file) => [file.id as string, file]));
  const hints: EventHint[] = [];
  for (const { id, path, changeId } of after) {
    const old = was.get(id);
    if (old?.changeId === changeId && old.path === path) continue;
    hints.push(fileHint(id, path, changeId, false));
  }
  for (const { id } of before) if (!is.has(id)) hints.push(fileHint(id, null, null, true));
  return hints;
}

function fileHint(id: string, path: string | null, changeId: string | null, gone: boolean): EventHint {
  if (!isDocId(id)) throw new Error(`no id of a document: ${id}`);
  return { kind: "file", id, path, changeId: isChangeId(changeId) ? changeId : null, gone };
}
