import { mapName } from "../../contract/names.ts";
import type { HoldReason } from "../../model/hold.ts";
import { hashedName, isTemporaryName, lastingName, localNameFor, numberedName } from "../../model/local-name.ts";
import type { AnyBody, Place, Side } from "../match/body.ts";
import { nameOf } from "../../model/path.ts";
import type { Desk } from "./desk.ts";
import { lastingNames } from "./left-over.ts";
import { idOf, samePlace } from "./places.ts";
import { type Foldings, foldingsOf, type Occupancy, SlotMap, slotKey } from "./slots.ts";

/** Where each body was wanted before it was held. */
export type Wishes = ReadonlyMap<AnyBody, { readonly local: Place | null; readonly remote: Place | null }>;

/** One that must be held for the others to come out. */
export type Barred = { readonly body: AnyBody; readonly reason: HoldReason; readonly detail: string };

/** LIMIT: numbers tried for a name before it is held. */
const MAX_NUMBER = 99;

export function isStirring(body: AnyBody, side: Side): boolean {
  return body[side].goal !== null && !samePlace(body[side].goal, body[side].now);
}

/** One try to give every slot one owner. */
export class Round {
  readonly #foldings: Foldings;
  readonly #taken: Readonly<Record<Side, SlotMap<AnyBody>>>;
  /** Kept apart until the round comes out: one that does not leaves no trace. */
  readonly #whys = new Map<AnyBody, string>();
  readonly #numbered = new Map<AnyBody, string>();
  readonly #desk: Desk;
  readonly #slots: Occupancy;
  readonly #bodies: readonly AnyBody[];
  readonly #summon: (path: string) => AnyBody | null;
  readonly #pinned: ReadonlySet<AnyBody>;
  readonly #wishes: Wishes;

  constructor(
    desk: Desk,
    slots: Occupancy,
    bodies: readonly AnyBody[],
    summon: (path: string) => AnyBody | null,
    pinned: ReadonlySet<AnyBody>,
    wishes: Wishes,
  ) {
    this.#foldings = foldingsOf(desk.trees, desk.policy);
    this.#taken = { local: new SlotMap(this.#foldings.local), remote: new SlotMap(this.#foldings.remote) };
    this.#desk = desk;
    this.#slots = slots;
    this.#bodies = bodies;
    this.#summon = summon;
    this.#pinned = pinned;
    this.#wishes = wishes;
  }

