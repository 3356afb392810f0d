import type { WireRequest, WireResponse } from "../../../src/contract/wire.ts";
import type { Clock } from "../../../src/common/clock.ts";
import { combineByMerge } from "../../../src/service/files/files.ts";
import { newId } from "../../../src/service/requests/context.ts";
import { SyncService, type SyncServiceOptions } from "../../sync-service/service.ts";
import { emptyDatabase } from "../empty-service.ts";
import type { VariantState } from "../../variants/variant.ts";
import { loosenService, shownChangeId, tightenIds } from "../../variants/traits.ts";
import { varyService } from "../../variants/vary-service.ts";
import { VirtualClock } from "../../clocks.ts";
import { type Dice, rollDice } from "../dice.ts";
import { foldNames } from "../folding-service.ts";
import { ReadAnswers } from "../read-answers.ts";
import { App, type AppFile } from "../app.ts";
import { choose } from "./choices.ts";
import type { Levels, Setup } from "./script.ts";
import { rethrow } from "../quiet-ports.ts";
import type { DocId } from "../../../src/contract/ids.ts";
import { FILES } from "../../../src/contract/resources.ts";

/** Observes the requests of mirrors at the moment when the service executes them. */
type ServiceObserver = {
  /** @returns a function that is called with the answer */
  serving(key: string, request: WireRequest, late: boolean): (response: WireResponse) => void;
};

/** Pauses for longer than an answer takes, so that all other work can continue. */
async function pauseForAnswers(): Promise<void> {
  for (let n = 0; n < 40; n++) await null;
}

/**
 * The service with its backup, its keys, the user of the web app, and write requests that are still
 * on their way.
 */
