/**
 * Reads the outbox, and selects the events for each key by the access checks of the API. The
 * selection happens when the events are sent; each read is one transaction. A key gets only events
 * about items that the key may read now, or could read before the change.
 */
import type { ChangeKind, EventType, FileEvent, FolderEvent } from "../../contract/events.ts";
import type { ChangeId, DirId, DocId } from "../../contract/ids.ts";
import { Access, includesLevel } from "../files/access.ts";
import { toApiPath } from "../files/present.ts";
import { type FileRow, type FolderRow, type GrantRow, type KeyHolder, ROOT } from "../store/rows.ts";
import type { Tables } from "../store/tables.ts";
import type { GoneFolder, OutboxRow } from "./outbox.ts";
import { isRefused } from "../requests/answer.ts";
import { ADMIT_ALL, findHolder, findReader, type KeyReader } from "../requests/authenticate.ts";
import type { ServerContext } from "../requests/context.ts";
import type { Store } from "../store/store.ts";
import { sealPosition } from "../requests/seal.ts";
import type { ListenerGroup } from "./listeners.ts";

type VisibleEvent = { readonly type: EventType; readonly data: FileEvent | FolderEvent | Record<string, never> };

/**
 * LIMIT: number of events that are sent together. A client that missed more events gets a `reset`,
 * because a scan of everything costs less than the events.
 */
const MAX_EVENTS = 200;
/**
 * Row number for a former parent folder that is not known. No key has access to a folder with this
 * row number.
 */
const UNKNOWN_FOLDER = -1;

const RESET_EVENT: VisibleEvent = { type: "reset", data: {} };

/** The last event for each item, by the id of the item, in the order of the outbox rows. */
type VisibleEvents = ReadonlyMap<string, VisibleEvent>;

const NO_EVENTS: VisibleEvents = new Map();

/** Outbox rows of one workspace, together with the current state of the changed items. */
class WorkspaceEvents {
  readonly #tables: Tables;
  readonly #rows: readonly OutboxRow[];
  readonly #files = new Map<number, FileRow>();
  readonly #folders = new Map<number, FolderRow>();
  readonly #goneFiles = new Set<number>();
  readonly #goneFolders = new Map<number, GoneFolder>();
  /** Row number of the parent of each folder that was looked up, even of removed folders. */
  readonly #parents = new Map<number, number>();

  private constructor(tables: Tables, rows: readonly OutboxRow[]) {
    this.#tables = tables;
    this.#rows = rows;
    for (const { kind, change, seq, formerParent, grants } of rows) {
      if (change !== "gone") continue;
      if (kind === "file") this.#goneFiles.add(seq);
      else this.#goneFolders.set(seq, { parent: formerParent ?? ROOT, grants });
    }
  }

  /**
   * Reads the current state of the items that the outbox rows report. All these rows must be of one
   * workspace.
   */
  static async load(tables: Tables, rows: readonly OutboxRow[]): Promise<WorkspaceEvents> {
    const workspaceEvents = new WorkspaceEvents(tables, rows);
    await workspaceEvents.#loadItems();
    return workspaceEvents;
  }

  async #loadItems(): Promise<void> {
    const { files, folders } = this.#tables;
    const seqs = new Set(this.#rows.flatMap(({ kind, seq }) => (kind === "file" ? [seq] : [])));
    for (const file of await files.bySeqs([...seqs])) this.#files.set(file.seq, file);
    for (const { kind, change, workspace, id } of this.#rows) {
      const folder = kind === "folder" && change !== "gone" ? await folders.byId(workspace, id) : undefined;
      if (folder !== undefined) this.#folders.set(folder.seq, folder);
    }
    await this.#ancestors([...this.#places()]);
  }

  concernsKey(key: number): boolean {
    return this.#rows.some(({ kind, seq }) => kind === "access" && (seq === 0 || seq === key));
  }

