/** Reads the outbox within one transaction, and makes the events for each key. */

import { isRefused } from "../requests/answer.ts";
import { type RateCheck, holderOf, type Reader, readerOf } from "../requests/authenticate.ts";
import type { Tables } from "../store/tables.ts";
import type { ServerContext } from "../requests/context.ts";
import type { Store } from "../store/store.ts";
import { sealPosition } from "./event-id.ts";
import { WorkspaceEvents, MAX_EVENTS, RESET, type VisibleEvent } from "./workspace-events.ts";
import type { Group } from "./listeners.ts";
import type { OutboxRow } from "./outbox.ts";

/** Number of rows that are read together. */
const PORTION = 500;
/**
 * LIMIT: outbox rows of one workspace that are read for a client that reconnects. The store on
 * SQLite keeps the same number. A client that missed more gets a `reset`, and scans everything.
 * Rows that the key may not read do not count.
 */
const MAX_MISSED = 20_000;
/** Milliseconds for which a key's access is cached; the outbox reports changes of access too. */
const BELIEVED_MS = 1_000;

/**
 * Comment line of the event stream, sent when there are no events, so that the client sees that the
 * connection works.
 */
export const BEAT = ":\n\n";

type ReadChanges = {
  readonly upTo: string;
  /** True if more rows may follow. */
  readonly more: boolean;
  /** Listeners whose key is no longer valid, or whose workspace is closed. */
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
   * Reads the next portion of rows, and returns the events of each group.
   * @param position up to which all listeners were served; null if unknown
   */
  async readAfter(tables: Tables, position: string | null, groups: readonly Group[]): Promise<ReadChanges> {
    const page = position === null ? null : await tables.outbox.after(position, PORTION);
    const upTo = page?.upTo ?? (await tables.outbox.newest());
    const byWorkspace = page && (await readWorkspaceEvents(tables, groups.length === 0 ? [] : page.rows));
    const ended: Group[] = [];
    const texts: (readonly [Group, string])[] = [];
    for (const group of groups) {
      // Null: the rows after `position` are not known, so each listener gets a reset.
      const changes = byWorkspace === null ? null : byWorkspace.get(group.reader.workspace.seq);
      const events = changes === undefined ? [] : await this.#eventsFor(tables, group, changes);
      if (events === null) ended.push(group);
      else if (events.length > 0) texts.push([group, this.#textOf(events, group.reader, upTo)]);
    }
    return { upTo, more: page?.more ?? false, ended, texts };
  }

  /**
   * Returns the events that a client missed after `position`. Reads in portions, and other clients
   * are served between two portions.
   * @param upTo position of a `reset` event
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
   * @param happened null: unknown, so the result is a reset
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
   * Reads the access of a key again.
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
   * Writes events. Only the last has the id, so a client that loses the connection before that gets
   * all of them again.
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
 * Adds events. If an item has several events, keeps only the last.
 * @returns false if one `reset` must replace them all
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