export class SimulatedWorld {
  readonly clock: Clock;
  /** True if the service normalizes contents. */
  readonly normalises: boolean;
  /** True if the service refuses an edit that it cannot merge, instead of sending it to review. */
  readonly refusesConflicts: boolean;
  /** True if the service may send events. */
  readonly hasEvents: boolean;
  /** Clock of the mirrors, which may be wrong. */
  readonly wallClock: Clock;
  /** True if users keep files open in editors. */
  readonly hands: boolean;
  readonly app: App;
  readonly keys: readonly { readonly id: string; readonly key: string }[];
  /** Answers a request of a mirror. */
  readonly handle: (request: WireRequest) => Promise<WireResponse>;
  watcher: ServiceObserver | null = null;
  readonly late = new LateWrites((request) => this.handle(request));
  /** How often the service was restored from a backup. */
  restored = 0;
  #service: SyncService;
  readonly #fold: SyncService["answer"];
  readonly #reads: ReadAnswers;
  #backup: { readonly database: Uint8Array; readonly renames: ReadonlyMap<string, number> } | null = null;
  readonly #varied: VariantState = {
    requests: 0,
    renames: new Map(),
    now: () => this.clock.now(),
    withdraw: async (changeId) => void this.admin.reviews.reject(tightenIds(changeId)),
  };
  readonly #lists: LiveLists;
  #off: number;
  readonly #options: Omit<SyncServiceOptions, "database">;

  constructor(seed: number, setup: Setup) {
    const dice: Dice = rollDice(seed + 0x51ed);
    const clock = new VirtualClock();
    this.clock = clock;
    this.normalises = setup.variant.normalise === true;
    this.refusesConflicts = setup.variant.conflictsRefused === true;
    this.hasEvents = setup.variant.noEvents !== true;
    this.#off = setup.clockOff;
    this.hands = setup.hands === true;
    this.wallClock = {
      now: () => clock.now() + this.#off,
      monotonic: () => clock.monotonic(),
      sleep: (ms, signal) => clock.sleep(ms, signal),
      ...(setup.turns === true ? { turn: pauseForAnswers } : {}),
    };
    this.#options = {
      now: () => clock.now(),
      random: dice.bytes,
      combine: setup.combines ? combineByMerge : () => null,
      onFault: rethrow,
      ...(setup.links === true ? { links: "resolve" } : {}),
    };
    this.#reads = new ReadAnswers(
      () => newId(this.#options, "req_"),
      // Reads `#service` at each call, because a restore replaces it.
      (request) => this.#service.answer(request),
    );
    this.#lists = new LiveLists(
      (look) => this.whileOpen(look),
      () => newId(this.#options, "req_"),
    );
    this.#service = new SyncService({ ...this.#options, database: emptyDatabase() });
    const owner = this.#service.admin.createWorkspace("notes");
    const { foldsCase = false, foldsUnicode = false } = setup.variant;
    const read = this.#reads.answer;
    const answer = setup.variant.looseIds === true ? loosenService(read) : read;
    this.#fold = foldNames(answer, { foldsCase, foldsUnicode }, owner.key);
    this.app = this.#appOf(owner.key);
    this.keys = setup.mirrors.map(() => {
      const made = this.#service.admin.createKey({
        workspaceId: owner.workspaceId,
        grants: [{ on: null, level: "full" }],
      });
      if (!("key" in made)) throw new Error(made.detail);
      return made;
    });
    this.handle = varyService(async (request) => this.#serve(request), setup.variant, this.#varied);
  }

  /** Number of lists that were inconsistent because of concurrent writes. */
  get torn(): number {
    return this.#varied.torn ?? 0;
  }

  /** From now on there are no other writers, and no key expires. */
  endFaults(): void {
    this.#varied.calm = true;
  }

  /** Runs requests of the oracle, which get no faults. */
  async withoutFaults<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#varied.calm === true;
    this.#varied.calm = true;
    try {
      return await work();
    } finally {
      this.#varied.calm = before;
    }
  }

  /**
   * For changes only: drops remembered answers. A workspace's state changes every answer, but no
   * list.
   */
  get admin(): SyncService["admin"] {
    this.#reads.forget();
    return this.#service.admin;
  }

  get workspaceId(): string {
    return this.#service.admin.workspaces()[0]!.id;
  }

  setClock(ms: number): void {
    this.#off += ms;
  }

  /** Returns an API for a key, for callers other than mirrors. */
  #appOf(key: string): App {
    return new App({ answer: (request) => this.#answer(request) }, key);
  }

  #answer(request: WireRequest): WireResponse {
    if (request.method !== "GET") this.changed();
    return this.#fold(request);
  }

  /** Called when the service may have changed: the next call lists again. */
  changed(): void {
    this.#lists.forget();
    this.#reads.forget();
  }

  #serve(request: WireRequest): WireResponse {
    const key = /^Bearer (.*)$/.exec(request.headers["authorization"] ?? "")?.[1] ?? "";
    const reported = this.watcher?.serving(key, request, this.late.isArriving);
    const response = this.#answer(request);
    reported?.(response);
    return response;
  }

  backUp(): void {
    this.#backup = { database: this.#service.copy(), renames: new Map(this.#varied.renames) };
  }

  /** Restores the service from its backup. Returns false if there is none. */
  restore(): boolean {
    if (this.#backup === null) return false;
    const { state } = this.#service.admin.workspaces()[0]!;
    this.#service.close();
    this.#service = new SyncService({ ...this.#options, database: { copy: this.#backup.database } });
    // Change ids that came from renames are restored with the documents.
    this.#varied.renames.clear();
    for (const [id, count] of this.#backup.renames) this.#varied.renames.set(id, count);
    this.admin.setWorkspaceState(this.workspaceId, state);
    this.restored++;
    this.changed();
    return true;
  }

  grant(mirror: number, level: Levels, seed: number): void {
    const { id } = this.keys[mirror]!;
    this.changed();
    if (level !== "hide-one-folder") {
      this.admin.changeKey(id, { grants: level === "none" ? [] : [{ on: null, level }] });
      return;
    }
    const folder = choose(this.folders(), seed);
    const hidden = folder === null ? [] : [{ on: this.folderId(folder), level: "none" as const }];
    this.admin.changeKey(id, { grants: [{ on: null, level: "full" }, ...hidden] });
  }

  folderId(path: string): string | null {
    const answer = this.ask("GET", `/v1/folders?path=${encodeURIComponent(path)}`) as {
      data?: { id: string }[];
    } | null;
    const id = answer?.data?.[0]?.id;
    return id === undefined ? null : tightenIds(id);
  }

  /** Returns every live document in order of creation, also while the workspace is closed. */
  files(): readonly LiveFile[] {
    return this.#lists.files("", this.app);
  }

  /** Returns a version's change id as the service shows it to mirrors. */
  shownChangeId({ id, changeId }: LiveFile): string {
    return shownChangeId(id, changeId, this.#varied);
  }

  /** Returns the documents that a mirror's key can read. */
  readable(mirror: number): readonly LiveFile[] {
    const { key } = this.keys[mirror]!;
    return this.#lists.files(key, this.#appOf(key));
  }

  folders(): readonly string[] {
    return this.#lists.folders(this.app);
  }

  /** Sends a request of the web app's user. Returns null if it was refused. */
  ask(method: string, path: string, body?: object): object | null {
    const { status, json } = this.app.call(method, path, body);
    if (status >= 500 && status !== 503) throw new Error(`${method} ${path}: ${status}`);
    return status < 300 ? ((json as object | null) ?? {}) : null;
  }

  /** Runs reads of the oracle, also while the workspace is closed. */
  whileOpen<T>(look: () => T): T {
    const { state } = this.#service.admin.workspaces()[0]!;
    if (state === "open") return look();
    this.admin.setWorkspaceState(this.workspaceId, "open");
    try {
      return look();
    } finally {
      this.admin.setWorkspaceState(this.workspaceId, state);
    }
  }
}

type LateWrite = { readonly request: WireRequest; wait: number };

/** Write requests without an answer that are still on their way to the service. */
class LateWrites {
  readonly #handle: (request: WireRequest) => Promise<WireResponse>;
  #underWay: LateWrite[] = [];
  /** Number of writes that have arrived. */
  arrived = 0;
  /** True while the service executes one of them. */
  isArriving = false;

  constructor(handle: (request: WireRequest) => Promise<WireResponse>) {
    this.#handle = handle;
  }

  /** Sends a write that arrives after `wait` more requests. */
  delay(request: WireRequest, wait: number): void {
    this.#underWay.push({ request, wait });
  }

  /** True if a write is on its way. */
  get awaits(): boolean {
    return this.#underWay.length > 0;
  }

  /**
   * Called for each sent request. Executes the writes that are due.
   * @param all true if all of them arrive now
   */
  async arrive(all = false): Promise<void> {
    if (!this.awaits) return;
    const due = this.#underWay.filter((one) => all || --one.wait <= 0);
    this.#underWay = this.#underWay.filter((one) => !due.includes(one));
    this.arrived += due.length;
    for (const { request } of due) {
      this.isArriving = true;
      try {
        await this.#handle(request);
      } finally {
        this.isArriving = false;
      }
    }
  }
}

export type LiveFile = AppFile & { readonly protected: boolean };

/**
 * The documents that each key can read on the service. They are listed once until something
 * changes.
 */
class LiveLists {
  readonly #whileOpen: <T>(look: () => T) => T;
  readonly #drawRequestId: () => void;
  readonly #listed = new Map<string, { files?: LiveFile[]; folders?: string[] }>();
  /** Contents by document and version. */
  readonly #texts = new Map<string, string>();

  constructor(whileOpen: <T>(look: () => T) => T, drawRequestId: () => void) {
    this.#whileOpen = whileOpen;
    this.#drawRequestId = drawRequestId;
  }

  /** Called when something may have changed on the service: the next call lists again. */
  forget(): void {
    this.#listed.clear();
  }

  /** @param key "" for the web app's user */
  files(key: string, app: App): readonly LiveFile[] {
    const listed = this.#of(key);
    listed.files ??= this.#whileOpen(() => this.#listFiles(app));
    return listed.files;
  }

  folders(app: App): readonly string[] {
    const listed = this.#of("");
    listed.folders ??= this.#whileOpen(() => app.folders());
    return listed.folders;
  }

  #of(key: string): { files?: LiveFile[]; folders?: string[] } {
    const listed = this.#listed.get(key) ?? {};
    this.#listed.set(key, listed);
    return listed;
  }

  /**
   * Lists all documents. A version never changes its content, so each is read once. A skipped read
   * still draws the random bytes of its request id, so that a run does not depend on earlier reads.
   */
  #listFiles(app: App): LiveFile[] {
    const found = app.call("GET", `${FILES}?limit=1000`).json as {
      data: { id: DocId; path: string; lastChangeId: string; protected: boolean }[];
    };
    return found.data.map(({ id, path, lastChangeId, protected: isProtected }) => {
      const version = `${id} ${lastChangeId}`;
      let text = this.#texts.get(version);
      if (text === undefined) {
        text = (app.call("GET", `${FILES}/${id}`).json as { content: string }).content;
        this.#texts.set(version, text);
      } else this.#drawRequestId();
      return { id, path: path.slice(1), changeId: lastChangeId, protected: isProtected, text };
    });
  }
}
