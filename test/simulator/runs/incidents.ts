import type { DocId } from "../../../src/contract/ids.ts";
import type { WireRequest } from "../../../src/contract/wire.ts";
import type { Fs } from "../../../src/mirror/ports/disk.ts";
import type { State } from "../../../src/mirror/ports/state.ts";
import { type Aim, ownPath } from "./aim.ts";
import { actInApp } from "./app-acts.ts";
import type { Actors } from "./actors.ts";
import { choose } from "./choices.ts";
import type { Ledger } from "./ledger.ts";
import { actInFolder } from "./local-acts.ts";
import { ROOT } from "../mirror.ts";
import { type AppAct, type IncidentKind, type Moment, MOMENTS, type Incident, type SyncStep } from "./script.ts";
import { problem, type RequestFault } from "./faults.ts";

const SAVES = ["write-in-place", "save-by-rename", "save-with-backup", "rename"] as const;
const IN_APP: Partial<Readonly<Record<IncidentKind, AppAct>>> = {
  "edited-there": "edit",
  "renamed-there": "rename",
  "removed-there": "remove",
};
const BY_PEOPLE: ReadonlySet<IncidentKind> = new Set([
  "edited-there",
  "renamed-there",
  "removed-there",
  "edited-here",
  "back-here",
  "written-late",
]);
/** A port call by its name in `process.ts`; typed so that a renamed call is an error. */
type PortCall = `state.${keyof State & string}` | `disk.${keyof Fs}`;
const MOMENT_OF_CALL: ReadonlyMap<string, Moment> = new Map<PortCall, Moment>([
  ["state.replaceBlocks", "planned"],
  ["disk.sync", "flush"],
]);
const OWN = `${ROOT}/.mdmirror`;

/**
 * Causes the incidents of a step, each at one kind of moment. Random faults would hardly ever hit
 * the answer to the only PUT of a review, or the moment between a read and its DELETE.
 */
export class Incidents {
  /** True if some incidents are actions of users during the sync. */
  readonly byPeople: boolean;
  /** Port call of the kill; null until its moment has come. */
  killAt: number | null = null;
  readonly #actors: Actors;
  readonly #step: SyncStep;
  readonly #ledger: Ledger;
  readonly #aim: Aim;
  readonly #left = new Map<Incident, number>();

  constructor(actors: Actors, step: SyncStep, ledger: Ledger, aim: Aim) {
    this.#actors = actors;
    this.#step = step;
    this.#ledger = ledger;
    this.#aim = aim;
    const incidents = step.incidents ?? [];
    this.byPeople = incidents.some(({ what }) => BY_PEOPLE.has(what));
    for (const incident of incidents) this.#left.set(incident, incident.nth);
  }

