import type { Step } from "../../model/action.ts";
import { type Desk, holdDocument, holdFolder } from "../decide/desk.ts";
import type { AnyBody, FolderBody, Place, Side } from "../match/body.ts";
import { Layout, type Shift } from "./layout.ts";
import { listOperations, type Operation } from "./operation.ts";
import { temporaryName } from "./temporary.ts";

/**
 * Lays the decided operations out as steps. Each is tried in turn on two ledgers, which know where
 * everything is by then; one that cannot be yet (its path is taken, its folder is not there,
 * something is still inside) waits for what it needs. When all that is left waits in a circle, one
 * of them goes to a temporary name. What each step must come after follows from what it used: any
 * order that respects it gives the same trees (I15).
 */
export function layOut(desk: Desk): Step[] {
  return new Schedule(desk).run();
}

type Moving = Operation & { readonly kind: "move" };

class Schedule {
  readonly #desk: Desk;
  readonly #layout: Layout;
  readonly #operations: Operation[];
  readonly #waiting = new Map<string, Operation[]>();
  readonly #blocked = new Map<Operation, string>();
  readonly #ready: Operation[] = [];
  /** Place operations of a body that are not laid out yet. */
  readonly #open = new Map<AnyBody, number>();
  /** Bodies that are still to leave a folder, by side. */
  readonly #inside = { local: new Map<FolderBody, number>(), remote: new Map<FolderBody, number>() };

  constructor(desk: Desk) {
    this.#desk = desk;
    this.#operations = listOperations(desk);
    const stirring = { local: new Set<FolderBody>(), remote: new Set<FolderBody>() };
    for (const operation of this.#operations) {
      const { body } = operation;
      if (operation.kind !== "move" && operation.kind !== "leave" && operation.kind !== "arrive") continue;
      this.#open.set(body, (this.#open.get(body) ?? 0) + 1);
      if (operation.kind === "arrive") continue;
      if (body.kind === "folder") stirring[operation.side].add(body);
      const parent = body[operation.side].now?.parent;
      if (parent !== undefined) this.#count(operation.side, parent, 1);
    }
    this.#layout = new Layout(desk, stirring, (shift) => this.#note(shift));
  }