  /**
   * Returns the events that a key may see, together with earlier events. Returns null if one
   * `reset` must be sent instead of all events, for example because there are too many events.
   */
  async visibleTo({ key, grants }: KeyHolder, earlier = NO_EVENTS): Promise<VisibleEvents | null> {
    if (this.concernsKey(key.seq)) return null;
    const access = await this.#accessOf(key.seq, grants);
    const visibleEvents = new Map(earlier);
    for (const row of this.#rows) {
      const event = row.kind === "file" ? this.#fileEvent(row, access) : this.#folderEvent(row, access);
      if (event === null) continue;
      if (event === RESET_EVENT) return null;
      visibleEvents.delete(row.id);
      visibleEvents.set(row.id, event);
      if (visibleEvents.size > MAX_EVENTS) return null;
    }
    return visibleEvents;
  }

  #fileEvent(row: OutboxRow, access: Access): VisibleEvent | null {
    const file = this.#files.get(row.seq);
    // The file was removed after the outbox row was read. The hub reads the outbox row about the
    // removal later, and makes the event from it, because only it contains the grants on the file.
    if (file === undefined && !this.#goneFiles.has(row.seq)) return null;
    const isReadable = file !== undefined && mayReadFile(access, file.seq, file.parent);
    const wasReadable =
      row.formerParent === null
        ? row.change === "edited" && isReadable
        : mayReadFile(access, row.seq, row.formerParent);
    if (!isReadable && !wasReadable) return null;
    const change = toVisibleChange(row.change, isReadable, wasReadable);
    const currentState = isReadable ? { path: toApiPath(file.path), lastChangeId: file.changeId as ChangeId } : {};
    return { type: "file", data: { id: row.id as DocId, change, ...currentState } };
  }