  get #mirror() {
    return this.#actors.mirrors[this.#step.mirror]!;
  }

  /**
   * Called before a request is executed.
   * @returns its fault
   */
  onRequest(request: WireRequest): RequestFault | null {
    if (this.#left.size === 0) return null;
    const moment = this.#momentOf(request);
    if (moment === null) return null;
    let fault: RequestFault | null = null;
    for (const incident of this.#due(moment)) {
      const id = idIn(request);
      const path = id === null ? null : (this.#mirror.state.record(id as DocId)?.localPath ?? null);
      fault = faultOfIncident(incident, request) ?? this.#happen(incident, id, path);
    }
    return fault;
  }

  /** Called before each port call. */
  onCall(member: string): void {
    const moment = MOMENT_OF_CALL.get(member);
    if (this.#left.size === 0 || moment === undefined) return;
    for (const incident of this.#due(moment)) {
      const id = this.#chooseId(incident);
      this.#happen(incident, id, id === null ? null : (this.#mirror.state.record(id as DocId)?.localPath ?? null));
    }
  }

  /** Called before a call of the disk. */
  onDisk(call: string, path: string, to: string | null): void {
    if (this.#left.size === 0 || to === null) return;
    const moment = momentOfCall(call, path, to);
    if (moment === null) return;
    const own = ownPath(moment === "make" ? to : path);
    if (own === null) return;
    const record = [...this.#mirror.state.load().records.values()].find(({ localPath }) => localPath === own);
    for (const incident of this.#due(moment)) this.#happen(incident, record?.id ?? null, own);
  }

  #due(moment: Moment): Incident[] {
    const due: Incident[] = [];
    for (const [incident, nth] of this.#left) {
      if (incident.moment !== moment) continue;
      if (nth > 1) this.#left.set(incident, nth - 1);
      else {
        this.#left.delete(incident);
        this.#actors.tally.moment(moment);
        due.push(incident);
      }
    }
    return due;
  }

  /** Returns the id of a document, preferably of one whose path or content may return. */
  #chooseId({ what, seed }: Incident): string | null {
    const { records } = this.#mirror.state.load();
    const { removed } = this.#mirror.userFolder;
    const fitting = [...records.values()].filter(({ localPath }) => what !== "back-here" || removed.has(localPath));
    return choose(
      fitting.map(({ id }) => id as string),
      seed,
    );
  }

  #momentOf(request: WireRequest): Moment | null {
    const id = idIn(request);
    if (request.method !== "GET") return MOMENTS.find((moment) => moment === request.method) ?? null;
    const record = id === null ? null : this.#mirror.state.record(id as DocId);
    if (record === null) return null;
    return this.#mirror.disk.user.exists(`${ROOT}/${record.localPath}`) ? "read" : "read-absent";
  }

  #happen({ what, seed, calls }: Incident, id: string | null, path: string | null): null {
    const { simulatedWorld, history } = this.#actors;
    const inApp = IN_APP[what];
    if (what === "killed") this.killAt ??= this.#mirror.calls + calls;
    else if (inApp !== undefined && id !== null)
      this.#act(() => history.note(actInApp(simulatedWorld, history, inApp, seed, id)));
    else if (path !== null) this.#here(what, path, seed);
    return null;
  }

  #here(what: IncidentKind, path: string, seed: number): void {
    const { userFolder, setup } = this.#mirror;
    const { history } = this.#actors;
    // RACE: without hard links, a save between the last check and the rename is overwritten.
    if (setup.disk.hardLinks === false || this.#step.trouble === "unmounted") return;
    if (what === "edited-here")
      this.#act(() => history.note(actInFolder(userFolder, history, SAVES[seed % SAVES.length]!, seed, path)));
    else if (what === "written-late" && userFolder.half === null) this.#aim.keepOpen(`${ROOT}/${path}`);
    else if (what === "back-here") this.#act(() => this.#takeBack(path));
  }

  /** Restores a file from the desktop's own trash. */
  #takeBack(path: string): void {
    const { userFolder } = this.#mirror;
    const [removed, whole] = [userFolder.removed.get(path), `${ROOT}/${path}`];
    if (
      removed === undefined ||
      userFolder.user.exists(whole) ||
      !userFolder.user.exists(whole.slice(0, whole.lastIndexOf("/")))
    )
      return;
    userFolder.removed.delete(path);
    userFolder.user.write(whole, removed);
    this.#actors.history.note(`${path} comes back`);
  }

  #act(act: () => void): void {
    this.#actors.tally.interventions++;
    this.#ledger.intervened(act);
    this.#actors.noteIds();
  }
}

function faultOfIncident({ what, seed }: Incident, { method }: WireRequest): RequestFault | null {
  switch (what) {
    case "not-sent":
    case "lost-before":
    case "lost-after":
    case "cut":
      return { kind: what };
    case "late":
      return method === "GET" ? { kind: "lost-before" } : { kind: "late", wait: 1 + (seed % 12) };
    case "unavailable":
      return problem(503, "service_unavailable", { "retry-after": "1" });
    case "broken":
      return problem(500, "internal_error");
    case "refused":
      return problem(403, "forbidden");
    default:
      return null;
  }
}

function momentOfCall(call: string, path: string, to: string): Moment | null {
  const isOwn = path.startsWith(OWN);
  if (to.startsWith(`${OWN}/tmp/`)) return call === "rename" && !isOwn ? "park" : null;
  if (to.startsWith(`${OWN}/trash/`)) return call === "rename" && !isOwn ? "trash" : null;
  if (isOwn) return "make";
  return "rename";
}

function idIn({ path }: WireRequest): string | null {
  return /^\/v1\/files\/([^/?]+)/.exec(path)?.[1] ?? null;
}
