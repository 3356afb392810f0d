import { FILES } from "../../src/contract/resources.ts";
import type { WireRequest } from "../../src/contract/wire.ts";
import { digestOf } from "../../src/contract/digest.ts";
import { META } from "../../src/mirror/engine/run/meta.ts";
import { toApprovalKey } from "../../src/mirror/planner/verdict/stops.ts";
import type { RunReport } from "../../src/mirror/engine/run/report.ts";
import { syncToConvergence } from "../../src/mirror/engine/run/converge.ts";
import type { Settings, World } from "../../src/mirror/engine/run/world.ts";
import type { Fault, Variant } from "../variants/variant.ts";
import type { StoredState } from "../../src/mirror/state/state.ts";
import { Moment, type Pair } from "../simulator/moment.ts";
import { type Mirror, type MirrorOptions, SETTINGS } from "../simulator/mirror.ts";
import { createRig, type Deployment, type Rig } from "../simulator/rig.ts";
import { openIn } from "../state/fixture.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/**
 * The fixture of all promise tests: a rig that records every request, with faults by a function
 * that tests may replace. `Restartable` adds a state file on a real disk.
 */

export type SeenRequest = {
  readonly method: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>> | null;
};

export type Fixture = {
  readonly rig: Rig;
  readonly mirror: Mirror;
  /** Requests of the client in the order of sending, also those that failed. */
  readonly seen: SeenRequest[];
  /** Called with each request before it is answered. */
  onRequest: (request: SeenRequest) => void;
  /** Returns the fault of a request; null for none. */
  fault: (request: SeenRequest) => Fault | null;
};

/**
 * Opens a fixture.
 * @param options of the mirror; a function if they need the rig, such as a key with other grants
 */
export function openFixture(
  seed: number,
  variant: Variant = {},
  options: MirrorOptions | ((rig: Rig) => MirrorOptions) = {},
): Fixture {
  return seeingAll(variant, (deployment) => {
    const rig = createRig(seed, deployment);
    return { rig, mirror: rig.mirror(typeof options === "function" ? options(rig) : options) };
  });
}

/** Opens a fixture that has synced these documents, and removes the record of its requests. */
export async function openSynced(
  documents: Readonly<Record<string, string>>,
  options: MirrorOptions | ((rig: Rig) => MirrorOptions) = {},
  variant: Variant = {},
): Promise<Fixture> {
  const fixture = openFixture(1, variant, options);
  const { rig, mirror } = fixture;
  for (const [path, text] of Object.entries(documents)) rig.app.create(path, text);
  await mirror.sync();
  fixture.seen.length = 0;
  return fixture;
}

/**
 * Opens a fixture with these documents in conflict.
 * @param conflicts base, local version and version on the service, by path
 * @param others documents that are in sync
 */
export async function openConflicts(
  conflicts: Readonly<Record<string, readonly [base: string, mine: string, theirs: string]>>,
  others: Readonly<Record<string, string>> = {},
): Promise<Fixture> {
  const all = Object.entries(conflicts);
  const fixture = await openSynced({ ...Object.fromEntries(all.map(([path, [base]]) => [path, base])), ...others });
  const { rig, mirror } = fixture;
  for (const [path, [, mine, theirs]] of all) {
    mirror.write(path, mine);
    rig.app.edit(path, theirs);
  }
  await mirror.sync();
  const open = mirror.state.load().conflicts.size;
  if (open !== all.length) throw new Error(`${open} conflicts are open`);
  fixture.seen.length = 0;
  return fixture;
}

/**
 * Opens a fixture that continues from a saved moment of another one.
 * @param variant of the other fixture
 */
export function continueFrom(moment: Moment, variant: Variant = {}): Fixture {
  return seeingAll(variant, (deployment) => moment.open(deployment));
}

function seeingAll(variant: Variant, open: (deployment: Deployment) => Pair): Fixture {
  const seen: SeenRequest[] = [];
  const befall = (request: WireRequest): Fault | null => {
    const one = {
      method: request.method,
      path: request.path,
      body: request.body === null ? null : (JSON.parse(request.body) as SeenRequest["body"]),
    };
    seen.push(one);
    fixture.onRequest(one);
    return fixture.fault(one);
  };
  const fixture: Fixture = {
    ...open({ ...variant, fault: befall }),
    seen,
    onRequest: () => undefined,
    fault: () => null,
  };
  return fixture;
}

/** Calls `act` just before the service gets the first request with that method. */
export function beforeFirst(fixture: Fixture, method: string, act: () => void): void {
  fixture.onRequest = (request) => {
    if (request.method !== method) return;
    fixture.onRequest = () => undefined;
    act();
  };
}

export function isWrite({ method }: SeenRequest): boolean {
  return method !== "GET";
}

