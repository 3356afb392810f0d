import { History } from "./history.ts";
import { tagOf } from "./contents.ts";
import { SimulatedWorld } from "./world.ts";
import { WireOracle } from "./oracle-wire.ts";
import { SimulatedMirror } from "./mirror.ts";
import type { Moment, Script } from "./script.ts";

/** Counts of what happened in a run. */
class Tally {
  portCalls = 0;
  kills = 0;
  powerCuts = 0;
  interventions = 0;
  syncs = 0;
  watches = 0;
  /** Links that were checked at the end. */
  links = 0;
  /** Paths that the daemon reported to a waiting program as live, and that were checked. */
  barriers = 0;
  /** Number of injected faults, by kind. */
  readonly faults = new Map<string, number>();
  /** Number of incidents whose moment has come, by moment. */
  readonly moments = new Map<Moment, number>();

  fault(kind: string): void {
    this.faults.set(kind, (this.faults.get(kind) ?? 0) + 1);
  }

  moment(moment: Moment): void {
    this.moments.set(moment, (this.moments.get(moment) ?? 0) + 1);
  }
}

/** All participants of one run. */
export class Actors {
  readonly simulatedWorld: SimulatedWorld;
  readonly history = new History();
  readonly mirrors: readonly SimulatedMirror[];
  readonly oracles: readonly WireOracle[];
  readonly tally = new Tally();
  readonly crashPoints = new Set<string>();
  /**
   * Tags of documents by id: the one in the first content, and the one in the last seen content.
   */
  readonly #tags = new Map<string, string>();
  readonly #lastTags = new Map<string, string>();
  /** Ids that the key of the syncing mirror could not read at some time of its present sync. */
  readonly #everUnreadable = new Set<string>();
  /** Ids that some mirror's key could not read at some time of any sync. */
  readonly #everHidden = new Set<string>();
  /** Index of the mirror that syncs. */
  #syncing = 0;

  constructor({ seed, setup }: Script) {
    this.simulatedWorld = new SimulatedWorld(seed, setup);
    const shared = { links: setup.links === true };
    this.mirrors = setup.mirrors.map(
      (one, index) => new SimulatedMirror(this.simulatedWorld, index, { ...one, ...shared }, seed),
    );
    this.mirrors[0]!.direction = setup.direction ?? "both";
    this.oracles = this.mirrors.map((mirror) => new WireOracle(mirror, this.simulatedWorld, this.history));
    this.simulatedWorld.watcher = {
      serving: (key, request, late) => {
        const index = this.simulatedWorld.keys.findIndex((one) => one.key === key);
        return index === -1 ? () => undefined : this.oracles[index]!.serving(request, late);
      },
    };
  }

  startSync(mirror: number): void {
    this.#syncing = mirror;
    this.#everUnreadable.clear();
    this.noteIds();
  }

  /** Records the ids that the syncing mirror cannot read now. */
  noteIds(): void {
    const readable = new Set(this.simulatedWorld.readable(this.#syncing).map(({ id }) => id as string));
    this.liveIds();
    for (const id of this.#tags.keys())
      if (!readable.has(id)) {
        this.#everUnreadable.add(id);
        this.#everHidden.add(id);
      }
  }

  /** Returns true if some mirror could not read the document at some time. */
  wasHidden(id: string): boolean {
    return this.#everHidden.has(id);
  }

  wasUnreadable(id: string): boolean {
    return this.#everUnreadable.has(id);
  }

  /** Returns the id of every live document, with the tag of its first content. */
  liveIds(): Map<string, string> {
    const files = this.simulatedWorld.files();
    for (const { id, text } of files) {
      const tag = tagOf(text) ?? "";
      if (!this.#tags.has(id)) this.#tags.set(id, tag);
      this.#lastTags.set(id, tag);
    }
    return new Map(files.map(({ id }) => [id as string, this.#tags.get(id)!]));
  }

  /** Returns true if the document's first content had this tag, whatever tag it has now. */
  beganWith(id: string, tag: string): boolean {
    return this.#tags.get(id) === tag;
  }

  /**
   * Returns true if a document may lose its id: a user deleted it, or no evidence distinguishes it
   * from another. Two new documents at one path become one when a user keeps one content and
   * removes the other. From then on the file with the kept content is that document, whatever tag
   * it has.
   */
  mayVanish(id: string): boolean {
    const { mayVanish } = this.history;
    return mayVanish.has(this.#tags.get(id) ?? "") || mayVanish.has(this.#lastTags.get(id) ?? "");
  }

  close(): void {
    for (const mirror of this.mirrors) mirror.close();
  }
}
