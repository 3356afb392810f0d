import { type Dice, rollDice } from "../simulator/dice.ts";
import { Model } from "./model.ts";
import type { Base, Event, Note, Planned, RowKind, Text } from "./state.ts";
import { describe, expect, test } from "vitest";
import { runs } from "../property.ts";

/**
 * Makes random traces of the model. Users and mirrors try events, and those that a rule forbids do
 * not happen. In a mutant, the events that only its rule forbids do happen.
 */

const NOTES: readonly Note[] = ["a", "b"];
const KINDS: readonly RowKind[] = ["put", "post", "delete", "patch", "write", "trash", "move"];
/** LIMIT: contents and crashes in one trace; with more, hardly any effect would come to its end. */
const MAX_TEXTS = 14;
const MAX_CRASHES = 2;

type Walk = {
  /** Broken promises; empty if none was. */
  readonly broken: readonly string[];
  /** Events that happened, up to the one that broke a promise. */
  readonly events: readonly Event[];
};

/** @param off name of the rule that is left out; null for none */
function walk(seed: number, steps: number, off: string | null): Walk {
  const walker = new Walker(rollDice(seed), new Model(2, off));
  for (let step = 0; step < steps; step++) {
    walker.step();
    const broken = walker.model.broken();
    if (broken.length > 0) return { broken, events: walker.events };
  }
  return { broken: [], events: walker.events };
}

class Walker {
  readonly model: Model;
  readonly events: Event[] = [];
  readonly #dice: Dice;
  #texts = 0;
  #vers = 0;
  #crashes = 0;

  constructor(dice: Dice, model: Model) {
    this.#dice = dice;
    this.model = model;
    for (const n of NOTES) {
      const first = { text: this.#newText(), ver: this.#newVer(), name: n };
      this.#try({ do: "save-remote", n, ...first });
      for (const [m, mirror] of model.at.entries()) {
        this.#try({ do: "save", m, n, text: first.text, name: n });
        mirror.base.set(n, first);
        mirror.store.add(first.text);
      }
    }
  }

  step(): void {
    const [m, n] = [this.#dice.below(2), this.#dice.pick(NOTES)];
    if (this.#dice.below(5) === 0) this.#act(m, n);
    else this.#work(m, n);
  }

  #try(event: Event): boolean {
    if (this.model.apply(event) !== null) return false;
    this.events.push(event);
    return true;
  }

  #newText(): Text {
    return `t${++this.#texts}`;
  }

  #newVer(): string {
    return `v${++this.#vers}`;
  }

