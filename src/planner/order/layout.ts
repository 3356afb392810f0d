import type { Action, Step } from "../../model/action.ts";
import { type At, type Desk, type Draft, pathOfDocument } from "../decide/desk.ts";
import { foldingsOf, lookUpSlots } from "../decide/slots.ts";
import { isTemporaryName } from "../../model/local-name.ts";
import type { AnyBody, DocumentBody, FolderBody, Place, Side } from "../match/body.ts";
import { joinPath, sidecarPath } from "../../model/path.ts";
import { Ledger } from "./ledger.ts";
import { type Hop, hopsBetween, temporaryName } from "./temporary.ts";

/**
 * A body that came, went or moved by a step. `freed`: the key of the slot that nothing has any
 * more.
 */
export type Shift = {
  readonly side: Side;
  readonly body: AnyBody;
  readonly from: Place | null;
  readonly to: Place | null;
  readonly freed: string | null;
};

const NOTHING: readonly number[] = [];

/**
 * Steps as they are laid out, each with the paths of its moment and what it must come after: the
 * last step on its body, those that made or moved the folders of its paths, the one that freed its
 * slot; and for a folder's move or removal, those that used the path that it had.
 */
export class Layout {
  readonly ledgers: Readonly<Record<Side, Ledger>>;
  readonly steps: Step[] = [];
  readonly #desk: Desk;
  readonly #onShift: (shift: Shift) => void;
  /** The last step that placed a body on a side. */
  readonly #placed = { local: new Map<AnyBody, number>(), remote: new Map<AnyBody, number>() };
  /** Steps that all others of a body come after. */
  readonly #first = new Map<AnyBody, number[]>();

  /** @param stirring folders that some step will move or remove, by side */
  constructor(desk: Desk, stirring: Readonly<Record<Side, ReadonlySet<FolderBody>>>, onShift: (shift: Shift) => void) {
    const foldings = foldingsOf(desk.trees, desk.policy);
    const occupancy = lookUpSlots(desk.trees, foldings);
    this.#desk = desk;
    this.#onShift = onShift;
    this.ledgers = {
      local: new Ledger("local", foldings.local, occupancy, stirring.local),
      remote: new Ledger("remote", foldings.remote, occupancy, stirring.remote),
    };
  }

  layFirst(body: AnyBody, draft: Draft): void {
    this.#remember(body, this.#emit(draft.make(this.#at(body)), new Set()));
  }

  layNote(body: AnyBody, draft: Draft): void {
    this.#emit(draft.make(this.#at(body)), this.#firsts(body));
  }

