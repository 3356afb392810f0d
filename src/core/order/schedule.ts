import type { Action, Step } from "../action.ts";
import { type At, type Desk, type Draft, holdDocument, holdFolder } from "../decide/desk.ts";
import { lookUpSlots } from "../decide/slots.ts";
import type { AnyBody, DocumentBody, FolderBody, Place, Side } from "../match/body.ts";
import { sidecarPath } from "../path.ts";
import { Ledger } from "./ledger.ts";
import { listOperations, type Operation } from "./operation.ts";
import { type Hop, hopsBetween, temporaryName } from "./temporary.ts";

/**
 * Lays the decided operations out as steps. Each is tried in turn on two ledgers, which know where everything is by then; one that cannot be yet (its
 * path is taken, its folder is not there, something is still inside) waits for what it needs. When all that is left waits in a circle, one of
 * them goes to a temporary name. What each step must come after follows from what it used: any order that respects it gives the same trees (I15).
 */
export function layOut(desk: Desk): Step[] {
  return new Schedule(desk).run();
}

type Moving = Operation & { readonly kind: "move" };

class Schedule {
  readonly #desk: Desk;
  readonly #ledgers: Readonly<Record<Side, Ledger>>;
  readonly #operations: Operation[];
  readonly #steps: Step[] = [];
  readonly #waiting = new Map<string, Operation[]>();
  readonly #blocked = new Map<Operation, string>();
  readonly #ready: Operation[] = [];
  /** Place operations of a body that are not laid out yet. */
  readonly #open = new Map<AnyBody, number>();
  /** Bodies that are still to leave a folder, by side. */
  readonly #inside = { local: new Map<FolderBody, number>(), remote: new Map<FolderBody, number>() };
  /** The last step that placed a body on a side, and all that did. */
  readonly #placed = { local: new Map<AnyBody, number>(), remote: new Map<AnyBody, number>() };
  readonly #first = new Map<AnyBody, number[]>();

