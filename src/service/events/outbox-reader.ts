/** Reads the outbox within one transaction, and makes the events that each key may see. */

import { isRefused } from "../requests/answer.ts";
import { type RateCheck, holderOf, type Reader, readerOf } from "../requests/authenticate.ts";
import type { Tables } from "../store/tables.ts";
import type { ServerContext } from "../requests/context.ts";
import type { Store } from "../store/store.ts";
import { sealPosition } from "./event-id.ts";
import { WorkspaceEvents, MAX_EVENTS, RESET, type VisibleEvent } from "./workspace-events.ts";
import type { Group } from "./listeners.ts";
import type { OutboxRow } from "./outbox.ts";

/** Number of outbox rows that are read together. */
const PORTION = 500;
/**
 * LIMIT: number of outbox rows of one workspace that are read for a client that reconnects. The
 * store on SQLite keeps as many. A client that missed more gets a `reset` event, and scans the
 * workspace. Rows that the key may not read do not count.
 */
const MAX_MISSED = 20_000;
/**
 * Milliseconds for which the access of a key is cached. A change of access that the outbox reports
 * ends this time.
 */
const BELIEVED_MS = 1_000;

/**
 * Comment line of the event stream. It is sent while there are no events, and shows the client that
 * the connection works.
 */
export const BEAT = ":\n\n";

type ReadChanges = {
  readonly upTo: string;
  /** True if the outbox may have more rows after `upTo`. */
  readonly more: boolean;
  /** Groups of listeners whose key is no longer valid, or whose workspace is closed. */
  readonly ended: readonly Group[];
  readonly texts: readonly (readonly [Group, string])[];
};

type ReaderContext = Pick<ServerContext, "cursorSecret" | "now" | "random">;

type ByWorkspace = ReadonlyMap<number, WorkspaceEvents>;

export class OutboxReader {
  readonly #server: ReaderContext;

  constructor(server: ReaderContext) {
    this.#server = server;
  }

  /**
   * Reads the next portion of outbox rows, and returns the events for each group of listeners.
   * @param position position up to which all listeners have received their events; null if unknown
   */
  async readAfter(tables: Tables, position: string | null, groups: readonly Group[]): Promise<ReadChanges> {
    const page = position === null ? null : await tables.outbox.after(position, PORTION);
    const upTo = page?.upTo ?? (await tables.outbox.newest());
    const byWorkspace = page && (await readWorkspaceEvents(tables, groups.length === 0 ? [] : page.rows));
    const ended: Group[] = [];
    const texts: (readonly [Group, string])[] = [];
    for (const group of groups) {
      // `changes` is null if the rows after `position` are not known. Then each listener gets a
      // `reset`.
      const changes = byWorkspace === null ? null : byWorkspace.get(group.reader.workspace.seq);
      const events = changes === undefined ? [] : await this.#eventsFor(tables, group, changes);
      if (events === null) ended.push(group);
      else if (events.length > 0) texts.push([group, this.#textOf(events, group.reader, upTo)]);
    }
    return { upTo, more: page?.more ?? false, ended, texts };
  }

  /**
   * Returns the events that a client missed after `position`. Reads them in portions, and serves
   * other clients between two portions.
   * @param upTo position in the outbox that a `reset` event gets as its id
   */
  async missed(store: Pick<Store, "read">, reader: Reader, position: string | null, upTo: string): Promise<string> {
    const visible = new Map<string, VisibleEvent>();
    let from = position;
    for (let rowsRead = 0; from !== null && rowsRead < MAX_MISSED; rowsRead += PORTION) {
      const after = from;
      const page = await store.read((tables) => missedAfter(tables, reader, after));
      if (page === null || !addAll(visible, page.events)) break;
      if (!page.more) return visible.size === 0 ? BEAT : this.#textOf([...visible.values()], reader, page.upTo);
      from = page.upTo;
    }
    return this.#textOf(RESET, reader, upTo);
  }

  /**
   * Returns the events for the listeners that share a key; null if the key is no longer valid.
   * @param happened events of the workspace; null if they are unknown, which makes the result a
   * `reset`
   */
  async #eventsFor(tables: Tables, group: Group, happened: WorkspaceEvents | null) {
    const isBelieved = happened !== null && this.#isBelieved(group, happened);
    if (!isBelieved && !(await this.#renewAccess(tables, group))) return null;
    return happened === null ? RESET : happened.visibleTo(group.reader);
  }

  #isBelieved({ reader, lookedAt }: Group, happened: WorkspaceEvents): boolean {
    return !happened.concernsKey(reader.key.seq) && this.#server.now() - lookedAt < BELIEVED_MS;
  }

  /**
   * Reads the access of a key from the database again.
   * @returns false if the key is no longer valid
   */
  async #renewAccess(tables: Tables, group: Group): Promise<boolean> {
    const reader = readerOf(await holderOf(tables, group.hash, this.#server.now()), EVERYBODY);
    if (isRefused(reader)) return false;
    group.reader = reader;
    group.lookedAt = this.#server.now();
    return true;
  }

  /**
   * Formats events for the stream. Only the last event has an id. If the connection is lost before
   * that event arrives, the client gets all of them again.
   */
  #textOf(events: readonly VisibleEvent[], { workspace }: Reader, position: string): string {
    const id = `id: ${sealPosition(this.#server, workspace.seq, position)}\n`;
    const last = events.length - 1;
    return events
      .map(({ type, data }, i) => `${i === last ? id : ""}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`)
      .join("");
  }
}

async function missedAfter(tables: Tables, reader: Reader, position: string) {
  const page = await tables.outbox.after(position, PORTION, reader.workspace.seq);
  if (page === null) return null;
  const happened = page.rows.length === 0 ? null : await WorkspaceEvents.load(tables, page.rows);
  return { ...page, events: (await happened?.visibleTo(reader)) ?? [] };
}

const EVERYBODY: RateCheck = () => null;

/**
 * Adds events to `visible`, which keeps only the last event of each item.
 * @returns false if there are too many events, so that one `reset` must replace them all
 */
function addAll(visible: Map<string, VisibleEvent>, events: readonly VisibleEvent[]): boolean {
  for (const event of events) {
    if (!("id" in event.data)) return false;
    visible.delete(event.data.id);
    visible.set(event.data.id, event);
  }
  return visible.size <= MAX_EVENTS;
}

async function readWorkspaceEvents(tables: Tables, rows: readonly OutboxRow[]): Promise<ByWorkspace> {
  const happened = new Map<number, WorkspaceEvents>();
  const byWorkspace = Map.groupBy(rows, ({ workspace }) => workspace);
  for (const [workspace, ownRows] of byWorkspace) happened.set(workspace, await WorkspaceEvents.load(tables, ownRows));
  return happened;
}