  /** Tries an action of a user. */
  #act(m: number, n: Note): void {
    const { live, at, reviews } = this.model;
    const mirror = at[m]!;
    const [mayWrite, file] = [this.#texts < MAX_TEXTS, mirror.files.get(n)];
    const mayBegin = file !== undefined || mirror.left.has(n);
    const on = this.#dice.below(2) === 0;
    const name = this.#dice.pick([...NOTES, "c", "d"]);
    switch (
      this.#dice.pick([
        "save",
        "save",
        "save-remote",
        "save-remote",
        "new",
        "remove",
        "remove-remote",
        "rename",
        "rename-remote",
        "protect",
        "review",
        "review",
        "choose",
        "choose",
        "blind",
      ] as const)
    ) {
      case "save":
        if (mayWrite && mayBegin) this.#try({ do: "save", m, n, text: this.#newText(), name: file?.name ?? n });
        return;
      case "new": {
        const fresh = `n${this.#texts}`;
        if (mayWrite) this.#try({ do: "save", m, n: fresh, text: this.#newText(), name: fresh });
        return;
      }
      case "save-remote":
        if (mayWrite && live.has(n))
          this.#try({ do: "save-remote", n, text: this.#newText(), ver: this.#newVer(), name: n });
        return;
      case "remove":
        this.#try({ do: "remove", m, n });
        return;
      case "remove-remote":
        if (on) this.#try({ do: "remove-remote", n });
        return;
      case "rename":
        if (file !== undefined && ![...mirror.files.values()].some((one) => one.name === name))
          this.#try({ do: "save", m, n, text: file.text, name });
        return;
      case "rename-remote":
        this.#try({ do: "rename-remote", n: this.#dice.pick([n, n, ...live.keys()]), name });
        return;
      case "protect":
        this.#try({ do: "protect", n, on });
        return;
      case "review": {
        const [open] = reviews.values();
        if (open !== undefined) this.#try({ do: "review", ...open, accepts: on, ver: this.#newVer() });
        return;
      }
      case "choose":
        this.#try({ do: "choose", m, n, mine: on });
        return;
      case "blind":
        this.#try({ do: "blind", m, on: on && this.#dice.below(3) === 0 });
    }
  }

  /** Tries an action of a mirror: mostly the next part of an open row. */
  #work(m: number, seldom: Note): void {
    const { rows, files, seen, gone } = this.model.at[m]!;
    const notes = [...new Set([...NOTES, ...files.keys(), ...seen.keys()])];
    const n = this.#dice.below(2) === 0 ? seldom : this.#dice.pick(notes);
    const own = [...rows].filter(([key]) => key.startsWith(`${n} `));
    const chance = this.#dice.below(20);
    if (chance === 0 && this.#crashes < MAX_CRASHES) {
      this.#crashes++;
      this.#try({ do: "crash", m });
    } else if (chance < 2) this.#look(m, [n]);
    else if (own.length === 0 && (chance < 8 || (!seen.has(n) && !gone.has(n) && chance < 15))) this.#look(m, null);
    else if (own.length === 0 || chance === 2) this.#plan(m, n);
    else this.#goOn(m, n, this.#dice.pick(own)[1].kind);
  }

  /**
   * Scans and lists.
   * @param of documents of a partial observation; null for a whole one
   */
  #look(m: number, of: readonly Note[] | null): void {
    this.#try({ do: "scan", m, whole: of === null });
    this.#try({ do: "list", m, of });
    for (const n of this.model.at[m]!.missing) this.#try({ do: "get", m, n });
    for (const n of of ?? this.model.live.keys()) if (this.#dice.below(2) === 0) this.#try({ do: "get", m, n });
  }

  #plan(m: number, n: Note): void {
    const { seen, read, base } = this.model.at[m]!;
    const [version, local, before] = [seen.get(n), read.get(n), base.get(n)];
    if (this.#dice.below(8) === 0 && this.#try({ do: "show", m, n })) return;
    const agrees = version?.text === local && this.#dice.below(3) > 0;
    if (version?.text != null && (agrees || this.#dice.below(20) === 0)) {
      const name = before?.name ?? version.name;
      if (this.#try({ do: "base", m, n, base: { ver: version.ver, text: version.text, name } })) return;
    }
    if (local === undefined && version === undefined && this.#try({ do: "base", m, n, base: null })) return;
    const from = this.#dice.below(KINDS.length);
    for (let turn = 0; turn < KINDS.length; turn++) {
      const row = this.#row(m, n, KINDS[(from + turn) % KINDS.length]!);
      if (this.#try({ do: "open", m, n, row })) return;
    }
  }

  #row(m: number, n: Note, kind: RowKind): Planned {
    const { seen, read, base, files } = this.model.at[m]!;
    const [version, local = null, before] = [seen.get(n), read.get(n), base.get(n)];
    const row = { kind, ver: before?.ver ?? null, text: local, expect: local, name: before?.name ?? n };
    switch (kind) {
      case "put":
        return this.#dice.below(4) === 0 ? { ...row, ver: version?.ver ?? null } : row;
      case "write": {
        const merges = local !== null && local !== before?.text && this.#dice.below(3) > 0;
        return {
          ...row,
          ver: version?.ver ?? null,
          text: merges ? this.#newText() : (version?.text ?? null),
          name: version?.name ?? n,
        };
      }
      case "move":
        return { ...row, name: version?.name ?? n };
      case "patch":
      case "post":
        return { ...row, name: files.get(n)?.name ?? n };
      default:
        return row;
    }
  }

  /** Tries the next part of an effect, rarely a wrong one. */
  #goOn(m: number, n: Note, kind: RowKind): void {
    const row = this.model.at[m]!.rows.get(`${n} ${kind}`)!;
    const isLocal = kind === "write" || kind === "trash" || kind === "move";
    const part = this.#dice.below(12);
    if (part === 0) {
      this.#try({ do: "close", m, n, kind });
      return;
    }
    if (part === 1) this.#end(m, n, kind);
    else if (isLocal && row.phase === "open") this.#change(m, n, row);
    else if (row.phase === "open" || part === 2) {
      if (kind === "delete" && this.#dice.below(6) > 0) this.#try({ do: "get", m, n });
      if (kind === "delete" && this.#dice.below(6) > 0) this.#try({ do: "look", m, n });
      const arrives = this.#dice.below(6) > 0;
      const answers = arrives && this.#dice.below(3) > 0;
      this.#try({ do: "send", m, n, kind, arrives, answers, ver: this.#newVer() });
      // If there is no answer, users may act several times before the next read.
      if (!answers) for (let act = 0; act < 3; act++) this.#act(this.#dice.below(2), n);
    } else if (row.phase === "unsure") this.#try({ do: "get", m, n });
    else if (row.phase === "done") this.#end(m, n, kind);
    else this.#try({ do: "close", m, n, kind });
  }

  #change(m: number, n: Note, { kind, text, name }: Planned): void {
    const file = this.model.at[m]!.files.get(n);
    if (kind === "trash") this.#try({ do: "write", m, n, text: null, name: "" });
    else if (kind === "move") {
      const isTaken = [...this.model.at[m]!.files.values()].some((one) => one.name === name);
      if (file === undefined || isTaken) this.#try({ do: "close", m, n, kind });
      else this.#try({ do: "write", m, n, text: file.text, name: name! });
    } else if (!this.#try({ do: "write", m, n, text, name: file?.name ?? name ?? n }))
      this.#try({ do: "close", m, n, kind });
  }

  /** Tries to move base to the result of the effect and to close its row. */
  #end(m: number, n: Note, kind: RowKind): void {
    const { base, seen, rows } = this.model.at[m]!;
    const [before, version, row] = [base.get(n), seen.get(n), rows.get(`${n} ${kind}`)!];
    let next: Base | null = null;
    if (kind === "patch" || kind === "move") next = before === undefined ? null : { ...before, name: row.name! };
    else if (kind !== "delete" && kind !== "trash")
      next =
        version?.text == null ? null : { ver: version.ver, text: version.text, name: before?.name ?? row.name ?? n };
    // A wrong result: the version that was seen with the content that was intended.
    if (next !== null && row.text !== null && this.#dice.below(10) === 0) next = { ...next, text: row.text };
    // If base cannot move because of a later edit, the row may still be closed; the next cycle
    // handles the edit.
    if (this.#try({ do: "base", m, n, base: next }) || this.#dice.below(3) === 0)
      this.#try({ do: "close", m, n, kind });
  }
}

const STEPS = 120;

test("no random trace of the model breaks a promise", () => {
  for (let seed = 1; seed <= runs(60); seed++) {
    const { broken, events } = walk(seed, STEPS, null);
    expect({ seed, broken }).toEqual({ seed, broken: [] });
    expect(events.length).toBeGreaterThan(50);
  }
});

/** A rule, a seed whose trace needs the rule, and the promise that this trace breaks without it. */
const MUTANTS: readonly (readonly [string, number, string])[] = [
  ["a new document is looked for at every path", 1253, "a document is doubled"],
  ["a choice is about the version that was shown", 170, "base is no version that both sides had"],
  ["an absence is proven by a read", 1, "a file is deleted without proof"],
  ["a key that shows nothing proves nothing", 1, "a file is deleted without proof"],
  ["a document has one effect at a time", 11, "a decision is asked for twice"],
  ["an edit on the service is merged first", 4, "a decision is asked for twice"],
  ["a text is sent to review once", 56, "a decision is asked for twice"],
  ["an edit wins over a deletion on the service", 2, "an edit is deleted"],
  ["two edits are merged", 6, "a version that nobody saw is replaced"],
  ["a write without an answer is not sent again", 280, "a decision is asked for twice"],
  ["a deletion reads the version again", 4, "a version that nobody saw is deleted"],
  ["a deletion reads the place again", 121, "a document is deleted without proof"],
  ["a deletion looks for the file again", 316, "a document is deleted without proof"],
  ["a file that was saved meanwhile stays", 6, "a version that nobody saw is replaced"],
  ["base is a version that was seen", 13, "base is no version that both sides had"],
  ["base's text was in the folder", 4, "base is no version that both sides had"],
  ["a row ends when its end is known", 190, "a decision is asked for twice"],
  ["a version is shown once", 5, "a decision is asked for twice"],
];

describe("a random trace of each mutant breaks a promise", () => {
  test.each(MUTANTS)("without the rule: %s (seed %i)", (rule, seed, promise) => {
    expect(walk(seed, STEPS, rule).broken).toContain(promise);
    expect(walk(seed, STEPS, null).broken).toEqual([]);
  });
});
