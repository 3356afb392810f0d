import type { DocId } from "../../src/contract/ids.ts";
import { FILES, FOLDERS } from "../../src/contract/routes.ts";
import type { WireRequest } from "../../src/contract/wire.ts";
import { DEFAULT_GUARDS } from "../../src/model/policy.ts";
import type { Remote, RemoteTraits, Wire } from "../../src/ports/remote.ts";
import type { State } from "../../src/ports/state.ts";
import type { Clock, Random } from "../../src/ports/world.ts";
import { rememberRoot } from "../../src/engine/run/guard-facts.ts";
import { META } from "../../src/engine/run/meta.ts";
import type { RunReport } from "../../src/engine/run/report.ts";
import { planOnly, syncToConvergence } from "../../src/engine/run/sync.ts";
import { loadTools } from "../../src/engine/run/tools.ts";
import type { Settings, World } from "../../src/engine/run/world.ts";
import { LocalDisk } from "../../src/local/disk.ts";
import { makeMirrorFolder } from "../../src/local/marker.ts";
import { createRemote } from "../../src/remote/client.ts";
import { combineByMerge } from "../../src/server/combine.ts";
import { newId } from "../../src/server/context.ts";
import { createService, type Service } from "../../src/server/service.ts";
import { emptyDatabase } from "./empty-service.ts";
import type { Variant, VariantState } from "../variants/variant.ts";
import { loosenService, tightenIds } from "../variants/loose-ids.ts";
import { varyService } from "../variants/vary-service.ts";
import type { DiskFolding } from "../../src/model/path.ts";
import type { StoredState } from "../../src/state/state.ts";
import { type VirtualClock, virtualClock } from "../remote/virtual-clock.ts";
import { foldNames } from "./folding-service.ts";
import { openInMemory } from "./memory-state.ts";
import { ReadAnswers } from "./read-answers.ts";
import { createRamDisk, type RamDisk, type RamDiskOptions } from "./ram-disk.ts";
import { type Dice, rollDice } from "./dice.ts";

/**
 * A whole mdmirror in one thread: the real engine, planner, client, disk layer and state over a RAM
 * disk, the service in process and virtual time.
 */

// Before any virtual time: modules are read in the machine's own.
await loadTools();

/**
 * What kills a mirror: thrown by a port call, and by every one after it, until the mirror is
 * started anew.
 */
export class Killed extends Error {
  override readonly name = "Killed";
}

export const ROOT = "/home/ann/notes";

export type AppFile = { readonly id: DocId; readonly path: string; readonly text: string; readonly changeId: string };

/**
 * The person in the app: the service's API with a key of Full access, without any of the client's
 * code.
 */
export type App = {
  create(path: string, text: string): DocId;
  edit(path: string, text: string): void;
  rename(path: string, name: string): void;
  move(path: string, folder: string | null): void;
  remove(path: string): void;
  makeFolder(path: string): void;
  renameFolder(path: string, name: string): void;
  moveFolder(path: string, parent: string | null): void;
  removeFolder(path: string): void;
  protect(path: string, value: boolean): void;
  files(): Map<string, AppFile>;
  folders(): string[];
  /** Any request, refused ones included. */
  call(method: WireRequest["method"], path: string, body?: object): { status: number; json: unknown };
};

export type Mirror = {
  readonly disk: RamDisk;
  readonly state: StoredState;
  /** How often a port was called since the last start. */
  calls(): number;
  /** Dies at this call (1: the next one), counted over disk, state and wire. null: never. */
  killAt(call: number | null): void;
  /**
   * One `sync`, by hand unless `retryRefused` is false; a kill ends it with `null`, as a crash
   * would.
   */
  sync(settings?: Partial<Settings>, run?: { readonly retryRefused: boolean }): Promise<RunReport | null>;
  plan(settings?: Partial<Settings>): ReturnType<typeof planOnly>;
  write(path: string, text: string): void;
  texts(): Map<string, string>;
  path(path: string): string;
  /** Requests that the mirror sent since it was made, as `METHOD /path`. */
  readonly requests: string[];
  world(): World;
  /** Of all that outlives the process, between two runs. */
  copy(): MirrorCopy;
};

/** A disk and a state, as the mirror left them. */
export type MirrorCopy = {
  readonly disk: Buffer;
  readonly rows: Buffer;
  readonly texts: Buffer;
  readonly requests: readonly string[];
};

export type Rig = {
  readonly clock: VirtualClock;
  readonly service: Service;
  readonly app: App;
  /** @param from of a mirror with the same options on the rig that this one is a copy of */
  mirror(options?: MirrorOptions, from?: MirrorCopy): Mirror;
  readonly dice: Dice;
  /** Of the service, its clock and its dice, between two requests. */
  copy(): RigCopy;
};

