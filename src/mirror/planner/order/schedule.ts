import type { Step } from "../../model/action.ts";
import { listPathClaimants } from "../decide/absence.ts";
import { blockRow, type PlanDraft } from "../decide/plan-draft.ts";
import { type FolderRow, otherSide, type PlanRow, isSamePlace, type Side, SIDES } from "../match/row.ts";
import { chooseTemporaryName, type RowChange, StepLayout } from "./layout.ts";
import { listOperations, type PlanOperation, precedesArrivals } from "./operation.ts";

/**
 * Puts the operations of a plan in order. An operation waits while its path is taken, its folder is
 * missing, or a folder to remove is not empty. If all operations wait for each other, one document
 * or folder moves to a temporary name.
 *
 * Each step lists the steps that must come before it. Every order that respects these dependencies
 * leads to equal trees (I15).
 */
export function orderSteps(draft: PlanDraft): Step[] {
  return new StepSchedule(draft).run();
}

type MoveOperation = PlanOperation & { readonly kind: "move" };

class StepSchedule {
  readonly #draft: PlanDraft;
  readonly #layout: StepLayout;
  readonly #operations: PlanOperation[];
  readonly #waiting = new WaitingList();
  readonly #ready: PlanOperation[] = [];
  readonly #openOperations = new Map<PlanRow, number>();
  /** Number of documents and folders that still have to leave each folder, by side. */
  readonly #leaving = { local: new Map<FolderRow, number>(), remote: new Map<FolderRow, number>() };

  constructor(draft: PlanDraft) {
    this.#draft = draft;
    this.#operations = listOperations(draft);
    const movingFolders = { local: new Set<FolderRow>(), remote: new Set<FolderRow>() };
    for (const operation of this.#operations) {
      const { row } = operation;
      if (operation.kind !== "move" && operation.kind !== "leave" && operation.kind !== "arrive") continue;
      this.#openOperations.set(row, (this.#openOperations.get(row) ?? 0) + 1);
      if (operation.kind === "arrive") continue;
      if (row.kind === "folder") movingFolders[operation.side].add(row);
      const parent = row[operation.side].now?.parent;
      if (parent !== undefined) this.#count(operation.side, parent, 1);
    }
    this.#layout = new StepLayout(draft, movingFolders, (shift) => this.#note(shift));
  }

  run(): Step[] {
    this.#attemptAll(this.#operations.filter(precedesArrivals));
    this.#layArrivals();
    this.#attemptAll(this.#operations.filter((operation) => !precedesArrivals(operation)));
    while (this.#waiting.size > 0 && this.#breakCircle()) this.#drain();
    for (const operation of this.#waiting.operations())
      blockRow(this.#draft, operation.row, "path-taken", "waits for a step at its path or inside it");
    return this.#layout.steps;
  }

  #attemptAll(operations: readonly PlanOperation[]): void {
    for (const operation of operations) {
      this.#attempt(operation);
      this.#drain();
    }
  }

  /**
   * Adds steps for new documents that are only created locally. If a document's folder does not
   * exist at this point, the next round of planning decides about the document.
   */
  #layArrivals(): void {
    const { arrivals, toInclude } = this.#draft;
    for (const file of arrivals.all) {
      const place = arrivals.placeOf(file);
      if (this.#layout.sides.local.exists(place.parent)) this.#layout.layWithoutRow(file, place);
      else toInclude.add(file.id);
    }
  }

  #drain(): void {
    for (let nextIndex = 0; nextIndex < this.#ready.length; nextIndex++) this.#attempt(this.#ready[nextIndex]!);
    this.#ready.length = 0;
  }

  #attempt(operation: PlanOperation): void {
    const awaitedEvent = this.#need(operation);
    if (awaitedEvent === null) {
      this.#waiting.remove(operation);
      this.#perform(operation);
      return;
    }
    this.#waiting.add(operation, awaitedEvent);
  }

  #wake(...eventParts: (string | number)[]): void {
    // Without waiting operations, nobody needs the key of the event.
    if (this.#waiting.isEmpty) return;
    this.#ready.push(...this.#waiting.take(eventParts.join(" ")));
  }

  /** Returns the key of the event for which an operation waits; null if the operation is ready. */
  #need(operation: PlanOperation): string | null {
    const { row } = operation;
    switch (operation.kind) {
      case "before":
      case "note":
        return null;
      case "content":
      case "conflict-copy":
        return this.#needOfRow(row, "local");
      case "record":
        return this.#needOfRecord(row);
      case "leave":
        return this.#needOfLeave(row, operation.side);
      case "arrive":
        return this.#needOfRow(row, otherSide(operation.side)) ?? this.#needOfGoal(row, operation.side);
      case "move":
        return this.#needOfGoal(row, operation.side);
    }
  }

