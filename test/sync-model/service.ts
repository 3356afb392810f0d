import type { Event, Mirror, Note, Row, Text, Version } from "./state.ts";

/** Thrown for an event that a rule forbids; the message is the rule's name. */
export class Refused extends Error {}

const NOTHING: ReadonlySet<Text> = new Set();

type ActOnService = Extract<Event, { do: "save-remote" | "remove-remote" | "rename-remote" | "protect" | "review" }>;

/**
 * The service in the model: documents, reviews, and which versions the authors of contents had
 * seen.
 */
export class ModelService {
  readonly live = new Map<Note, Version>();
  readonly reviews = new Map<string, { readonly n: Note; readonly text: Text }>();
  readonly knows = new Map<Text, Set<Text>>();
  /** Contents that a user deleted, rejected or replaced by choice. */
  readonly givenUp = new Set<Text>();
  /** Promises that were broken. */
  readonly faults = new Set<string>();
  protected readonly versions = new Set<string>();
  /** Documents that were deleted on the service. */
  protected readonly ended = new Set<Note>();
  /** Contents that went to review, each with its sender and the version on which it was based. */
  readonly #reviewed = new Set<string>();
  readonly #off: string | null;

  /** @param off name of the rule that is left out; null for none */
  constructor(off: string | null) {
    this.#off = off;
  }

  isOff(rule: string): boolean {
    return this.#off === rule;
  }

  protected rule(name: string, holds: boolean): void {
    if (!holds && this.#off !== name) throw new Refused(name);
  }

  /** Refuses an event that is not possible, in mutants too. */
  protected sense(holds: boolean): void {
    if (!holds) throw new Refused("no sense");
  }

  protected fault(promise: string, isBroken: boolean): void {
    if (isBroken) this.faults.add(promise);
  }

  known(text: Text | null | undefined): ReadonlySet<Text> {
    return this.knows.get(text ?? "") ?? NOTHING;
  }

  protected learn(text: Text, ...from: readonly (Text | null | undefined)[]): void {
    const known = this.knows.get(text) ?? new Set([text]);
    for (const one of from) for (const more of this.known(one)) known.add(more);
    this.knows.set(text, known);
  }

  protected publish(n: Note, text: Text, ver: string, name: string): void {
    const old = this.live.get(n);
    this.fault("a version that nobody saw is replaced", old !== undefined && !this.known(text).has(old.text));
    this.live.set(n, { ver, text, name: old?.name ?? name, isProtected: old?.isProtected ?? false });
    this.versions.add(`${n} ${ver} ${text}`);
  }

  protected actOnService(event: ActOnService): void {
    switch (event.do) {
      case "save-remote":
        this.learn(event.text, this.live.get(event.n)?.text);
        this.publish(event.n, event.text, event.ver, event.name);
        return;
      case "remove-remote": {
        const old = this.live.get(event.n);
        this.sense(old !== undefined);
        this.givenUp.add(old!.text);
        for (const [key, { n, text }] of this.reviews)
          if (n === event.n) {
            this.givenUp.add(text);
            this.reviews.delete(key);
          }
        this.ended.add(event.n);
        this.live.delete(event.n);
        return;
      }
      case "rename-remote": {
        const old = this.live.get(event.n);
        this.sense(old !== undefined && ![...this.live.values()].some(({ name }) => name === event.name));
        this.live.set(event.n, { ...old!, name: event.name });
        return;
      }
      case "protect": {
        const old = this.live.get(event.n);
        this.sense(old !== undefined);
        this.live.set(event.n, { ...old!, isProtected: event.on });
        return;
      }
      case "review": {
        const [key, old] = [`${event.n} ${event.text}`, this.live.get(event.n)];
        this.sense(this.reviews.has(key) && old !== undefined);
        this.reviews.delete(key);
        if (!event.accepts) {
          this.givenUp.add(event.text);
          return;
        }
        // A user who accepts an edit has seen the version that it replaces, and gives it up.
        this.givenUp.add(old!.text);
        this.learn(event.text, old!.text);
        this.publish(event.n, event.text, event.ver, old!.name);
        return;
      }
    }
  }

  /** Executes a request. */
  protected serve(m: number, by: Mirror, n: Note, row: Row, ver: string): "done" | "waits" | "undone" {
    const live = this.live.get(n);
    const { files, left, base } = by;
    if (row.kind === "post") {
      if ([...this.live.values()].some(({ name }) => name === row.name)) return "undone";
      this.fault("a document is doubled", live !== undefined);
      this.publish(n, row.text!, ver, row.name!);
      return "done";
    }
    if (live === undefined) return row.kind === "delete" ? "done" : "undone";
    switch (row.kind) {
      case "put": {
        if (!live.isProtected && live.ver === row.ver) {
          this.publish(n, row.text!, ver, live.name);
          return "done";
        }
        const key = `${n} ${row.text}`;
        this.fault("a decision is asked for twice", this.#reviewed.has(`${m} ${key} ${row.ver}`));
        this.#reviewed.add(`${m} ${key} ${row.ver}`);
        this.reviews.set(key, { n, text: row.text! });
        return "waits";
      }
      case "patch":
        if ([...this.live.values()].some(({ name }) => name === row.name)) return "undone";
        this.live.set(n, { ...live, name: row.name! });
        return "done";
      default:
        this.fault("a version that nobody saw is deleted", !this.known(left.get(n)).has(live.text));
        this.fault("a document is deleted without proof", files.has(n) || live.name !== base.get(n)?.name);
        this.live.delete(n);
        this.ended.add(n);
        return "done";
    }
  }
}