/** A service with what is around it, as it was. */
export type RigCopy = {
  readonly database: Uint8Array;
  readonly key: string;
  readonly dice: number;
  /** Milliseconds that passed. */
  readonly elapsed: number;
  readonly requests: number;
  readonly renames: ReadonlyMap<string, number>;
};

export type MirrorOptions = {
  readonly disk?: RamDiskOptions;
  readonly prefix?: string;
  readonly key?: string;
  readonly fill?: (disk: RamDisk) => void;
};

export const SETTINGS: Settings = {
  names: "map",
  direction: "both",
  prefer: null,
  conflicts: () => "sidecar",
  retryRefused: false,
  guards: DEFAULT_GUARDS,
  reviewAfterQuiet: false,
  secondLookMs: 2_000,
};

/** Another deployment: one of the variants, or one that takes several spellings for one name. */
export type Deployment = Variant & Partial<DiskFolding>;

/**
 * @param from what it goes on from: a copy of a rig of the same kind; by default an empty workspace
 */
export function createRig(
  seed: number,
  variant: Deployment = {},
  combine = combineByMerge,
  from: RigCopy | null = null,
): Rig {
  const dice = rollDice(from?.dice ?? seed);
  const clock = virtualClock(false, from?.elapsed);
  const random = (bytes: number) => Uint8Array.from({ length: bytes }, () => dice.below(256));
  const service = createService({
    database: from === null ? emptyDatabase() : { copy: from.database },
    now: () => clock.now(),
    random,
    combine,
    onFault: (error) => {
      throw error;
    },
  });
  const key = from?.key ?? service.admin.createWorkspace("notes").key;
  const folding = { foldsCase: variant.foldsCase === true, foldsUnicode: variant.foldsUnicode === true };
  const reads = new ReadAnswers(() => newId({ random }, "req_"));
  const read = (request: WireRequest) => reads.answer(request, service.answer);
  const answer = foldNames(variant.looseIds === true ? loosenService(read) : read, folding, key);
  const varied: VariantState = {
    requests: from?.requests ?? 0,
    renames: new Map(from?.renames),
    now: () => clock.now(),
    withdraw: (changeId) => void opened.admin.reviews.reject(tightenIds(changeId)),
  };
  const handle = varyService(async (request) => answer(request), variant, varied);
  const opened = reads.open(service);
  return {
    clock,
    service: opened,
    dice,
    app: createApp({ answer }, key),
    mirror: (options = {}, copy = undefined) => createMirror({ key, handle, clock, dice }, options, copy ?? null),
    copy: () => ({
      database: service.copy(),
      key,
      dice: dice.seedNow(),
      elapsed: clock.monotonic(),
      requests: varied.requests,
      renames: new Map(varied.renames),
    }),
  };
}

type Fixture = { readonly key: string; readonly handle: Service["handle"]; readonly clock: Clock; readonly dice: Dice };

/** A disk with a folder that is to become a mirror. */
function startDisk(options: MirrorOptions): RamDisk {
  const disk = createRamDisk(options.disk);
  disk.user.makeFolder(ROOT);
  options.fill?.(disk);
  makeMirrorFolder(disk, ROOT, "marker-1");
  return disk;
}

function createMirror(fixture: Fixture, options: MirrorOptions, from: MirrorCopy | null): Mirror {
  const { clock, dice } = fixture;
  const disk = from === null ? startDisk(options) : createRamDisk(options.disk, from.disk);
  const { state, copy } = openInMemory(clock, from);
  const requests: string[] = [...(from?.requests ?? [])];
  const random: Random = { fraction: () => dice.fraction(), hex: (n) => dice.hex(n) };
  let calls = 0;
  let killAt: number | null = null;
  let dead = false;

  function enter(): void {
    if (dead) throw new Killed("the process is gone");
    calls++;
    if (killAt !== null && --killAt <= 0) {
      dead = true;
      throw new Killed("killed here");
    }
  }

  const wire: Wire = {
    async send(request) {
      enter();
      requests.push(`${request.method} ${request.path}`);
      let response: Awaited<ReturnType<Service["handle"]>>;
      try {
        response = await fixture.handle(request);
      } catch (error) {
        if ((error as Error).name !== "ConnectionLost") throw error;
        return { kind: "lost", why: (error as Error).message };
      }
      // A second moment to die: the service has done it, and nobody heard.
      enter();
      return { kind: "answer", response };
    },
    close: async () => undefined,
  };

  function start(): World {
    dead = false;
    calls = 0;
    disk.beforeCall = enter;
    const guarded = guardState(state, enter);
    const traits = state.meta(META.traits);
    const log = { write: () => undefined };
    const remote: Remote = createRemote({
      wire,
      key: options.key ?? fixture.key,
      clock,
      random,
      log,
      traits: traits === null ? null : (JSON.parse(traits) as RemoteTraits),
    });
    return {
      clock,
      random,
      log,
      progress: { report: () => undefined },
      remote,
      disk: new LocalDisk(disk, ROOT, { random }),
      state: guarded,
      bootId: "boot-1",
      prefix: options.prefix ?? "",
    };
  }

  if (from === null) rememberRoot(start());
  disk.beforeCall = null;
  return {
    disk,
    state,
    requests,
    calls: () => calls,
    killAt: (call) => {
      killAt = call;
    },
    async sync(settings = {}, run = { retryRefused: true }) {
      const world = start();
      try {
        return await syncToConvergence(world, {
          settings: { ...SETTINGS, ...settings },
          ...run,
          kind: "sync",
        });
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
        return null;
      } finally {
        killAt = null;
        disk.beforeCall = null;
        disk.advance(10);
      }
    },
    async plan(settings = {}) {
      const world = start();
      try {
        return await planOnly(world, { settings: { ...SETTINGS, ...settings }, retryRefused: true, kind: "sync" });
      } finally {
        disk.beforeCall = null;
      }
    },
    write(path, text) {
      const whole = `${ROOT}/${path}`;
      disk.user.makeFolder(whole.slice(0, whole.lastIndexOf("/")));
      disk.user.write(whole, text);
      disk.advance(10);
    },
    texts: () => disk.user.texts(ROOT),
    path: (path) => `${ROOT}/${path}`,
    world: start,
    copy: () => ({ disk: disk.copy(), ...copy(), requests: [...requests] }),
  };
}

