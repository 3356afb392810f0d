import type { DocId } from "../../../contract/ids.ts";
import type { Action, Step } from "../../model/action.ts";
import {
  type ActionPaths,
  type ConflictCopyPlace,
  findPathOfRow,
  type PlanDraft,
  type Proposal,
} from "../decide/plan-draft.ts";
import { isTemporaryName, makeTheirsCopyPath, TEMPORARY_MARK, toOriginalName } from "../../model/names.ts";
import type { RemoteFile } from "../../model/tree.ts";
import { type DocumentRow, type FolderRow, type Place, type PlanRow, type Side, SIDES } from "../match/row.ts";
import { cutToBytes, joinPath } from "../../../contract/path.ts";
import { SideState } from "./side-state.ts";
import { digestOf } from "../../../contract/digest.ts";

/**
 * Change of a row's place on one side. `freed`: key of the slot that became free; null if no slot
 * did.
 */
export type RowChange = {
  readonly side: Side;
  readonly row: PlanRow;
  readonly from: Place | null;
  readonly to: Place | null;
  readonly freed: string | null;
};

/**
 * The ordered steps so far. A new step gets the paths that are valid at its position, and comes
 * after these steps:
 * - the previous step on its document or folder
 * - the steps that created or moved the folders in its paths
 * - the step that freed its path
 * - if it moves or removes a folder: the steps that used the folder's old path
 */
export class StepLayout {
  readonly sides: Readonly<Record<Side, SideState>>;
  readonly steps: Step[] = [];
  readonly #draft: PlanDraft;
  readonly #onRowChange: (shift: RowChange) => void;
  /** Last step that created, moved or removed each document or folder, by side. */
  readonly #placed = { local: new Map<PlanRow, number>(), remote: new Map<PlanRow, number>() };
  readonly #first = new Map<PlanRow, number[]>();

  constructor(
    draft: PlanDraft,
    moving: Readonly<Record<Side, ReadonlySet<FolderRow>>>,
    onRowChange: (shift: RowChange) => void,
  ) {
    const { occupancy } = draft;
    this.#draft = draft;
    this.#onRowChange = onRowChange;
    this.sides = {
      local: new SideState("local", occupancy, moving.local),
      remote: new SideState("remote", occupancy, moving.remote),
    };
  }

  layFirst(row: PlanRow, proposal: Proposal): void {
    const step = this.#emit(proposal.make(this.#at(row)), new Set());
    this.#first.set(row, [...(this.#first.get(row) ?? []), step]);
  }

  layNote(row: PlanRow, proposal: Proposal): void {
    this.#emit(proposal.make(this.#at(row)), this.#firsts(row));
  }

