import type { DocId } from "../../../contract/ids.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { Intent } from "../../ports/state.ts";
import type { StateChange } from "./commit.ts";
import { DONE, got, outcomeOfDisk } from "./effect.ts";
import type { LocalEffect } from "./run-effect.ts";
import { mayPutBack, putBack, readSetAside } from "./set-aside.ts";
import { leaveOpen } from "./unsettled.ts";

export type Removal = {
  readonly id: DocId;
  readonly path: LocalPath;
  readonly expect: Digest;
  /** Destination of the file, below `.mdmirror/`. */
  readonly place: string;
  /** Returns the change of the state for the moment when the file is in the trash. */
  readonly change: () => StateChange;
};

type Row = Extract<Intent, { kind: "trash" }>;

/**
 * Moves a file to the trash. After a crash before the state is changed, recovery puts the file
 * back, and the next plan decides again.
 */
export const trashFile: LocalEffect<Removal, Row, Removal, StateChange> = {
  prepare(_, removal) {
    const { id, path, place: setAsideAt } = removal;
    return got({ row: { kind: "trash", id, path, setAsideAt }, beside: removal });
  },

  perform(ctx, { path, setAsideAt }, { expect, change }) {
    const end = ctx.world.disk.trash(path, expect, setAsideAt);
    if (end.kind === "done") return { kind: "seen", seen: change() };
    // Left open only if a file is still set aside: recovery restores it.
    return { kind: end.isSetAside ? "open" : "over", outcome: outcomeOfDisk(end) };
  },

  observe(ctx, row) {
    const found = readSetAside(ctx, row);
    if ("why" in found) return leaveOpen(found.why);
    return mayPutBack(found.aside, found.look)
      ? putBack(ctx, row, "mdmirror was interrupted while it removed the file; it restored the file")
      : { kind: "over", outcome: DONE };
  },

  conclude(_ctx, _row, change) {
    return { outcome: DONE, change };
  },
};
