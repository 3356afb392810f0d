/** Reads the outbox, each time within one transaction. Returns the events that each key may see. */

import { isRefused } from "../requests/answer.ts";
import { type RateCheck, findHolder, type KeyReader, findReader } from "../requests/authenticate.ts";
import type { Tables } from "../store/tables.ts";
import type { ServerContext } from "../requests/context.ts";
import type { Store } from "../store/store.ts";
import { sealPosition } from "./event-id.ts";
import { WorkspaceEvents, MAX_EVENTS, RESET_EVENTS, type VisibleEvent } from "./workspace-events.ts";
import type { ListenerGroup } from "./listeners.ts";
import type { OutboxRow } from "./outbox.ts";

const ROWS_PER_READ = 500;
/**
 * LIMIT: number of missed outbox rows that are read for a client that connects again. A client that
 * missed more gets a `reset`, because a scan of everything then costs less. The SQLite store keeps
 * the same number of rows.
 */
const MAX_MISSED = 20_000;
/**
 * Milliseconds for which the access of a key is cached. If the outbox reports a change of this
 * access, the access is read again before this time ends.
 */
const ACCESS_CACHE_MS = 1_000;

/**
 * Comment line of the stream. While there are no events, it shows the client that the stream works.
 */
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
      // If the rows after `position` are not known, this is null, and each listener gets a `reset`.
      const changes = byWorkspace === null ? null : byWorkspace.get(group.reader.workspace.seq);
      const events = changes === undefined ? [] : await this.#eventsFor(tables, group, changes);
      if (events === null) endedGroups.push(group);
      else if (events.length > 0) texts.push([group, this.#textOf(events, group.reader, newPosition)]);
    }
    return { upTo: newPosition, more: page?.more ?? false, ended: endedGroups, texts };
  }

  /**
   * Returns the events that a client missed after `position`. Between two reads of the outbox,
   * other requests are answered.
   * @param upTo position that becomes the id of a `reset` event
   */
  async missed(store: Pick<Store, "read">, reader: KeyReader, position: string | null, upTo: string): Promise<string> {
    const visibleEvents = new Map<string, VisibleEvent>();
    let nextPosition = position;
    for (let rowsRead = 0; nextPosition !== null && rowsRead < MAX_MISSED; rowsRead += ROWS_PER_READ) {
      const readFrom = nextPosition;
      const page = await store.read((tables) => readMissed(tables, reader, readFrom));
      if (page === null || !addEvents(visibleEvents, page.events)) break;
      if (!page.more)
        return visibleEvents.size === 0 ? HEARTBEAT : this.#textOf([...visibleEvents.values()], reader, page.upTo);
      nextPosition = page.upTo;
    }
    return this.#textOf(RESET_EVENTS, reader, upTo);
  }

  /**
   * Returns the events for the listeners that share a key; null if the key is no longer valid.
   * @param happened events of the workspace. Null if the outbox no longer has them; the result is
   * then a `reset`
   */
  async #eventsFor(tables: Tables, group: ListenerGroup, happened: WorkspaceEvents | null) {
    const isBelieved = happened !== null && this.#isBelieved(group, happened);
    if (!isBelieved && !(await this.#renewAccess(tables, group))) return null;
    return happened === null ? RESET_EVENTS : happened.visibleTo(group.reader);
  }

  #isBelieved({ reader, lookedAt }: ListenerGroup, happened: WorkspaceEvents): boolean {
    return !happened.concernsKey(reader.key.seq) && this.#server.now() - lookedAt < ACCESS_CACHE_MS;
  }

  /** Reads the access of a key again; returns false if the key is no longer valid. */
  async #renewAccess(tables: Tables, group: ListenerGroup): Promise<boolean> {
    const reader = findReader(await findHolder(tables, group.hash, this.#server.now()), ADMIT_EVERYBODY);
    if (isRefused(reader)) return false;
    group.reader = reader;
    group.lookedAt = this.#server.now();
    return true;
  }

  /**
   * Formats events for the stream. Only the last event has an id. If the connection is lost before
   * this event arrives, the client gets all these events again.
   */
  #textOf(events: readonly VisibleEvent[], { workspace }: KeyReader, position: string): string {
    const id = `id: ${sealPosition(this.#server, workspace.seq, position)}\n`;
    const lastIndex = events.length - 1;
    return events
      .map(({ type, data }, i) => `${i === lastIndex ? id : ""}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`)
      .join("");
  }
}

async function readMissed(tables: Tables, reader: KeyReader, position: string) {
  const page = await tables.outbox.after(position, ROWS_PER_READ, reader.workspace.seq);
  if (page === null) return null;
  const workspaceEvents = page.rows.length === 0 ? null : await WorkspaceEvents.load(tables, page.rows);
  return { ...page, events: (await workspaceEvents?.visibleTo(reader)) ?? [] };
}

const ADMIT_EVERYBODY: RateCheck = () => null;

/**
 * Adds events to `visible`, which keeps only the last event of each item.
 * @returns false if one `reset` must be sent instead of all events, for example because there are
 * too many
 */
function addEvents(visible: Map<string, VisibleEvent>, events: readonly VisibleEvent[]): boolean {
  for (const event of events) {
    if (!("id" in event.data)) return false;
    visible.delete(event.data.id);
    visible.set(event.data.id, event);
  }
  return visible.size <= MAX_EVENTS;
}

async function readWorkspaceEvents(tables: Tables, rows: readonly OutboxRow[]): Promise<EventsByWorkspace> {
  const eventsByWorkspace = new Map<number, WorkspaceEvents>();
  const byWorkspace = Map.groupBy(rows, ({ workspace }) => workspace);
  for (const [workspace, ownRows] of byWorkspace)
    eventsByWorkspace.set(workspace, await WorkspaceEvents.load(tables, ownRows));
  return eventsByWorkspace;
}