  #emit(action: Action, after: Set<number>): number {
    const step = this.steps.length;
    after.delete(step);
    const prerequisites = [...after].sort((a, b) => a - b);
    const previous = this.steps.at(-1)?.after ?? [];
    // The documents of one folder share their list, because a first sync has very many steps.
    const isSame = prerequisites.length === previous.length && prerequisites.every((one, n) => one === previous[n]);
    this.steps.push({ action, after: isSame ? previous : prerequisites });
    return step;
  }

  #firsts(row: PlanRow): Set<number> {
    return new Set(this.#first.get(row));
  }

  #place(side: Side, row: PlanRow): Place | null {
    return this.sides[side].placeOf(row) ?? row[side].goal;
  }

  #path(side: Side, row: PlanRow): string {
    const place = this.#place(side, row);
    return place === null ? "" : this.sides[side].pathOf(place);
  }

  #at(row: PlanRow): ActionPaths {
    const listedPath = row.kind === "document" && row.remote.seen.kind === "present" ? row.remote.seen.file.path : "";
    // If both paths are equal, one string serves both, because paths take most of the memory of a
    // large plan.
    const [local, remote] = [this.#path("local", row), this.#path("remote", row)];
    return {
      local: local === listedPath ? listedPath : local,
      remote: remote === listedPath ? listedPath : remote,
    };
  }

  #dependencies(row: PlanRow, sides: readonly Side[]): Set<number> {
    const prerequisites = this.#firsts(row);
    for (const side of sides) {
      const place = this.#place(side, row);
      if (place !== null) this.sides[side].addPrerequisites(place, prerequisites);
      const ownStep = this.#placed[side].get(row);
      if (ownStep !== undefined) prerequisites.add(ownStep);
    }
    return prerequisites;
  }

  #use(row: PlanRow, sides: readonly Side[], step: number): void {
    for (const side of sides) {
      const place = this.#place(side, row);
      if (place !== null) this.sides[side].use(place, step);
      if (row.kind === "folder") this.sides[side].use({ parent: row, name: "" }, step);
    }
  }

  layText(row: PlanRow, proposal: Proposal, kind: "content" | "record"): void {
    const action = proposal.make(this.#at(row));
    const sides: readonly Side[] = kind === "record" || action.kind === "meet" ? ["local", "remote"] : ["local"];
    this.#use(row, sides, this.#emit(action, this.#dependencies(row, sides)));
  }

  layCopies(row: DocumentRow): void {
    const place = this.#place("local", row);
    if (place === null || row.id === null) return;
    for (const copy of this.#draft.copies.get(row) ?? []) this.#layCopy(row, row.id, place, copy);
  }

  #layCopy(row: DocumentRow, id: DocId, { parent, name }: Place, { nth, recorded, place }: ConflictCopyPlace): void {
    const state = this.sides.local;
    const copyName = makeTheirsCopyPath(name, nth, this.#draft.trees.local.disk.maxNameBytes);
    const [from, to] = [state.pathOf(place), state.pathOf({ parent, name: copyName })];
    const currentPath = joinPath(place.parent.localPath ?? "", place.name);
    if (from === to && (recorded === null || recorded === currentPath)) return;
    const prerequisites = this.#dependencies(row, ["local"]);
    state.addPrerequisites(place, prerequisites);
    const step = this.#emit(
      { kind: "move-conflict-copy", why: "moved to its document", id, nth, from, to },
      prerequisites,
    );
    this.#use(row, ["local"], step);
    state.use(place, step);
  }

  layArrival(row: PlanRow, side: Side, proposal: Proposal | null): void {
    const plannedPlace = row[side].goal!;
    const state = this.sides[side];
    if (proposal === null) {
      // A folder without a proposed action is created together with a document in it, and needs no
      // step of its own.
      state.move(row, plannedPlace, null);
      this.#onRowChange({ side, row, from: null, to: plannedPlace, freed: null });
      return;
    }
    const prerequisites = this.#dependencies(row, ["local", "remote"]);
    const freeingStep = state.freedBy(plannedPlace);
    if (freeingStep !== undefined) prerequisites.add(freeingStep);
    const step = this.#emit(proposal.make(this.#at(row)), prerequisites);
    this.#changePlace(side, row, plannedPlace, step);
    this.#use(row, ["local", "remote"], step);
  }

  layWithoutRow({ id, path, changeId }: RemoteFile, place: Place): void {
    const prerequisites = new Set<number>();
    for (const side of SIDES) this.sides[side].addPrerequisites(place, prerequisites);
    const [local, remote] = SIDES.map((side) => this.sides[side].pathOf(place));
    const [localPath, remotePath] = [local === path ? path : local!, remote === path ? path : remote!];
    const reasonClause = "new on the service";
    const step = this.#emit(
      { kind: "create-local", why: reasonClause, id, localPath, remotePath, changeId },
      prerequisites,
    );
    for (const side of SIDES) this.sides[side].use(place, step);
  }

  /**
   * Adds the step that removes a document or folder from a side.
   * @param claimants documents and folders whose local steps must come before that step
   */
  layLeave(row: PlanRow, side: Side, proposal: Proposal, claimants: readonly PlanRow[]): void {
    const state = this.sides[side];
    const fromPlace = state.placeOf(row);
    const prerequisites = this.#dependencies(row, [side]);
    for (const claimant of claimants) {
      const claimantStep = this.#placed.local.get(claimant);
      if (claimantStep !== undefined) prerequisites.add(claimantStep);
    }
    if (row.kind === "folder") for (const step of state.usesOf(row)) prerequisites.add(step);
    const step = this.#emit(proposal.make(this.#at(row)), prerequisites);
    this.#changePlace(side, row, null, step);
    if (fromPlace !== null) state.use(fromPlace, step);
  }

  /**
   * Adds the steps of a move: one for the disk, or one for each PATCH to the service.
   * @param temporary true if the move only breaks a circle of moves, and a later step makes the
   * planned move
   */
  layMove(row: PlanRow, side: Side, to: Place, temporary: boolean): void {
    const patches: MovePatch[] =
      side === "local" ? [{ to, how: "rename", temporary }] : listMovePatches(to, row, this.sides.remote, temporary);
    for (const patch of patches) this.#layHop(row, side, patch);
  }

  #layHop(row: PlanRow, side: Side, hop: MovePatch): void {
    const state = this.sides[side];
    const fromPlace = state.placeOf(row)!;
    const prerequisites = this.#dependencies(row, [side]);
    // The local file must not move before the service has accepted its move. If the service
    // refuses, the file stays where the user put it.
    const remoteStep = this.#placed.remote.get(row);
    if (remoteStep !== undefined) prerequisites.add(remoteStep);
    state.addPrerequisites(hop.to, prerequisites);
    const freeingStep = state.freedBy(hop.to);
    if (freeingStep !== undefined) prerequisites.add(freeingStep);
    if (row.kind === "folder") for (const step of state.usesOf(row)) prerequisites.add(step);
    const paths = { from: state.pathOf(fromPlace), to: state.pathOf(hop.to) };
    const reasonClause = isTemporaryName(fromPlace.name) ? "left at a temporary name" : "moved";
    const step = this.#emit(
      makeMoveAction(row, side, hop, paths, this.#draft.moveReasons.get(row) ?? reasonClause),
      prerequisites,
    );
    this.#changePlace(side, row, hop.to, step);
    state.use(fromPlace, step);
    state.use(hop.to, step);
  }

  #changePlace(side: Side, row: PlanRow, to: Place | null, step: number): void {
    const fromPlace = this.sides[side].placeOf(row);
    const freedSlotKey = this.sides[side].move(row, to, step);
    this.#placed[side].set(row, step);
    this.#onRowChange({ side, row, from: fromPlace, to, freed: freedSlotKey });
  }
}

