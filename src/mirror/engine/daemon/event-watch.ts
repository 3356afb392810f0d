import type { RemoteFile } from "../../model/tree.ts";
import type { EventHint, EventListener, EventStreamState, RemoteEvents } from "../../ports/remote.ts";
import { fromServicePath, toService, type World } from "../run/world.ts";
import type { DaemonRuns } from "./runs.ts";
import type { Schedule } from "./schedule.ts";
import type { DocumentRecord } from "../../model/record.ts";
import type { RemotePath } from "../../../contract/path.ts";
import { isRemoteAsBase } from "../../model/base.ts";
import { toRemoteFiles } from "../observe/listed.ts";
import type { FileHint } from "./remote-hints.ts";

type EventWatchParts = {
  readonly world: World;
  /** Event stream of the service; null if the daemon does not use one. */
  readonly events: RemoteEvents | null;
  readonly runs: Pick<DaemonRuns, "hints" | "knownTrees">;
  readonly schedule: Pick<Schedule, "noteListening" | "pollAt">;
  readonly wakeBy: (time: number) => void;
};

export class EventWatch implements EventListener {
  readonly #parts: EventWatchParts;
  #state: EventStreamState = { kind: "off" };

  constructor(parts: EventWatchParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#parts.events?.start(this);
  }

  async close(): Promise<void> {
    await this.#parts.events?.close();
    this.#state = { kind: "off" };
  }

  state(): EventStreamState {
    return this.#state;
  }

  onHint(hint: EventHint): void {
    const { runs, wakeBy } = this.#parts;
    const isFirst = runs.hints.dueAt() === null;
    runs.hints.note(hint, this.#now());
    if (isFirst) wakeBy(runs.hints.dueAt()!);
  }

  onState(state: EventStreamState): void {
    const { world, schedule, wakeBy } = this.#parts;
    const earlierState = this.#state;
    this.#state = state;
    schedule.noteListening(state.kind === "listening");
    if (earlierState.kind === "listening") wakeBy(schedule.pollAt());
    const reason = "why" in state ? state.why : null;
    if (state.kind !== earlierState.kind) world.log.write("info", "events", { state: state.kind, why: reason });
  }

  /** @returns the documents that differ from base; null if only a listing can show what changed */
  async requestDocuments(): Promise<readonly RemoteFile[] | null> {
    const { world, runs } = this.#parts;
    const hintedDocuments = runs.hints.take();
    if (hintedDocuments.kind === "all") {
      if (hintedDocuments.folders) {
        runs.knownTrees.forgetRemote(true);
        this.payForList();
      }
      return null;
    }
    const documents = await requestHintedDocuments(world, hintedDocuments.files);
    if (documents === null) return null;
    const changedFiles = documents.filter((file) => {
      const record = world.state.record(file.id);
      return record === null || !isRemoteAsBase(record, file);
    });
    runs.hints.pay(documents.length - changedFiles.length, this.#now());
    return changedFiles;
  }

  /** Subtracts the listing that an event caused from the budget for requests that events cause. */
  payForList(): void {
    const { hints, knownTrees } = this.#parts.runs;
    hints.payForList(knownTrees.documentCount(), this.#now());
  }

  #now(): number {
    return this.#parts.world.clock.monotonic();
  }
}

/**
 * Requests each document by its exact path, so that each answer is small. The version in an event
 * is only used to skip a request.
 * @returns null if only a listing can show what changed, because a document was moved, is gone, or
 * could not be read
 */
async function requestHintedDocuments(world: World, hints: readonly FileHint[]): Promise<RemoteFile[] | null> {
  const requests: { readonly hint: FileHint; readonly path: RemotePath }[] = [];
  for (const hint of hints) {
    const path = findPathToRequest(world, hint, world.state.record(hint.id));
    if (path === "elsewhere") return null;
    if (path !== "known") requests.push({ hint, path });
  }
  const documents = await Promise.all(requests.map(({ hint, path }) => requestDocumentAt(world, hint, path)));
  return documents.every((file) => file !== null) ? documents : null;
}

/**
 * Returns the path at which to request a document, relative to the linked part of the workspace.
 * - `known`: no request is needed, because base is up to date.
 * - `elsewhere`: the document is gone, was moved, or has an unknown path. Other documents may have
 *   moved too, so a listing is needed.
 */
function findPathToRequest(
  world: World,
  hint: FileHint,
  record: DocumentRecord | null,
): RemotePath | "known" | "elsewhere" {
  const { gone, changeId } = hint;
  const path = hint.path === null ? null : fromServicePath(world, hint.path);
  const isOutside = hint.path !== null && (path === null || path === "");
  if (record === null) return gone || isOutside ? "known" : (path ?? "elsewhere");
  if (gone || isOutside || (path !== null && path !== record.remotePath)) return "elsewhere";
  return path !== null && changeId === record.changeId ? "known" : record.remotePath;
}

/**
 * Requests a document. Returns null without an answer, or if the path has another document or none.
 */
async function requestDocumentAt(world: World, { id }: FileHint, path: RemotePath): Promise<RemoteFile | null> {
  const listing = await world.remote.listFiles({ kind: "path", path: toService(world, path) });
  const file = listing.complete ? toRemoteFiles(world, listing).get(id) : undefined;
  return file?.path === path ? file : null;
}