/** Every call of the state is a place to die; inside a transaction that rolls it back. */
function guardState(state: State, enter: () => void): State {
  return new Proxy(state, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        enter();
        return Reflect.apply(member, target, args) as unknown;
      };
    },
  });
}

export function createApp(service: Pick<Service, "answer">, key: string): App {
  const call: App["call"] = (method, path, body) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const answer = service.answer({ method, path, headers, body: body === undefined ? null : JSON.stringify(body) });
    return { status: answer.status, json: answer.body === "" ? null : JSON.parse(answer.body) };
  };
  const must = (method: WireRequest["method"], path: string, body?: object) => {
    const answer = call(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.json)}`);
    return answer.json as Record<string, unknown> & { data: Record<string, unknown>[] };
  };
  const all = (route: string) => {
    const items: Record<string, unknown>[] = [];
    for (let cursor: string | null = null, more = true; more; ) {
      const page = must(
        "GET",
        `${route}${route.includes("?") ? "&" : "?"}limit=1000${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      items.push(...page.data);
      cursor = page["nextCursor"] as string | null;
      more = page["hasMore"] as boolean;
    }
    return items;
  };
  const one = (route: string, path: string) => {
    const found = must("GET", `${route}?path=${encodeURIComponent(path)}`).data[0];
    if (found === undefined) throw new Error(`nothing at ${path} on the service`);
    return found as { id: string; lastChangeId: string };
  };
  const parent = (folder: string | null) => (folder === null ? null : one(FOLDERS, folder).id);
  return {
    call,
    create: (path, text) => must("POST", FILES, { path, content: text })["id"] as DocId,
    edit(path, text) {
      const file = one(FILES, path);
      must("PUT", `${FILES}/${file.id}/content`, { baseChangeId: file.lastChangeId, content: text });
    },
    rename: (path, name) => void must("PATCH", `${FILES}/${one(FILES, path).id}`, { name }),
    move: (path, folder) => void must("PATCH", `${FILES}/${one(FILES, path).id}`, { parentId: parent(folder) }),
    remove: (path) => void must("DELETE", `${FILES}/${one(FILES, path).id}`),
    makeFolder: (path) => void must("POST", FOLDERS, { path }),
    renameFolder: (path, name) => void must("PATCH", `${FOLDERS}/${one(FOLDERS, path).id}`, { name }),
    moveFolder: (path, to) => void must("PATCH", `${FOLDERS}/${one(FOLDERS, path).id}`, { parentId: parent(to) }),
    removeFolder: (path) => void must("DELETE", `${FOLDERS}/${one(FOLDERS, path).id}?recursive=true`),
    protect: (path, value) => void must("PATCH", `${FILES}/${one(FILES, path).id}`, { protected: value }),
    files() {
      return new Map(
        all(FILES).map((item) => {
          const whole = must("GET", `${FILES}/${item["id"] as string}`);
          const file: AppFile = {
            id: item["id"] as DocId,
            path: (item["path"] as string).slice(1),
            text: whole["content"] as string,
            changeId: item["lastChangeId"] as string,
          };
          return [file.path, file] as const;
        }),
      );
    },
    folders() {
      return all(`${FOLDERS}?path_prefix=/`)
        .map((folder) => (folder["path"] as string).slice(1))
        .sort();
    },
  };
}
