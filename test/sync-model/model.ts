import {
  type Base,
  type Event,
  type Mirror,
  newMirror,
  type Note,
  type Planned,
  type RowKind,
  type Text,
  forgetProgress,
  isPlace,
  rowKey,
  rowsOf,
} from "./state.ts";

import { ModelService, Refused } from "./service.ts";

/**
 * A model of what mirrors of one workspace may do and which promises must hold: base, journal,
 * proof of absence and reviews, without disks, requests and merges. `Model.apply` refuses an event
 * that a rule forbids, and otherwise changes the state. Each rule has a name. A mutant is the model
 * without one rule.
 */

const EVERY_PATH = "a new document is looked for at every path";

export class Model extends ModelService {
  readonly at: readonly Mirror[];

  /** @param off name of the rule that is left out; null for none */
  constructor(mirrors: number, off: string | null) {
    super(off);
    this.at = Array.from({ length: mirrors }, newMirror);
  }

  /** Returns the name of the rule that forbids the event; null if the event happened. */
  apply(event: Event): string | null {
    try {
      this.#happen(event);
      return null;
    } catch (error) {
      if (error instanceof Refused) return error.message;
      throw error;
    }
  }

  #place(m: number, n: Note, text: Text, name: string): void {
    const { files, held } = this.at[m]!;
    files.set(n, { text, name });
    held.set(n, (held.get(n) ?? new Set()).add(text));
  }

  /**
   * Drops what rows have read, because somebody acts.
   * RACE: the API has no conditional DELETE, so mdmirror does not see an action after its last
   * read. The model leaves this case out.
   */
  #age(): void {
    for (const { rows } of this.at) for (const row of rows.values()) Object.assign(row, { shown: null, isFree: false });
  }

  #happen(event: Event): void {
    if (!("m" in event) || event.do === "save" || event.do === "remove" || event.do === "choose") this.#age();
    switch (event.do) {
      case "save": {
        const { files, left } = this.at[event.m]!;
        const before = files.get(event.n)?.text ?? left.get(event.n);
        this.learn(event.text, before);
        this.#place(event.m, event.n, event.text, event.name);
        return;
      }
      case "remove": {
        const { files, left } = this.at[event.m]!;
        const file = files.get(event.n);
        this.sense(file !== undefined);
        left.set(event.n, file!.text);
        this.givenUp.add(file!.text);
        files.delete(event.n);
        return;
      }
      case "save-remote":
      case "remove-remote":
      case "rename-remote":
      case "protect":
      case "review":
        this.actOnService(event);
        return;
      case "choose":
        this.#choose(event);
        return;
      case "blind":
        this.at[event.m]!.isBlind = event.on;
        return;
      case "crash":
        this.#crash(this.at[event.m]!);
        return;
      case "scan":
      case "read":
      case "look":
      case "list":
      case "get":
        this.#observe(event);
        return;
      case "open":
        this.#checkPlan(event.m, event.n, event.row);
        this.at[event.m]!.rows.set(rowKey(event.n, event.row.kind), {
          ...event.row,
          isReview: this.at[event.m]!.seen.get(event.n)?.isProtected === true,
          phase: "open",
          shown: null,
          isFree: false,
        });
        if (event.row.text !== null) this.at[event.m]!.store.add(event.row.text);
        return;
      case "send":
        this.#send(event);
        return;
      case "write":
        this.#write(event);
        return;
      case "base":
        this.#moveBase(event.m, event.n, event.base);
        return;
      case "close":
        this.#close(event.m, event.n, event.kind);
        return;
      case "show":
        this.#show(event.m, event.n);
        return;
    }
  }

  /** The choice refers to the version that the copy showed. */
  #choose({ m, n, mine }: Extract<Event, { do: "choose" }>): void {
    const { conflicts, base, files } = this.at[m]!;
    const [shown, file] = [conflicts.get(n), files.get(n)];
    this.sense(shown !== undefined && file !== undefined);
    const over = this.isOff("a choice is about the version that was shown") ? (this.live.get(n) ?? shown!) : shown!;
    this.learn(mine ? file!.text : shown!.text, mine ? shown!.text : file!.text);
    this.givenUp.add(mine ? shown!.text : file!.text);
    if (!mine) this.#place(m, n, shown!.text, file!.name);
    conflicts.delete(n);
    base.set(n, { ver: over.ver, text: over.text, name: base.get(n)?.name ?? over.name });
  }

  #crash({ read, scans, seen, missing, gone, rows }: Mirror): void {
    for (const memory of [read, scans, seen, missing, gone]) memory.clear();
    if (this.isOff("the journal survives a crash")) rows.clear();
    forgetProgress(rows);
  }

  #observe(event: Extract<Event, { do: "scan" | "read" | "look" | "list" | "get" }>): void {
    const mirror = this.at[event.m]!;
    const { files, base, read, scans, seen, missing, gone, store } = mirror;
    switch (event.do) {
      case "scan": {
        for (const [n, { text }] of files) {
          read.set(n, text);
          store.add(text);
        }
        for (const n of read.keys()) if (!files.has(n)) read.delete(n);
        // A partial scan proves no absence.
        for (const n of base.keys()) {
          if (files.has(n)) scans.delete(n);
          else if (event.whole) scans.set(n, (scans.get(n) ?? 0) + 1);
        }
        return;
      }
      case "read": {
        const file = files.get(event.n);
        if (file === undefined) {
          read.delete(event.n);
          return;
        }
        store.add(file.text);
        read.set(event.n, file.text);
        return;
      }
      case "look":
        for (const row of rowsOf(mirror, event.n)) row.isFree = !files.has(event.n);
        return;
      case "list": {
        const shown = new Map(mirror.isBlind ? [] : this.live);
        if (event.of !== null) for (const n of shown.keys()) if (!event.of.includes(n)) shown.delete(n);
        for (const [n, version] of shown)
          seen.set(
            n,
            seen.get(n)?.ver === version.ver ? { ...version, text: seen.get(n)!.text } : { ...version, text: null },
          );
        missing.clear();
        gone.clear();
        if (event.of === null)
          for (const n of base.keys())
            if (!shown.has(n)) {
              missing.add(n);
              seen.delete(n);
              if (this.isOff("an absence is proven by a read")) gone.add(n);
            }
        for (const n of shown.keys()) this.#settle(mirror, n, "list");
        return;
      }
      case "get": {
        const version = mirror.isBlind ? undefined : this.live.get(event.n);
        for (const row of rowsOf(mirror, event.n)) row.shown = version ?? null;
        if (version !== undefined) {
          seen.set(event.n, version);
          store.add(version.text);
        } else {
          seen.delete(event.n);
          // If the key cannot read any known document, the missing one proves nothing.
          const works = !mirror.isBlind && [...base.keys()].some((n) => this.live.has(n));
          if (missing.has(event.n) && (works || this.isOff("a key that shows nothing proves nothing")))
            gone.add(event.n);
        }
        this.#settle(mirror, event.n, "get");
        return;
      }
    }
  }

  /** Concludes from a read whether a request without an answer was executed. */
  #settle(mirror: Mirror, n: Note, by: "list" | "get"): void {
    if (mirror.isBlind) return;
    const live = this.live.get(n);
    for (const row of rowsOf(mirror, n)) {
      if (row.phase !== "unsure" || (by === "list" && row.kind !== "patch" && row.kind !== "post")) continue;
      switch (row.kind) {
        case "put":
          if (live?.text === row.text && live.ver !== row.ver) row.phase = "done";
          else {
            const mayWait = (row.isReview || live?.isProtected === true) && live?.ver === row.ver;
            row.phase = mayWait && !this.isOff("a text without an answer may be in review") ? "waits" : "undone";
          }
          break;
        case "post":
          // Without the rule EVERY_PATH, another check with the same name still keeps the document
          // from being sent again.
          // LIMIT: the engine does not recognize a new document that was edited meanwhile.
          if (live === undefined) row.phase = "undone";
          else row.phase = live.name === row.name || !this.isOff(EVERY_PATH) ? "done" : "undone";
          break;
        case "patch":
          row.phase = live?.name === row.name ? "done" : "undone";
          break;
        default:
          row.phase = live === undefined ? "done" : "undone";
      }
    }
  }

  /** Checks the rules of the planner: what the mirror has seen must allow the effect. */
  #checkPlan(m: number, n: Note, { kind, ver, text, expect, name }: Planned): void {
    const { base: records, files, read, seen: shown, conflicts, gone, scans, sent } = this.at[m]!;
    const [base, local, seen] = [records.get(n), read.get(n), shown.get(n)];
    const isEdited = local !== undefined && local !== base?.text;
    const isOther = (one: RowKind) => one === kind || (!isPlace(one) && !isPlace(kind));
    this.rule("a document has one effect at a time", !rowsOf(this.at[m]!, n).some((row) => isOther(row.kind)));
    switch (kind) {
      case "put":
        this.sense(base !== undefined && isEdited && text === local && ver === base.ver && !conflicts.has(n));
        this.rule("a file is read again before it is sent", files.get(n)?.text === text);
        this.rule("an edit on the service is merged first", seen?.ver === base!.ver);
        this.rule("a text is sent to review once", !sent.has(`${n} ${text}`));
        return;
      case "post":
        // LIMIT: a document that was deleted on the service is never sent as a new one.
        this.sense(base === undefined && text === local && local !== undefined && !this.ended.has(n));
        this.rule("a file is read again before it is sent", files.get(n)?.text === text);
        this.rule(EVERY_PATH, seen === undefined);
        return;
      case "delete":
        this.sense(base !== undefined && local === undefined && ver === base.ver && (scans.get(n) ?? 0) > 1);
        this.sense(seen?.ver === base!.ver && seen.name === base!.name);
        return;
      case "patch":
        this.sense(base !== undefined && local !== undefined && name !== base.name);
        this.sense(seen?.name === base!.name);
        return;
      case "move":
        this.sense(base !== undefined && seen?.name === name && name !== base.name);
        return;
      case "trash":
        this.sense(base !== undefined && expect === local && local !== undefined);
        this.rule("an absence is proven by a read", gone.has(n));
        this.rule("an edit wins over a deletion on the service", !isEdited);
        return;
      case "write":
        this.sense(text !== null && (expect ?? undefined) === local && seen?.text != null);
        this.sense(!conflicts.has(n) || !isEdited);
        this.sense(local !== undefined || base === undefined || scans.has(n));
        // The author of a merge has seen both versions.
        if (!this.knows.has(text!)) this.learn(text!, local, seen!.text);
        this.rule("two edits are merged", !isEdited || this.known(text).has(local!));
        return;
    }
  }

  #send({ m, n, kind, arrives, answers, ver }: Extract<Event, { do: "send" }>): void {
    const mirror = this.at[m]!;
    const row = mirror.rows.get(rowKey(n, kind));
    this.sense(row !== undefined);
    this.rule("a write without an answer is not sent again", row!.phase === "open");
    this.sense(row!.phase === "open" || row!.phase === "unsure");
    if (kind === "delete") {
      this.rule("a deletion reads the version again", row!.shown?.ver === row!.ver);
      this.rule("a deletion reads the place again", row!.shown?.name === mirror.base.get(n)?.name);
      this.rule("a deletion looks for the file again", row!.isFree);
    }
    const end = arrives && !mirror.isBlind ? this.serve(m, mirror, n, row!, ver) : "undone";
    this.#age();
    row!.phase = answers ? end : "unsure";
    const now = this.live.get(n);
    if (!answers || end !== "done") return;
    if (now === undefined) mirror.seen.delete(n);
    else mirror.seen.set(n, now);
  }

  #write({ m, n, text, name }: Extract<Event, { do: "write" }>): void {
    const mirror = this.at[m]!;
    const old = mirror.files.get(n)?.text;
    const kind = text === null ? "trash" : old === text ? "move" : "write";
    const row = mirror.rows.get(rowKey(n, kind));
    this.sense(row?.phase === "open");
    if (kind === "move") this.#place(m, n, text!, name);
    else {
      this.rule("a file that was saved meanwhile stays", old === (row!.expect ?? undefined));
      if (text === null) {
        this.fault("a file is deleted without proof", this.live.has(n));
        this.fault("an edit is deleted", old !== mirror.base.get(n)?.text);
        mirror.files.delete(n);
        mirror.read.delete(n);
      } else {
        this.fault("a version that nobody saw is replaced", old !== undefined && !this.known(text).has(old));
        this.#place(m, n, text, name);
        mirror.read.set(n, text);
      }
    }
    row!.phase = "done";
  }

  /** Moves base to the last version that both sides were seen to have. */
  #moveBase(m: number, n: Note, base: Base | null): void {
    const mirror = this.at[m]!;
    const ends = rowsOf(mirror, n);
    const isEnd = (...kinds: readonly RowKind[]) =>
      ends.some(({ kind, phase }) => kinds.includes(kind) && phase === "done");
    if (base === null) {
      this.sense(isEnd("delete", "trash") || mirror.gone.has(n));
      mirror.base.delete(n);
      mirror.conflicts.delete(n);
      return;
    }
    const before = mirror.base.get(n);
    if (base.ver !== before?.ver || base.text !== before.text) {
      const [seen, local] = [mirror.seen.get(n), mirror.read.get(n)];
      this.rule("base is a version that was seen", seen?.ver === base.ver && seen.text === base.text);
      this.rule("base's text was in the folder", this.known(local).has(base.text));
      if (mirror.conflicts.get(n)?.ver !== base.ver && local === base.text) mirror.conflicts.delete(n);
    }
    mirror.base.set(n, base);
    mirror.sent.delete(`${n} ${base.text}`);
  }

  #close(m: number, n: Note, kind: RowKind): void {
    const { rows, sent } = this.at[m]!;
    const row = rows.get(rowKey(n, kind));
    this.sense(row !== undefined);
    this.rule("a row ends when its end is known", row!.phase !== "unsure");
    if (row!.phase === "waits") sent.add(`${n} ${row!.text}`);
    rows.delete(rowKey(n, kind));
    if (this.isOff("an effect ends what was seen")) return;
    // Scans before the effect no longer count.
    this.at[m]!.scans.delete(n);
    if (row!.phase === "undone") this.at[m]!.seen.delete(n);
  }

  /** Opens a conflict, or shows its newer version in the copy. */
  #show(m: number, n: Note): void {
    const { base, read, seen: shown, conflicts, asked } = this.at[m]!;
    const [seen, local] = [shown.get(n), read.get(n)];
    this.sense(seen?.text != null && local !== undefined && seen.text !== local && local !== base.get(n)?.text);
    this.sense(seen!.ver !== base.get(n)?.ver);
    this.rule("a version is shown once", conflicts.get(n)?.ver !== seen!.ver);
    this.fault("a decision is asked for twice", asked.has(`${n} ${seen!.ver}`));
    asked.add(`${n} ${seen!.ver}`);
    conflicts.set(n, { ...seen!, text: seen!.text! });
  }

  /** Returns the promises that are broken now. */
  broken(): readonly string[] {
    const broken = [...this.faults];
    for (const text of this.knows.keys()) if (!this.#isSomewhere(text)) broken.push("a text is lost");
    for (const { base, held } of this.at)
      for (const [n, { ver, text }] of base) {
        const isHeld = [...(held.get(n) ?? [])].some((one) => this.known(one).has(text));
        if (!isHeld || !this.versions.has(`${n} ${ver} ${text}`)) broken.push("base is no version that both sides had");
      }
    return broken;
  }

  #isSomewhere(text: Text): boolean {
    const onService = [...this.live.values(), ...this.reviews.values()].map((one) => one.text);
    const inFolders = this.at.flatMap(({ store, files }) => [
      ...store,
      ...[...files.values()].map((file) => file.text),
    ]);
    return [...onService, ...inFolders, ...this.givenUp].some((one) => this.known(one).has(text));
  }
}