  run(): Step[] {
    for (const operation of this.#operations) {
      this.#attempt(operation);
      this.#drain();
    }
    while (this.#blocked.size > 0 && this.#breakCircle()) this.#drain();
    for (const operation of this.#blocked.keys()) this.#giveUp(operation);
    return this.#layout.steps;
  }

  #drain(): void {
    for (let next = 0; next < this.#ready.length; next++) this.#attempt(this.#ready[next]!);
    this.#ready.length = 0;
  }

  #attempt(operation: Operation): void {
    const need = this.#need(operation);
    if (need === null) {
      this.#blocked.delete(operation);
      this.#perform(operation);
      return;
    }
    this.#blocked.set(operation, need);
    const list = this.#waiting.get(need);
    if (list === undefined) this.#waiting.set(need, [operation]);
    else list.push(operation);
  }

  #wake(...words: (string | number)[]): void {
    // Nearly always: without a string made for it.
    if (this.#waiting.size === 0) return;
    const need = words.join(" ");
    const list = this.#waiting.get(need);
    if (list === undefined) return;
    this.#waiting.delete(need);
    this.#ready.push(...list);
  }

  /** What an operation still waits for, as a key; null when it can be laid out now. */
  #need(operation: Operation): string | null {
    const { body } = operation;
    switch (operation.kind) {
      case "before":
      case "note":
        return null;
      case "content":
      case "sidecar":
        return this.#isOpen(body, "local") ? `placed ${body.key}` : null;
      case "record":
        return (this.#open.get(body) ?? 0) > 0 ? `placed ${body.key}` : this.#needOfRecord(body);
      case "leave":
        return body.kind === "folder" && (this.#inside[operation.side].get(body) ?? 0) > 0
          ? `empty ${operation.side} ${body.key}`
          : null;
      case "arrive":
        if (this.#isOpen(body, operation.side === "local" ? "remote" : "local")) return `placed ${body.key}`;
        return this.#needOfPlace(operation.side, body, body[operation.side].goal!);
      case "move":
        return this.#needOfPlace(operation.side, body, body[operation.side].goal!);
    }
  }

  /**
   * A place is written down when the folders above it have reached theirs: if one fails, base must
   * not say that it was reached.
   */
  #needOfRecord(body: AnyBody): string | null {
    for (const side of ["local", "remote"] as const)
      for (let at = body[side].goal?.parent; at !== undefined; at = at[side].goal?.parent)
        if ((this.#open.get(at) ?? 0) > 0) return `placed ${at.key}`;
    return null;
  }

  /** Whether a body still has a place to reach on a side. */
  #isOpen(body: AnyBody, side: Side): boolean {
    if ((this.#open.get(body) ?? 0) === 0) return false;
    const goal = body[side].goal;
    const at = this.#layout.ledgers[side].at(body);
    return goal !== null && (at === null || at.parent !== goal.parent || at.name !== goal.name);
  }

  #needOfPlace(side: Side, body: AnyBody, to: Place): string | null {
    const ledger = this.#layout.ledgers[side];
    for (let at: FolderBody | undefined = to.parent; at !== undefined; at = ledger.at(at)?.parent) {
      // A folder that shall go below what is still inside it waits for that to come out.
      if (at === body) return `moved ${side} ${this.#lowestOpen(side, to.parent, body).key}`;
      if (ledger.at(at) === null && !ledger.exists(at)) return `moved ${side} ${at.key}`;
    }
    return ledger.isFree(to, body) ? null : `slot ${side} ${ledger.key(to)}`;
  }

  #lowestOpen(side: Side, from: FolderBody, until: AnyBody): FolderBody {
    const ledger = this.#layout.ledgers[side];
    for (let at: FolderBody | undefined = from; at !== undefined && at !== until; at = ledger.at(at)?.parent)
      if (this.#isOpen(at, side)) return at;
    return from;
  }

  #perform(operation: Operation): void {
    const { body } = operation;
    switch (operation.kind) {
      case "before":
        this.#layout.layFirst(body, operation.draft);
        return;
      case "note":
        this.#layout.layNote(body, operation.draft);
        return;
      case "content":
      case "record":
        this.#layout.layText(operation.body, operation.draft, operation.kind);
        return;
      case "sidecar":
        this.#layout.laySidecar(operation.body);
        return;
      case "arrive":
        this.#layout.layArrival(body, operation.side, operation.draft);
        break;
      case "leave":
        this.#layout.layLeave(body, operation.side, operation.draft);
        break;
      case "move":
        this.#layout.layMove(body, operation.side, body[operation.side].goal!, false);
        break;
    }
    this.#open.set(body, (this.#open.get(body) ?? 1) - 1);
    this.#wake("placed", body.key);
  }

  #note({ side, body, from, to, freed }: Shift): void {
    if (from !== null && from.parent !== to?.parent) {
      this.#count(side, from.parent, -1);
      // Only what still has somewhere to go keeps a folder from being empty.
      const goal = body[side].goal;
      if (to !== null && (goal === null || to.parent !== goal.parent)) this.#count(side, to.parent, 1);
    }
    if (freed !== null) this.#wake("slot", side, freed);
    if (body.kind === "folder") this.#wake("moved", side, body.key);
  }

  #count(side: Side, folder: FolderBody, by: number): void {
    const left = (this.#inside[side].get(folder) ?? 0) + by;
    this.#inside[side].set(folder, left);
    if (left === 0) this.#wake("empty", side, folder.key);
  }

  /**
   * Moves one of a circle aside, one whose path another waits for. Each is moved aside once at
   * most, so this ends.
   */
  #breakCircle(): boolean {
    const operation = this.#pickParked();
    if (operation === null) return false;
    operation.parked = true;
    const { body, side } = operation;
    const ledger = this.#layout.ledgers[side];
    const from = ledger.at(body)!;
    const parent = this.#lastingFolder(side, from.parent);
    const name = temporaryName(body, from.name, (one) =>
      [from.parent, parent].every((folder) => ledger.isFree({ parent: folder, name: one }, body)),
    );
    this.#layout.layMove(body, side, { parent, name }, true);
    return true;
  }

  #pickParked(): Moving | null {
    let first: Moving | null = null;
    for (const one of this.#blocked.keys()) {
      if (one.kind !== "move" || one.parked || this.#isHopeless(one.body[one.side].goal!.parent, one.side)) continue;
      const ledger = this.#layout.ledgers[one.side];
      const at = ledger.at(one.body);
      if (at !== null && this.#waiting.has(`slot ${one.side} ${ledger.key(at)}`)) return one;
      first ??= one;
    }
    return first;
  }

  /** Whether a folder is not there and nothing is left that would make it. */
  #isHopeless(folder: FolderBody, side: Side): boolean {
    const ledger = this.#layout.ledgers[side];
    for (let at: FolderBody | undefined = folder; at !== undefined; at = (ledger.at(at) ?? at[side].goal)?.parent)
      if (ledger.at(at) === null && at !== this.#desk.forest.root && at[side].goal === null) return true;
    return false;
  }

  /**
   * The nearest folder above that the plan does not remove: what is moved aside must not keep one
   * from going.
   */
  #lastingFolder(side: Side, from: FolderBody): FolderBody {
    for (let at: FolderBody | undefined = from; at !== undefined; at = this.#layout.ledgers[side].at(at)?.parent)
      if (at[side].goal !== null || at === this.#desk.forest.root) return at;
    return from;
  }

  #giveUp(operation: Operation): void {
    const { body } = operation;
    const folderMissing = this.#blocked.get(operation)?.startsWith("moved") === true;
    const reason = folderMissing ? "folder-held" : "path-taken";
    const detail = folderMissing ? "its folder is held" : "waits for what is at its place or inside it";
    if (body.kind === "document") holdDocument(this.#desk, body, reason, detail);
    else holdFolder(this.#desk, body, reason, detail);
  }
}
