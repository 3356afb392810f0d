import { digestOf } from "../../../contract/digest.ts";
import { toOriginalName, TEMPORARY_MARK } from "../../model/local-name.ts";
import { cutToBytes } from "../../../contract/path.ts";
import type { FolderRow, PlanRow, Place } from "../match/row.ts";
import type { SideState } from "./side-state.ts";

/**
 * LIMIT: number of bytes of the original name in a temporary name, so that every disk and service
 * accepts the temporary name.
 */
const KEPT_BYTES = 100;

/**
 * Returns a name that is legal on the service and free in these folders. The name is derived from
 * the original name, even if the row now has the temporary name of an interrupted plan.
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

/** A PATCH of a move. It changes either the name or the parent folder, never both. */
export type MovePatch = { readonly to: Place; readonly how: "rename" | "reparent"; readonly temporary: boolean };

/**
 * Lists the PATCHes of a move. If name and folder change, two PATCHes are needed, in the order
 * whose intermediate path is free. If neither intermediate path is free, a temporary name is used
 * between the two.
 * @param onlyTemporary true if the move only breaks a circle of moves
 */
export function listMovePatches(to: Place, row: PlanRow, state: SideState, onlyTemporary: boolean): MovePatch[] {
  const from = state.placeOf(row)!;
  if (from.parent === to.parent) return from.name === to.name ? [] : [{ to, how: "rename", temporary: onlyTemporary }];
  if (from.name === to.name) return [{ to, how: "reparent", temporary: onlyTemporary }];
  const renamedPlace = { parent: from.parent, name: to.name };
  if (state.isFree(renamedPlace, row))
    return [
      { to: renamedPlace, how: "rename", temporary: false },
      { to, how: "reparent", temporary: onlyTemporary },
    ];
  const reparentedPlace = { parent: to.parent, name: from.name };
  if (state.isFree(reparentedPlace, row))
    return [
      { to: reparentedPlace, how: "reparent", temporary: false },
      { to, how: "rename", temporary: onlyTemporary },
    ];
  const name = chooseTemporaryName(row, state, [from.parent, to.parent]);
  return [
    { to: { parent: from.parent, name }, how: "rename", temporary: true },
    { to: { parent: to.parent, name }, how: "reparent", temporary: true },
    { to, how: "rename", temporary: onlyTemporary },
  ];
}