  constructor(desk: Desk) {
    this.#desk = desk;
    this.#operations = listOperations(desk);
    const occupancy = lookUpSlots(desk.trees);
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
    const { local } = desk.trees;
    this.#ledgers = {
      local: new Ledger("local", local, occupancy, stirring.local),
      remote: new Ledger("remote", local, occupancy, stirring.remote),
    };
  }

  run(): Step[] {
    for (const operation of this.#operations) {
      this.#attempt(operation);
      this.#drain();
    }
    while (this.#blocked.size > 0 && this.#breakCircle()) this.#drain();
    for (const operation of this.#blocked.keys()) this.#giveUp(operation);
    return this.#steps;
  }

  #drain(): void {
    for (let operation = this.#ready.shift(); operation !== undefined; operation = this.#ready.shift())
      this.#attempt(operation);
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

  #wake(need: string): void {
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

  /** A place is written down when the folders above it have reached theirs: if one fails, base must not say that it was reached. */
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
    const at = this.#ledgers[side].at(body);
    return goal !== null && (at === null || at.parent !== goal.parent || at.name !== goal.name);
  }

  #needOfPlace(side: Side, body: AnyBody, to: Place): string | null {
    const ledger = this.#ledgers[side];
    for (let at: FolderBody | undefined = to.parent; at !== undefined; at = ledger.at(at)?.parent) {
      // A folder that shall go below what is still inside it waits for that to come out.
      if (at === body) return `moved ${side} ${this.#lowestOpen(side, to.parent, body).key}`;
      if (ledger.at(at) === null && !ledger.exists(at)) return `moved ${side} ${at.key}`;
    }
    return ledger.isFree(to, body) ? null : `slot ${side} ${ledger.key(to)}`;
  }

  #lowestOpen(side: Side, from: FolderBody, until: AnyBody): FolderBody {
    const ledger = this.#ledgers[side];
    for (let at: FolderBody | undefined = from; at !== undefined && at !== until; at = ledger.at(at)?.parent)
      if (this.#isOpen(at, side)) return at;
    return from;
  }

  #perform(operation: Operation): void {
    const { body } = operation;
    switch (operation.kind) {
      case "before":
        this.#remember(body, this.#emit(operation.draft.make(this.#at(body)), new Set()));
        return;
      case "note":
        this.#emit(operation.draft.make(this.#at(body)), this.#firsts(body));
        return;
      case "content":
      case "record":
        this.#layText(operation.body, operation.draft, operation.kind);
        return;
      case "sidecar":
        this.#laySidecar(operation.body);
        return;
      case "arrive":
        this.#layArrival(body, operation.side, operation.draft);
        break;
      case "leave":
        this.#layLeave(body, operation.side, operation.draft);
        break;
      case "move":
        this.#layMove(operation, body[operation.side].goal!, false);
        break;
    }
    this.#open.set(body, (this.#open.get(body) ?? 1) - 1);
    this.#wake(`placed ${body.key}`);
  }

  #emit(action: Action, after: Set<number>): number {
    const step = this.#steps.length;
    after.delete(step);
    this.#steps.push({ action, after: [...after].sort((a, b) => a - b) });
    return step;
  }

  #remember(body: AnyBody, step: number): void {
    this.#first.set(body, [...(this.#first.get(body) ?? []), step]);
  }

  #firsts(body: AnyBody): Set<number> {
    return new Set(this.#first.get(body) ?? []);
  }

  /** Where a body is by now; on a side where it is not, where it shall be. */
  #place(side: Side, body: AnyBody): Place | null {
    return this.#ledgers[side].at(body) ?? body[side].goal;
  }

  #at(body: AnyBody): At {
    const path = (side: Side): string => {
      const place = this.#place(side, body);
      return place === null ? "" : this.#ledgers[side].pathOf(place);
    };
    return { local: path("local"), remote: path("remote"), pathOf: (place) => this.#ledgers.local.pathOf(place) };
  }

  /** What a step waits for that uses a body's paths as they are. */
  #dependencies(body: AnyBody, sides: readonly Side[]): Set<number> {
    const after = this.#firsts(body);
    for (const side of sides) {
      const place = this.#place(side, body);
      if (place !== null) this.#ledgers[side].waitsFor(place, after);
      const own = this.#placed[side].get(body);
      if (own !== undefined) after.add(own);
    }
    return after;
  }

  #use(body: AnyBody, sides: readonly Side[], step: number): void {
    for (const side of sides) {
      const place = this.#place(side, body);
      if (place !== null) this.#ledgers[side].use(place, step);
      if (body.kind === "folder") this.#ledgers[side].use({ parent: body, name: "" }, step);
    }
  }

  #layText(body: AnyBody, draft: Draft, kind: "content" | "record"): void {
    const action = draft.make(this.#at(body));
    const sides: readonly Side[] = kind === "record" || action.kind === "meet" ? ["local", "remote"] : ["local"];
    this.#use(body, sides, this.#emit(action, this.#dependencies(body, sides)));
  }

  #laySidecar(body: DocumentBody): void {
    const sidecar = this.#desk.sidecars.get(body)!;
    const place = this.#place("local", body);
    if (place === null || body.id === null) return;
    const ledger = this.#ledgers.local;
    const beside = { parent: place.parent, name: sidecarPath(place.name) };
    const [from, to] = [ledger.pathOf(sidecar.stands), ledger.pathOf(beside)];
    const stood = sidecar.stands.parent.localPath ?? "";
    const recorded = sidecar.recorded === (stood === "" ? sidecar.stands.name : `${stood}/${sidecar.stands.name}`);
    if (from === to && recorded) return;
    // It stands where it should already, and only the record does not know: from the recorded path, where nothing is left.
    const leaves = from === to ? sidecar.recorded : from;
    const after = this.#dependencies(body, ["local"]);
    ledger.waitsFor(sidecar.stands, after);
    const step = this.#emit({ kind: "move-sidecar", why: "beside its document", id: body.id, from: leaves, to }, after);
    this.#use(body, ["local"], step);
    ledger.use(sidecar.stands, step);
  }

  #layArrival(body: AnyBody, side: Side, draft: Draft | null): void {
    const to = body[side].goal!;
    const ledger = this.#ledgers[side];
    if (draft === null) {
      // A folder that comes with what is inside: no step of its own.
      ledger.move(body, to, this.#steps.length);
      this.#wake(`moved ${side} ${body.key}`);
      return;
    }
    const after = this.#dependencies(body, ["local", "remote"]);
    const freed = ledger.freedBy(to);
    if (freed !== undefined) after.add(freed);
    const step = this.#emit(draft.make(this.#at(body)), after);
    this.#shift(side, body, to, step);
    this.#use(body, ["local", "remote"], step);
  }

  #layLeave(body: AnyBody, side: Side, draft: Draft): void {
    const ledger = this.#ledgers[side];
    const from = ledger.at(body);
    const after = this.#dependencies(body, [side]);
    if (body.kind === "folder") for (const use of ledger.usesOf(body)) after.add(use);
    const step = this.#emit(draft.make(this.#at(body)), after);
    this.#shift(side, body, null, step);
    if (from !== null) ledger.use(from, step);
  }

  #layMove(operation: Moving, to: Place, temporary: boolean): void {
    const { body, side } = operation;
    const ledger = this.#ledgers[side];
    const hops: Hop[] =
      side === "local"
        ? [{ to, how: "rename", temporary }]
        : hopsBetween(
            ledger.at(body)!,
            to,
            (place) => ledger.isFree(place, body),
            (from, target) =>
              temporaryName(body, from.name, (name) =>
                [from.parent, target.parent].every((parent) => ledger.isFree({ parent, name }, body)),
              ),
            temporary,
          );
    for (const hop of hops) this.#layHop(body, side, hop);
  }

  #layHop(body: AnyBody, side: Side, hop: Hop): void {
    const ledger = this.#ledgers[side];
    const from = ledger.at(body)!;
    const after = this.#dependencies(body, [side]);
    ledger.waitsFor(hop.to, after);
    const freed = ledger.freedBy(hop.to);
    if (freed !== undefined) after.add(freed);
    if (body.kind === "folder") for (const use of ledger.usesOf(body)) after.add(use);
    const paths = { from: ledger.pathOf(from), to: ledger.pathOf(hop.to) };
    const step = this.#emit(moveAction(body, side, hop, paths, this.#desk.whys.get(body) ?? "moved"), after);
    this.#shift(side, body, hop.to, step);
    ledger.use(from, step);
    ledger.use(hop.to, step);
  }

  #shift(side: Side, body: AnyBody, to: Place | null, step: number): void {
    const from = this.#ledgers[side].at(body);
    const freed = this.#ledgers[side].move(body, to, step);
    this.#placed[side].set(body, step);
    if (from !== null && from.parent !== to?.parent) {
      this.#count(side, from.parent, -1);
      // Only what still has somewhere to go keeps a folder from being empty.
      const goal = body[side].goal;
      if (to !== null && (goal === null || to.parent !== goal.parent)) this.#count(side, to.parent, 1);
    }
    if (freed !== null) this.#wake(`slot ${side} ${freed}`);
    if (body.kind === "folder") this.#wake(`moved ${side} ${body.key}`);
  }

  #count(side: Side, folder: FolderBody, by: number): void {
    const left = (this.#inside[side].get(folder) ?? 0) + by;
    this.#inside[side].set(folder, left);
    if (left === 0) this.#wake(`empty ${side} ${folder.key}`);
  }

  /** Moves one of a circle aside, one whose path another waits for. Each is moved aside once at most, so this ends. */
  #breakCircle(): boolean {
    const waits = (one: Moving): boolean => !this.#isHopeless(one.body[one.side].goal!.parent, one.side);
    const moves = [...this.#blocked.keys()].filter(
      (one): one is Moving => one.kind === "move" && !one.parked && waits(one),
    );
    const awaited = moves.find((one) => {
      const at = this.#ledgers[one.side].at(one.body);
      return at !== null && this.#waiting.has(`slot ${one.side} ${this.#ledgers[one.side].key(at)}`);
    });
    const operation = awaited ?? moves[0];
    if (operation === undefined) return false;
    operation.parked = true;
    const { body, side } = operation;
    const ledger = this.#ledgers[side];
    const from = ledger.at(body)!;
    const parent = this.#lastingFolder(side, from.parent);
    const name = temporaryName(body, from.name, (one) =>
      [from.parent, parent].every((folder) => ledger.isFree({ parent: folder, name: one }, body)),
    );
    this.#layMove(operation, { parent, name }, true);
    return true;
  }

  /** Whether a folder is not there and nothing is left that would make it. */
  #isHopeless(folder: FolderBody, side: Side): boolean {
    const ledger = this.#ledgers[side];
    for (let at: FolderBody | undefined = folder; at !== undefined; at = (ledger.at(at) ?? at[side].goal)?.parent)
      if (ledger.at(at) === null && at !== this.#desk.forest.root && at[side].goal === null) return true;
    return false;
  }

  /** The nearest folder above that the plan does not remove: what is moved aside must not keep one from going. */
  #lastingFolder(side: Side, from: FolderBody): FolderBody {
    for (let at: FolderBody | undefined = from; at !== undefined; at = this.#ledgers[side].at(at)?.parent)
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

function moveAction(body: AnyBody, side: Side, hop: Hop, paths: { from: string; to: string }, why: string): Action {
  const { temporary } = hop;
  if (body.kind === "document") {
    const kind = side === "local" ? "move-local" : hop.how === "rename" ? "rename-remote" : "reparent-remote";
    return { kind, why, id: body.id!, ...paths, temporary };
  }
  const kind =
    side === "local" ? "move-folder-local" : hop.how === "rename" ? "rename-folder-remote" : "reparent-folder-remote";
  return { kind, why, dirId: body.dirId!, ...paths, temporary };
}