/** Returns a request with its whole body as a string, so that two requests can be compared. */
export function asText({ method, path, body }: SeenRequest): string {
  return `${method} ${path} ${JSON.stringify(body)}`;
}

/** Returns the reasons why a sync was stopped by a safety check. */
export function stopReasons(report: RunReport | null): string[] {
  return (report?.safetyStop?.reasons ?? []).map(({ reason }) => reason);
}

/** Approves the changes that a sync stopped, and syncs until nothing changes. */
export async function approveAndSettle(mirror: Mirror, { stopped }: RunReport): Promise<void> {
  mirror.state.setMeta(META.approved, JSON.stringify(stopped.map(toApprovalKey)));
  await settle(mirror);
}

/** Counts requests by method and route. */
export function countByRoute(requests: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const request of requests) {
    const route = request.replace(/\?.*/s, "").replace(/\/(doc|dir)_[^/]+/, "/{id}");
    counts[route] = (counts[route] ?? 0) + 1;
  }
  return counts;
}

/** Returns the id of the document whose content a PUT changes; null for other requests. */
export function putId({ method, path }: SeenRequest): string | null {
  return method === "PUT" && path.endsWith("/content") ? path.slice(FILES.length + 1, -"/content".length) : null;
}

export function problem(status: number, code: string, headers: Readonly<Record<string, string>> = {}): Fault {
  const body = {
    type: "about:blank",
    title: code,
    status,
    code,
    detail: `${code}, by the test`,
    requestId: "req_test",
  };
  return {
    status,
    headers: { "content-type": "application/problem+json", ...headers },
    body: JSON.stringify(body),
  };
}

/** An answer to a list request that the client cannot parse. */
export const UNREADABLE_LIST: Fault = {
  status: 200,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ object: "list", data: [{ id: "doc_odd" }], hasMore: false, nextCursor: null }),
};

export const HTML: Fault = { status: 502, headers: { "content-type": "text/html" }, body: "<html>bad gateway</html>" };

/** Syncs until a sync changes nothing. Returns the last report. */
export async function settle(mirror: Mirror, settings: Partial<Settings> = {}): Promise<RunReport> {
  for (let n = 0; n < 8; n++) {
    const report = await mirror.sync(settings);
    if (report === null) throw new Error("killed, while nobody was to kill it");
    const { blocked: _, ...done } = report.counts;
    if (n > 0 && Object.values(done).every((count) => count === 0)) return report;
  }
  throw new Error("no quiet sync in eight");
}

let synced: Promise<Moment> | null = null;

/** Opens a fixture in sync with three documents in `d`, one in `e`, and an empty folder. */
export async function inSync(): Promise<Fixture> {
  synced ??= syncFew();
  return continueFrom(await synced);
}

async function syncFew(): Promise<Moment> {
  const { rig, mirror } = openFixture(8);
  for (const name of ["a", "b", "c"]) rig.app.create(`d/${name}.md`, `${name}\n`);
  rig.app.create("e/k.md", "k\n");
  rig.app.makeFolder("empty");
  await settle(mirror);
  return new Moment({ rig, mirror });
}

/**
 * Uses a real state file for a fixture, which can be closed and opened again as by a new process.
 */
export class Restartable {
  readonly folder = temporaryFolder();
  readonly #fixture: Fixture;
  #state: StoredState;

  constructor(fixture: Fixture) {
    this.#fixture = fixture;
    this.#state = this.#open();
    const from = fixture.mirror.state;
    for (const key of ["root.marker", "root.dev", "root.ino", "root.birth"]) this.#state.setMeta(key, from.meta(key));
  }

  #open(): StoredState {
    return openIn(this.folder, this.#fixture.rig.clock);
  }

  state(): StoredState {
    return this.#state;
  }

  restart(): void {
    this.#state.close();
    this.#state = this.#open();
  }

  async sync(settings: Partial<Settings> = {}, retryRefused = false): Promise<RunReport> {
    const { mirror } = this.#fixture;
    const world: World = { ...mirror.world(), state: this.#state };
    try {
      return await syncToConvergence(world, { settings: { ...SETTINGS, ...settings }, retryRefused, kind: "sync" });
    } finally {
      mirror.disk.advance(10);
    }
  }
}

export function workspaceOf({ service }: Rig): string {
  return service.admin.workspaces()[0]!.id;
}

/**
 * Returns true if the content is live on a side, in the content store, or in a file below
 * `.mdmirror`.
 */
export function keepsText({ rig, mirror }: Pair, text: string): boolean {
  const live = [...mirror.texts().values(), ...rig.app.texts().values()];
  const below = mirror.disk.user.texts(mirror.path(".mdmirror"), true).values();
  return live.includes(text) || [...below].includes(text) || mirror.state.hasText(digestOf(text));
}