  #emit(action: Action, after: Set<number>): number {
    const step = this.steps.length;
    after.delete(step);
    this.steps.push({ action, after: after.size === 0 ? NOTHING : [...after].sort((a, b) => a - b) });
    return step;
  }

  #remember(body: AnyBody, step: number): void {
    this.#first.set(body, [...(this.#first.get(body) ?? []), step]);
  }

  #firsts(body: AnyBody): Set<number> {
    return new Set(this.#first.get(body));
  }

  /** Where a body is by now; on a side where it is not, where it shall be. */
  #place(side: Side, body: AnyBody): Place | null {
    return this.ledgers[side].at(body) ?? body[side].goal;
  }

  #at(body: AnyBody): At {
    const path = (side: Side): string => {
      const place = this.#place(side, body);
      return place === null ? "" : this.ledgers[side].pathOf(place);
    };
    const shown = body.kind === "document" && body.remote.seen.kind === "present" ? body.remote.seen.file.path : "";
    // A large plan is mostly paths: of equal ones the listing's own is kept, once.
    const [local, remote] = [path("local"), path("remote")];
    return {
      local: local === shown ? shown : local,
      remote: remote === shown ? shown : remote,
      pathOf: (place) => this.ledgers.local.pathOf(place),
    };
  }

  /** What a step waits for that uses a body's paths as they are. */
  #dependencies(body: AnyBody, sides: readonly Side[]): Set<number> {
    const after = this.#firsts(body);
    for (const side of sides) {
      const place = this.#place(side, body);
      if (place !== null) this.ledgers[side].waitsFor(place, after);
      const own = this.#placed[side].get(body);
      if (own !== undefined) after.add(own);
    }
    return after;
  }

  #use(body: AnyBody, sides: readonly Side[], step: number): void {
    for (const side of sides) {
      const place = this.#place(side, body);
      if (place !== null) this.ledgers[side].use(place, step);
      if (body.kind === "folder") this.ledgers[side].use({ parent: body, name: "" }, step);
    }
  }

  layText(body: AnyBody, draft: Draft, kind: "content" | "record"): void {
    const action = draft.make(this.#at(body));
    const sides: readonly Side[] = kind === "record" || action.kind === "meet" ? ["local", "remote"] : ["local"];
    this.#use(body, sides, this.#emit(action, this.#dependencies(body, sides)));
  }

  laySidecar(body: DocumentBody): void {
    const sidecar = this.#desk.sidecars.get(body)!;
    const place = this.#place("local", body);
    if (place === null || body.id === null) return;
    const ledger = this.ledgers.local;
    const beside = { parent: place.parent, name: sidecarPath(place.name) };
    const [from, to] = [ledger.pathOf(sidecar.stands), ledger.pathOf(beside)];
    const stood = joinPath(sidecar.stands.parent.localPath ?? "", sidecar.stands.name);
    const recorded = sidecar.recorded === stood;
    if (from === to && recorded) return;
    const after = this.#dependencies(body, ["local"]);
    ledger.waitsFor(sidecar.stands, after);
    const step = this.#emit({ kind: "move-sidecar", why: "beside its document", id: body.id, from, to }, after);
    this.#use(body, ["local"], step);
    ledger.use(sidecar.stands, step);
  }

  layArrival(body: AnyBody, side: Side, draft: Draft | null): void {
    const to = body[side].goal!;
    const ledger = this.ledgers[side];
    if (draft === null) {
      // A folder that comes with what is inside: no step of its own.
      ledger.move(body, to, this.steps.length);
      this.#onShift({ side, body, from: null, to, freed: null });
      return;
    }
    const after = this.#dependencies(body, ["local", "remote"]);
    const freed = ledger.freedBy(to);
    if (freed !== undefined) after.add(freed);
    const step = this.#emit(draft.make(this.#at(body)), after);
    this.#shift(side, body, to, step);
    this.#use(body, ["local", "remote"], step);
  }

  layLeave(body: AnyBody, side: Side, draft: Draft): void {
    const ledger = this.ledgers[side];
    const from = ledger.at(body);
    const after = this.#dependencies(body, [side]);
    if (body.kind === "folder") for (const use of ledger.usesOf(body)) after.add(use);
    const step = this.#emit(draft.make(this.#at(body)), after);
    this.#shift(side, body, null, step);
    if (from !== null) ledger.use(from, step);
  }

  /**
   * One step on disk; on the service one for each PATCH. `temporary`: `to` only breaks a circle.
   */
  layMove(body: AnyBody, side: Side, to: Place, temporary: boolean): void {
    const ledger = this.ledgers[side];
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
    const ledger = this.ledgers[side];
    const from = ledger.at(body)!;
    const after = this.#dependencies(body, [side]);
    // A move there that comes to nothing leaves it here where its user put it.
    const there = this.#placed.remote.get(body);
    if (there !== undefined) after.add(there);
    ledger.waitsFor(hop.to, after);
    const freed = ledger.freedBy(hop.to);
    if (freed !== undefined) after.add(freed);
    if (body.kind === "folder") for (const use of ledger.usesOf(body)) after.add(use);
    const paths = { from: ledger.pathOf(from), to: ledger.pathOf(hop.to) };
    const why = isTemporaryName(from.name) ? "left at a name that only breaks a cycle" : "moved";
    const step = this.#emit(moveAction(body, side, hop, paths, this.#desk.whys.get(body) ?? why), after);
    this.#shift(side, body, hop.to, step);
    ledger.use(from, step);
    ledger.use(hop.to, step);
  }

  #shift(side: Side, body: AnyBody, to: Place | null, step: number): void {
    const from = this.ledgers[side].at(body);
    const freed = this.ledgers[side].move(body, to, step);
    this.#placed[side].set(body, step);
    this.#onShift({ side, body, from, to, freed });
  }
}

function moveAction(body: AnyBody, side: Side, hop: Hop, paths: { from: string; to: string }, why: string): Action {
  const { temporary } = hop;
  if (body.kind === "document") {
    const move = { why, id: body.id!, ...paths, temporary };
    if (side === "local") return { kind: "move-local", ...move };
    const stands = pathOfDocument(body);
    return { kind: hop.how === "rename" ? "rename-remote" : "reparent-remote", ...move, stands };
  }
  const move = { why, dirId: body.dirId!, ...paths, temporary };
  if (side === "local") return { kind: "move-folder-local", ...move };
  const kind = hop.how === "rename" ? "rename-folder-remote" : "reparent-folder-remote";
  return { kind, ...move, stands: body.localPath ?? paths.from };
}