  #needOfRow(row: PlanRow, side: Side): string | null {
    return this.#isOpen(row, side) ? `placed ${row.key}` : null;
  }

  /**
   * Returns the key of the event for which a removal waits; null if the removal is ready. A folder
   * must be empty before its removal. A deletion on the service also waits for local steps that may
   * put another file at the deleted document's local path.
   */
  #needOfLeave(row: PlanRow, side: Side): string | null {
    if (row.kind === "folder" && (this.#leaving[side].get(row) ?? 0) > 0) return `empty ${side} ${row.key}`;
    const claimant = this.#claimantsOf(row, side).find((claimant) => this.#isOpen(claimant, "local"));
    return claimant === undefined ? null : `placed ${claimant.key}`;
  }

  #claimantsOf(row: PlanRow, side: Side): readonly PlanRow[] {
    return side === "remote" ? listPathClaimants(this.#draft, row) : [];
  }

  /**
   * Returns the key of the event for which a record waits; null if the record is ready. Base may
   * record a path only after all folders above have reached their planned places, because each of
   * their moves may fail.
   */
  #needOfRecord(row: PlanRow): string | null {
    if ((this.#openOperations.get(row) ?? 0) > 0) return `placed ${row.key}`;
    for (const side of SIDES)
      for (let ancestor = row[side].goal?.parent; ancestor !== undefined; ancestor = ancestor[side].goal?.parent)
        if ((this.#openOperations.get(ancestor) ?? 0) > 0) return `placed ${ancestor.key}`;
    return null;
  }

  #isOpen(row: PlanRow, side: Side): boolean {
    if ((this.#openOperations.get(row) ?? 0) === 0) return false;
    const goal = row[side].goal;
    return goal !== null && !isSamePlace(this.#layout.sides[side].placeOf(row), goal);
  }

  /**
   * Returns the key of the event for which a move or creation waits; null if it is ready. Either
   * the parent folder must exist, or the path must become free.
   */
  #needOfGoal(row: PlanRow, side: Side): string | null {
    const plannedPlace = row[side].goal!;
    const state = this.#layout.sides[side];
    for (
      let ancestor: FolderRow | undefined = plannedPlace.parent;
      ancestor !== undefined;
      ancestor = state.placeOf(ancestor)?.parent
    ) {
      // A folder cannot move into a folder inside itself, so it waits until the inner folder has
      // moved out.
      if (ancestor === row) return `moved ${side} ${this.#lowestOpen(side, plannedPlace.parent, row).key}`;
      if (state.placeOf(ancestor) === null && !state.exists(ancestor)) return `moved ${side} ${ancestor.key}`;
    }
    return state.isFree(plannedPlace, row) ? null : `slot ${side} ${state.key(plannedPlace)}`;
  }

  #lowestOpen(side: Side, from: FolderRow, until: PlanRow): FolderRow {
    const state = this.#layout.sides[side];
    for (let at: FolderRow | undefined = from; at !== undefined && at !== until; at = state.placeOf(at)?.parent)
      if (this.#isOpen(at, side)) return at;
    return from;
  }

  #perform(operation: PlanOperation): void {
    const { row } = operation;
    switch (operation.kind) {
      case "before":
        this.#layout.layFirst(row, operation.proposal);
        return;
      case "note":
        this.#layout.layNote(row, operation.proposal);
        return;
      case "content":
      case "record":
        this.#layout.layText(operation.row, operation.proposal, operation.kind);
        return;
      case "conflict-copy":
        this.#layout.layCopies(operation.row);
        return;
      case "arrive":
        this.#layout.layArrival(row, operation.side, operation.proposal);
        break;
      case "leave":
        this.#layout.layLeave(row, operation.side, operation.proposal, this.#claimantsOf(row, operation.side));
        break;
      case "move":
        this.#layout.layMove(row, operation.side, row[operation.side].goal!, false);
        break;
    }
    this.#openOperations.set(row, (this.#openOperations.get(row) ?? 1) - 1);
    this.#wake("placed", row.key);
  }

  #note({ side, row, from, to, freed }: RowChange): void {
    if (from !== null && from.parent !== to?.parent) {
      this.#count(side, from.parent, -1);
      // A document that is in this folder only for a while must leave the folder again.
      const goal = row[side].goal;
      if (to !== null && (goal === null || to.parent !== goal.parent)) this.#count(side, to.parent, 1);
    }
    if (freed !== null) this.#wake("slot", side, freed);
    if (row.kind === "folder") this.#wake("moved", side, row.key);
  }

  #count(side: Side, folder: FolderRow, difference: number): void {
    const remainingCount = (this.#leaving[side].get(folder) ?? 0) + difference;
    this.#leaving[side].set(folder, remainingCount);
    if (remainingCount === 0) this.#wake("empty", side, folder.key);
  }

  /**
   * Breaks a circle of moves: one document or folder moves to a temporary name, so that another
   * item can have its path. Returns false if nothing can move. Each item moves in this way at most
   * once, so the caller's loop ends.
   */
  #breakCircle(): boolean {
    const operation = this.#pickForTemporaryName();
    if (operation === null) return false;
    operation.isTemporary = true;
    const { row, side } = operation;
    const state = this.#layout.sides[side];
    const fromFolder = state.placeOf(row)!.parent;
    const parent = this.#lastingFolder(side, fromFolder);
    const name = chooseTemporaryName(row, state, [fromFolder, parent]);
    this.#layout.layMove(row, side, { parent, name }, true);
    return true;
  }

  #pickForTemporaryName(): MoveOperation | null {
    let firstMove: MoveOperation | null = null;
    for (const operation of this.#waiting.operations()) {
      if (operation.kind !== "move" || operation.isTemporary) continue;
      const state = this.#layout.sides[operation.side];
      const place = state.placeOf(operation.row);
      if (place !== null && this.#waiting.isAwaited(`slot ${operation.side} ${state.key(place)}`)) return operation;
      firstMove ??= operation;
    }
    return firstMove;
  }

  /**
   * Returns `from`, or the nearest folder above that the plan does not remove. A file with a
   * temporary name in a folder would prevent the removal of that folder.
   */
  #lastingFolder(side: Side, from: FolderRow): FolderRow {
    for (let at: FolderRow | undefined = from; at !== undefined; at = this.#layout.sides[side].placeOf(at)?.parent)
      if (at[side].goal !== null || at === this.#draft.forest.root) return at;
    return from;
  }
}

/** Operations that cannot become steps yet, by the key of the event for which they wait. */
class WaitingList {
  readonly #byNeed = new Map<string, PlanOperation[]>();
  readonly #needs = new Map<PlanOperation, string>();

  get size(): number {
    return this.#needs.size;
  }

  operations(): MapIterator<PlanOperation> {
    return this.#needs.keys();
  }

  isAwaited(need: string): boolean {
    return this.#byNeed.has(need);
  }

  add(operation: PlanOperation, need: string): void {
    this.#needs.set(operation, need);
    const operations = this.#byNeed.get(need);
    if (operations === undefined) this.#byNeed.set(need, [operation]);
    else operations.push(operation);
  }

  remove(operation: PlanOperation): void {
    this.#needs.delete(operation);
  }

  get isEmpty(): boolean {
    return this.#byNeed.size === 0;
  }

  /**
   * Removes and returns the operations that waited for an event.
   * @param event key of an event that has happened
   */
  take(event: string): readonly PlanOperation[] {
    const operations = this.#byNeed.get(event) ?? [];
    this.#byNeed.delete(event);
    return operations;
  }
}