  #folderEvent(row: OutboxRow, access: Access): VisibleEvent | null {
    const folder = this.#folders.get(row.seq);
    const isReadable = folder !== undefined && includesLevel(access.folder(folder.seq), "read");
    const wasReadable = row.formerParent !== null && couldReadFolder(access, row.seq, row.formerParent);
    // The access of the key differs between folders. So the move may have shown or hidden any
    // document in the moved folder.
    if (row.change === "moved" && access.everywhere === null)
      return isReadable || wasReadable || this.#hasGrantWithin(access, row.seq) ? RESET_EVENT : null;
    if (!isReadable && !wasReadable) return null;
    const change = toVisibleChange(row.change, isReadable, wasReadable);
    const currentState = isReadable ? { path: toApiPath(folder.path) } : {};
    return { type: "folder", data: { id: row.id as DirId, change, ...currentState } };
  }

  /**
   * Returns the access of a key to the current items, and to the items that the outbox rows report
   * as removed.
   */
  async #accessOf(key: number, grants: readonly GrantRow[]): Promise<Access> {
    const allGrants = [...grants, ...this.#grantsOnRemoved(key)];
    const unknownFolderGrant = { kind: "folder", target: UNKNOWN_FOLDER, level: "none" } as const;
    const hasOnlyRootGrants = allGrants.every(({ kind }) => kind === "root");
    const access = new Access(hasOnlyRootGrants ? allGrants : [...allGrants, unknownFolderGrant], {
      ancestors: (seqs) => this.#ancestors(seqs),
    });
    await access.loadAncestors(this.#places());
    if (!hasOnlyRootGrants)
      await this.#ancestors(allGrants.flatMap(({ kind, target }) => (kind === "folder" ? [target] : [])));
    return access;
  }

  #hasGrantWithin({ grants }: Access, folder: number): boolean {
    return grants.some(({ kind, target }) => {
      let ancestor: number | undefined = kind === "folder" ? target : undefined;
      while (ancestor !== undefined && ancestor !== folder) ancestor = this.#parents.get(ancestor);
      return ancestor !== undefined;
    });
  }

  #grantsOnRemoved(key: number): GrantRow[] {
    const fileRows = this.#rows.flatMap(({ kind, seq, grants }) => (kind === "file" ? [{ kind, seq, grants }] : []));
    const folderRows = [...this.#goneFolders].map(([seq, { grants }]) => ({ kind: "folder" as const, seq, grants }));
    return [...fileRows, ...folderRows].flatMap(({ kind, seq, grants }) =>
      grants.flatMap(({ key: of, level }) => (of === key ? [{ kind, target: seq, level }] : [])),
    );
  }

  #places(): Set<number> {
    const folders = new Set<number>();
    for (const { parent } of this.#files.values()) folders.add(parent);
    for (const { kind, seq, formerParent } of this.#rows) {
      if (formerParent !== null) folders.add(formerParent);
      if (kind === "folder") folders.add(seq);
    }
    return folders;
  }

  /**
   * Returns the parent of each folder, and of each folder above it. The result also contains the
   * parents of removed folders, unlike the result of `FoldersTable.ancestors`.
   */
  async #ancestors(seqs: readonly number[]): Promise<ReadonlyMap<number, number>> {
    for (let unknownFolders = this.#unknown(seqs); unknownFolders.length > 0; ) {
      for (const [seq, parent] of await this.#tables.folders.ancestors(unknownFolders)) this.#parents.set(seq, parent);
      const lostFolders = this.#unknown(unknownFolders);
      const unreadFolders = lostFolders.filter((seq) => !this.#goneFolders.has(seq));
      for (const [seq, gone] of unreadFolders.length === 0 ? [] : await this.#tables.outbox.goneFolders(unreadFolders))
        this.#goneFolders.set(seq, gone);
      for (const seq of lostFolders) this.#parents.set(seq, this.#goneFolders.get(seq)?.parent ?? UNKNOWN_FOLDER);
      unknownFolders = this.#unknown(lostFolders.map((seq) => this.#parents.get(seq)!));
    }
    return this.#parents;
  }

  #unknown(seqs: readonly number[]): number[] {
    return [...new Set(seqs)].filter((seq) => seq !== ROOT && seq !== UNKNOWN_FOLDER && !this.#parents.has(seq));
  }
}

/**
 * Returns the change that a key may see. A key that could not read the former folder sees a move as
 * a creation.
 */
function toVisibleChange(change: OutboxRow["change"], isReadable: boolean, wasReadable: boolean): ChangeKind {
  if (!isReadable) return "gone";
  return change === "moved" && !wasReadable ? "created" : change;
}

function mayReadFile(access: Access, seq: number, parent: number): boolean {
  return includesLevel(access.file({ seq, parent }), "read");
}

/**
 * Returns true if a key could read a folder before the change that its outbox row reports.
 * @param parent row number of the folder's former parent
 */
function couldReadFolder(access: Access, seq: number, parent: number): boolean {
  const ownGrant = access.grants.find(({ kind, target }) => kind === "folder" && target === seq);
  return includesLevel(ownGrant?.level ?? access.folder(parent), "read");
}

const ROWS_PER_READ = 500;
/**
 * LIMIT: number of missed outbox rows that are read for a client that connects again. A client that
 * missed more rows gets a `reset`, because a scan of everything then costs less. The SQLite store
 * keeps the same number of rows.
 */
const MAX_MISSED = 20_000;
/**
 * Milliseconds for which the access of a key is cached. If the outbox reports a change of the
 * access earlier, the access is read immediately.
 */
const ACCESS_CACHE_MS = 1_000;

/** Comment line of the stream, which shows the client that the stream works. */
export const HEARTBEAT = ":\n\n";

type ReadEvents = {
  readonly upTo: string;
  /** True if the outbox may have more rows after `upTo`. */
  readonly more: boolean;
  /** Groups of listeners whose key is no longer valid, or whose workspace is closed. */
  readonly ended: readonly ListenerGroup[];
  readonly texts: readonly (readonly [ListenerGroup, string])[];
};

type ReaderContext = Pick<ServerContext, "cursorSecret" | "now" | "random">;

type EventsByWorkspace = ReadonlyMap<number, WorkspaceEvents>;

export class OutboxReader {
  readonly #server: ReaderContext;

  constructor(server: ReaderContext) {
    this.#server = server;
  }

  /**
   * Reads the next rows of the outbox, and returns the events for each group of listeners.
   * @param position position up to which all listeners have received their events; null if unknown
   */
  async readAfter(tables: Tables, position: string | null, groups: readonly ListenerGroup[]): Promise<ReadEvents> {
    const page = position === null ? null : await tables.outbox.after(position, ROWS_PER_READ);
    const newPosition = page?.upTo ?? (await tables.outbox.newest());
    const byWorkspace = page && (await readWorkspaceEvents(tables, groups.length === 0 ? [] : page.rows));
    const endedGroups: ListenerGroup[] = [];
    const texts: (readonly [ListenerGroup, string])[] = [];
    for (const group of groups) {
      // Null if the rows after `position` are not known. Each listener then gets a `reset`.
      const changes = byWorkspace === null ? null : byWorkspace.get(group.reader.workspace.seq);
      const events = changes === undefined ? NO_EVENTS : await this.#eventsFor(tables, group, changes);
      if (events === "key-not-valid") endedGroups.push(group);
      else if (events?.size !== 0) texts.push([group, this.#textOf(events, group.reader, newPosition)]);
    }
    return { upTo: newPosition, more: page?.more ?? false, ended: endedGroups, texts };
  }

  /**
   * Returns the events that a client missed after `position`. Other requests are answered between
   * two reads of the outbox.
   * @param upTo position that becomes the id of a `reset` event
   */
  async missed(store: Pick<Store, "read">, reader: KeyReader, position: string | null, upTo: string): Promise<string> {
    let events = NO_EVENTS;
    let nextPosition = position;
    for (let rowsRead = 0; nextPosition !== null && rowsRead < MAX_MISSED; rowsRead += ROWS_PER_READ) {
      const [readFrom, earlierEvents] = [nextPosition, events];
      const page = await store.read((tables) => readMissedEvents(tables, reader, readFrom, earlierEvents));
      if (page === null || page.events === null) break;
      events = page.events;
      if (!page.more) return events.size === 0 ? HEARTBEAT : this.#textOf(events, reader, page.upTo);
      nextPosition = page.upTo;
    }
    return this.#textOf(null, reader, upTo);
  }

  async #eventsFor(tables: Tables, group: ListenerGroup, changes: WorkspaceEvents | null) {
    if (!(await this.#renewAccess(tables, group, changes))) return "key-not-valid";
    return changes === null ? null : changes.visibleTo(group.reader);
  }

  /**
   * Reads the access of a key again, unless it was read recently and has not changed. Returns false
   * if the key is no longer valid.
   */
  async #renewAccess(tables: Tables, group: ListenerGroup, changes: WorkspaceEvents | null): Promise<boolean> {
    const mayHaveChanged = changes === null || changes.concernsKey(group.reader.key.seq);
    if (!mayHaveChanged && this.#server.now() - group.lookedAt < ACCESS_CACHE_MS) return true;
    const reader = findReader(await findHolder(tables, group.hash, this.#server.now()), ADMIT_ALL);
    if (isRefused(reader)) return false;
    group.reader = reader;
    group.lookedAt = this.#server.now();
    return true;
  }

  /**
   * Formats events for the stream. Only the last event has an id. If the connection is lost before
   * the last event arrives, the client gets all these events again.
   * @param visible null for a `reset`
   */
  #textOf(visible: VisibleEvents | null, { workspace }: KeyReader, position: string): string {
    const events = visible === null ? [RESET_EVENT] : [...visible.values()];
    const id = `id: ${sealPosition(this.#server, workspace.seq, position)}\n`;
    const lastIndex = events.length - 1;
    return events
      .map(({ type, data }, i) => `${i === lastIndex ? id : ""}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`)
      .join("");
  }
}

async function readMissedEvents(tables: Tables, reader: KeyReader, position: string, earlier: VisibleEvents) {
  const page = await tables.outbox.after(position, ROWS_PER_READ, reader.workspace.seq);
  if (page === null) return null;
  if (page.rows.length === 0) return { ...page, events: earlier };
  const workspaceEvents = await WorkspaceEvents.load(tables, page.rows);
  return { ...page, events: await workspaceEvents.visibleTo(reader, earlier) };
}

async function readWorkspaceEvents(tables: Tables, rows: readonly OutboxRow[]): Promise<EventsByWorkspace> {
  const eventsByWorkspace = new Map<number, WorkspaceEvents>();
  const byWorkspace = Map.groupBy(rows, ({ workspace }) => workspace);
  for (const [workspace, ownRows] of byWorkspace)
    eventsByWorkspace.set(workspace, await WorkspaceEvents.load(tables, ownRows));
  return eventsByWorkspace;
}