function makeMoveAction(
  row: PlanRow,
  side: Side,
  hop: MovePatch,
  paths: { from: string; to: string },
  why: string,
): Action {
  const { temporary } = hop;
  if (row.kind === "document") {
    const move = { why, id: row.id!, ...paths, temporary };
    if (side === "local") return { kind: "move-local", ...move };
    const localPath = findPathOfRow(row);
    return { kind: hop.how === "rename" ? "rename-remote" : "reparent-remote", ...move, lastLocalPath: localPath };
  }
  const move = { why, dirId: row.dirId!, ...paths, temporary };
  if (side === "local") return { kind: "move-folder-local", ...move };
  const kind = hop.how === "rename" ? "rename-folder-remote" : "reparent-folder-remote";
  return { kind, ...move, lastLocalPath: row.localPath ?? paths.from };
}

/**
 * LIMIT: number of bytes of the original name in a temporary name, so that every disk and service
 * accepts the temporary name.
 */
const KEPT_BYTES = 100;

/**
 * Returns a name that is legal on the service and free in these folders. The name is derived from
 * the original name, even if the row has the temporary name of an interrupted plan.
 */
export function chooseTemporaryName(row: PlanRow, state: SideState, folders: readonly FolderRow[]): string {
  const { name } = state.placeOf(row)!;
  const ending = row.kind === "document" ? ".md" : "";
  const originalName = toOriginalName(name);
  const originalStem = originalName.slice(0, originalName.length - ending.length).toWellFormed();
  const stem = cutToBytes(originalStem.replaceAll("\ufffd", "-"), KEPT_BYTES);
  const identity = (row.kind === "document" ? row.id : row.dirId) ?? name;
  for (let assignment = 0; ; assignment++) {
    const candidate = `${stem}${TEMPORARY_MARK}${digestOf(`${identity} ${assignment}`).slice(0, 8)}${ending}`;
    if (candidate !== name && folders.every((parent) => state.isFree({ parent, name: candidate }, row)))
      return candidate;
  }
}

/** A PATCH of a move, which changes either the name or the parent folder, never both. */
type MovePatch = { readonly to: Place; readonly how: "rename" | "reparent"; readonly temporary: boolean };

/**
 * Lists the PATCHes of a move. If name and folder change, two PATCHes are needed, in the order with
 * a free intermediate path. If neither intermediate path is free, the move uses a temporary name in
 * between.
 * @param onlyTemporary true if the move only breaks a circle of moves
 */
function listMovePatches(to: Place, row: PlanRow, state: SideState, onlyTemporary: boolean): MovePatch[] {
  const fromPlace = state.placeOf(row)!;
  if (fromPlace.parent === to.parent)
    return fromPlace.name === to.name ? [] : [{ to, how: "rename", temporary: onlyTemporary }];
  if (fromPlace.name === to.name) return [{ to, how: "reparent", temporary: onlyTemporary }];
  const renamedPlace = { parent: fromPlace.parent, name: to.name };
  if (state.isFree(renamedPlace, row))
    return [
      { to: renamedPlace, how: "rename", temporary: false },
      { to, how: "reparent", temporary: onlyTemporary },
    ];
  const reparentedPlace = { parent: to.parent, name: fromPlace.name };
  if (state.isFree(reparentedPlace, row))
    return [
      { to: reparentedPlace, how: "reparent", temporary: false },
      { to, how: "rename", temporary: onlyTemporary },
    ];
  const name = chooseTemporaryName(row, state, [fromPlace.parent, to.parent]);
  return [
    { to: { parent: fromPlace.parent, name }, how: "rename", temporary: true },
    { to: { parent: to.parent, name }, how: "reparent", temporary: true },
    { to, how: "rename", temporary: onlyTemporary },
  ];
}