  /**
   * @returns those that must be held for this to come out; none when every slot has one owner,
   * which then stands.
   */
  run(): readonly Barred[] {
    for (const side of ["local", "remote"] as const)
      for (const body of this.#bodies)
        if (body[side].goal !== null && !isStirring(body, side)) this.#take(side, body, body[side].goal);
    const barred = new Map<AnyBody, Barred>();
    const claim = (side: Side, body: AnyBody): void => {
      if (!isStirring(body, side) || barred.has(body)) return;
      if (this.#taken[side].get(body[side].goal!) === body) return;
      const bar = side === "local" ? this.#claimLocal(body) : this.#claimRemote(body);
      if (bar !== null) barred.set(body, bar);
    };
    // ORDER: the service's rows first; a local one that stands in the way then gets its number, on
    // both sides.
    for (const body of this.#bodies) claim("local", body);
    // A name that is legal as it is goes before one that is only mapped to it.
    const isMapped = ({ local, remote }: AnyBody): boolean =>
      local.goal !== null && local.goal.name !== remote.goal?.name;
    for (const body of this.#bodies) if (!isMapped(body)) claim("remote", body);
    for (const body of this.#bodies) claim("remote", body);
    if (barred.size > 0) return [...barred.values()];
    for (const side of ["local", "remote"] as const) for (const body of this.#bodies) this.#nameAnew(side, body);
    for (const [body, why] of this.#whys) this.#desk.whys.set(body, why);
    for (const [body, name] of this.#numbered) this.#desk.gaveWay.set(body, name);
    return [];
  }

  #key(side: Side, place: Place): string {
    return slotKey(place, this.#foldings[side]);
  }

  #take(side: Side, body: AnyBody, place: Place): void {
    body[side].goal = place;
    this.#taken[side].set(place, body);
  }

  /** Who will have a slot if nothing more is decided: a body, something without one, or nobody. */
  #owner(side: Side, place: Place, asking: AnyBody): AnyBody | "foreign" | "quiet" | null {
    const owner = this.#taken[side].get(place);
    if (owner !== undefined) return owner === asking ? null : owner;
    const now = this.#slots(side, place);
    if (now.kind === "free") return null;
    if (now.kind === "foreign") return "foreign";
    // Something stands there now. If it has a body that leaves, the slot becomes free; without a
    // body it stays.
    for (const body of this.#leavers(side).get(place) ?? []) if (body !== null) return null;
    if (side === "local") {
      const summoned = this.#summon(now.path);
      if (summoned !== null) {
        for (const one of ["local", "remote"] as const) this.#leavers(one).set(summoned[one].now!, [summoned]);
        this.#take("local", summoned, summoned.local.now!);
        if (summoned.remote.now !== null) this.#take("remote", summoned, summoned.remote.now);
        return summoned;
      }
    }
    return "quiet";
  }

  #leaversOf: Record<Side, SlotMap<AnyBody[]> | null> = { local: null, remote: null };

  #leavers(side: Side): SlotMap<AnyBody[]> {
    const known = this.#leaversOf[side];
    if (known !== null) return known;
    const index = new SlotMap<AnyBody[]>(this.#foldings[side]);
    for (const body of this.#bodies) if (body[side].now !== null) index.set(body[side].now, [body]);
    this.#leaversOf[side] = index;
    return index;
  }

  #claimLocal(body: AnyBody): Barred | null {
    const place = body.local.goal!;
    const owner = this.#owner("local", place, body);
    if (owner === null) {
      this.#take("local", body, place);
      return null;
    }
    if (owner === "foreign") return bar(body, "path-taken", `something that is not mirrored is at ${place.name}`);
    if (owner !== "quiet" && owner.kind !== body.kind)
      return bar(body, "type-clash", `a ${owner.kind} is at ${place.name} here`);
    if (owner !== "quiet" && !this.#pinned.has(owner) && this.#giveWay(owner)) {
      if (this.#owner("local", place, body) !== null)
        return bar(body, "path-taken", `${place.name} is taken here until what is there has another name`);
      this.#take("local", body, place);
      return null;
    }
    if (owner !== "quiet" && this.#isLeaving(owner))
      return bar(body, "path-taken", `${place.name} is taken here until what is there has moved`);
    const hashed = { parent: place.parent, name: hashedName(place.name, kindOf(body), idOf(body)) };
    if (this.#owner("local", hashed, body) !== null) return bar(body, "path-taken", `${place.name} is taken here`);
    this.#take("local", body, hashed);
    return null;
  }

  /** Whether a body is wanted elsewhere and only held where it is. */
  #isLeaving(owner: AnyBody): boolean {
    const wish = this.#wishes.get(owner);
    return this.#pinned.has(owner) && wish !== undefined && !samePlace(wish.local, owner.local.now);
  }

  /**
   * A local one makes room for the service's row. Only one whose place comes from here, or whose
   * name here is not its own, does.
   */
  #giveWay(owner: AnyBody): boolean {
    if (isStirring(owner, "remote")) return this.#number(owner);
    if (isStirring(owner, "local") || owner.local.now === null || owner.remote.goal === null) return false;
    const own = localNameFor(owner.remote.goal.name, kindOf(owner), idOf(owner));
    const mapped = mapName(owner.local.now.name, kindOf(owner), this.#desk.policy.refusedCharacters);
    if (owner.local.now.name === own || mapped === owner.remote.goal.name || owner.link === null) return false;
    const place = { parent: owner.local.now.parent, name: own };
    if (this.#owner("local", place, owner) !== null) return false;
    this.#free("local", owner);
    this.#take("local", owner, place);
    this.#whys.set(owner, "its name here is another's on the service");
    return true;
  }

  /**
   * `name-2.md`: on both sides where it is linked; what is not linked yet gets it on the service
   * now and here in the next pass.
   */
  #number(body: AnyBody): boolean {
    const here = body.local.goal ?? body.local.now;
    const there = body.remote.goal;
    if (here === null || there === null) return false;
    const linked = body.link !== null && body.remote.now !== null;
    for (let number = 2; number <= MAX_NUMBER; number++) {
      const local = { parent: here.parent, name: numberedName(lastingName(here.name), kindOf(body), number) };
      const mapped = mapName(local.name, kindOf(body), this.#desk.policy.refusedCharacters);
      if (mapped === null) return false;
      const remote = { parent: there.parent, name: mapped };
      if (this.#owner("local", local, body) !== null || this.#owner("remote", remote, body) !== null) continue;
      if (linked) {
        this.#free("local", body);
        this.#take("local", body, local);
      }
      this.#free("remote", body);
      this.#take("remote", body, remote);
      this.#whys.set(body, `${here.name} is another's on the service`);
      this.#numbered.set(body, local.name);
      return true;
    }
    return false;
  }

  /** ORDER: after all claims, so that what is taken back stands in nobody's way. */
  #nameAnew(side: Side, body: AnyBody): void {
    for (const name of lastingNames(this.#desk, body, side)) {
      const place = { parent: body[side].goal!.parent, name };
      if (this.#owner(side, place, body) !== null) continue;
      this.#free(side, body);
      this.#take(side, body, place);
      return;
    }
  }

  #free(side: Side, body: AnyBody): void {
    const goal = body[side].goal;
    if (goal === null) return;
    if (this.#taken[side].get(goal) === body) this.#taken[side].delete(goal);
  }

  #claimRemote(body: AnyBody): Barred | null {
    const place = body.remote.goal!;
    const owner = this.#owner("remote", place, body);
    if (owner === null) {
      this.#take("remote", body, place);
      return null;
    }
    const here = body.local.goal;
    const wanted = owner === "quiet" || owner === "foreign" ? null : (this.#wishes.get(owner)?.local ?? null);
    const wantsMine = wanted !== null && here !== null && this.#key("local", wanted) === this.#key("local", here);
    // A new file at a temporary name has no better claim to the name that it was made of.
    const isNamed = here === null || !isTemporaryName(here.name);
    if ((wantsMine || !isNamed) && this.#number(body)) return null;
    if (owner !== "quiet" && owner !== "foreign" && owner.local.now === null && owner.local.goal === null)
      return bar(body, "path-taken", `${place.name} on the service is another's that is held`);
    return bar(body, "name-clash", this.#tellClash(body, place, owner));
  }

  /** What has the name that a body wants, by its path here where it has one. */
  #tellClash(body: AnyBody, place: Place, owner: AnyBody | "foreign" | "quiet"): string {
    const slot = this.#slots("remote", place);
    const theirs = owner === "foreign" || owner === "quiet" ? null : (owner.remote.goal ?? place).name;
    const name = theirs ?? (slot.kind === "free" ? place.name : nameOf(slot.path));
    const other = typeof owner === "string" ? null : owner.local.now;
    const here = other === null || other.name === name ? "" : `, here ${JSON.stringify(other.name)}`;
    if (name === place.name) return `the service has another ${name} there${here}`;
    const mine = body.local.now?.name ?? place.name;
    return `the service takes ${JSON.stringify(mine)} and ${JSON.stringify(name)} for one name, and has the latter${here}`;
  }
}

function bar(body: AnyBody, reason: HoldReason, detail: string): Barred {
  return { body, reason, detail };
}

function kindOf(body: AnyBody): "file" | "folder" {
  return body.kind === "document" ? "file" : "folder";
}
