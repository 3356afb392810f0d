import { isRefused } from "../requests/answer.ts";
import { type Admit, readerOf } from "../requests/authenticate.ts";
import type { Tables } from "../store/tables.ts";
import type { ServerContext } from "../requests/context.ts";
import type { Store } from "../store/store.ts";
import { sealPlace } from "./event-id.ts";
import { Happened, MOST_EVENTS, RESET, type ToldEvent } from "./judge.ts";
import type { Group, Reader } from "./listeners.ts";
import type { OutboxRow } from "./outbox.ts";

/** Reads the outbox within one transaction, and makes of it what each key is told. */

/** Rows that are read and judged at a time. */
const PORTION = 500;
/**
 * LIMIT: rows of its workspace that are judged for who comes back; beyond that it looks at
 * everything. As many as SQLite keeps: what a key may not read does not make it look.
 */
const MOST_MISSED = 20_000;
/** How long what a key may read is believed without a look; the outbox tells when it changes. */
const BELIEVED_MS = 1_000;

/** Where nothing is told, so that something comes all the same. */
export const BEAT = ":\n\n";

type Told = {
  readonly upTo: string;
  /** Whether others may follow by now. */
  readonly more: boolean;
  /** Whose key is none any more, or whose workspace is closed. */
  readonly ended: readonly Group[];
  readonly texts: readonly (readonly [Group, string])[];
};

type Given = Pick<ServerContext, "cursorSecret" | "now" | "random">;

/** Of one portion, with where the next begins. */
type Missed = Pick<Told, "upTo" | "more"> & { readonly events: readonly ToldEvent[] };

type ByWorkspace = ReadonlyMap<number, Happened>;

export class OutboxReader {
  readonly #server: Given;

  constructor(server: Given) {
    this.#server = server;
  }

  /** @param at the place up to which all of them were told; null: nobody knows */
  async readOn(tables: Tables, at: string | null, groups: readonly Group[]): Promise<Told> {
    const outbox = tables.outbox!;
    const page = at === null ? null : await outbox.after(at, PORTION);
    if (page === null) return this.#tellAll(tables, await outbox.newest(), groups);
    const { rows, upTo, more } = page;
    if (groups.length === 0 || rows.length === 0) return { upTo, more, ended: [], texts: [] };
    return { upTo, more, ...(await this.#tell(tables, upTo, groups, await lookAt(tables, rows))) };
  }

  /**
   * What one who comes was not told after `place`. Others are served between two portions.
   * @param at where a `reset` begins
   */
  async missed(store: Pick<Store, "read">, reader: Reader, place: string | null, at: string): Promise<string> {
    const told = new Map<string, ToldEvent>();
    let from = place;
    for (let looked = 0; from !== null && looked < MOST_MISSED; looked += PORTION) {
      const after = from;
      const page = await store.read((tables) => this.#missedAfter(tables, reader, after));
      if (page === null || !addAll(told, page.events)) break;
      if (!page.more) return told.size === 0 ? BEAT : this.#textOf([...told.values()], reader, page.upTo);
      from = page.upTo;
    }
    return this.#textOf(RESET, reader, at);
  }

  async #missedAfter(tables: Tables, reader: Reader, place: string): Promise<Missed | null> {
    const page = await tables.outbox!.after(place, PORTION, reader.workspace.seq);
    if (page === null) return null;
    const happened = page.rows.length === 0 ? null : await Happened.look(tables, page.rows);
    return { events: (await happened?.toldTo(reader)) ?? [], upTo: page.upTo, more: page.more };
  }

  async #tell(tables: Tables, upTo: string, groups: readonly Group[], byWorkspace: ByWorkspace) {
    const ended: Group[] = [];
    const texts: (readonly [Group, string])[] = [];
    for (const group of groups) {
      const happened = byWorkspace.get(group.reader.workspace.seq);
      if (happened === undefined) continue;
      const isLetIn = this.#isBelieved(group, happened) || (await this.#lookAgain(tables, group));
      const events = isLetIn ? await happened.toldTo(group.reader) : [];
      if (!isLetIn) ended.push(group);
      else if (events.length > 0) texts.push([group, this.#textOf(events, group.reader, upTo)]);
    }
    return { ended, texts };
  }

  async #tellAll(tables: Tables, upTo: string, groups: readonly Group[]): Promise<Told> {
    const ended: Group[] = [];
    for (const group of groups) if (!(await this.#lookAgain(tables, group))) ended.push(group);
    const rest = groups.filter((group) => !ended.includes(group));
    const texts = rest.map((group) => [group, this.#textOf(RESET, group.reader, upTo)] as const);
    return { upTo, more: false, ended, texts };
  }

  #isBelieved({ reader, lookedAt }: Group, happened: Happened): boolean {
    return !happened.concernsKey(reader.key.seq) && this.#server.now() - lookedAt < BELIEVED_MS;
  }

  /** Looks up again what a key may read. @returns false: nothing any more */
  async #lookAgain(tables: Tables, group: Group): Promise<boolean> {
    const reader = await readerOf(tables, group.hash, this.#server.now(), EVERYBODY);
    if (isRefused(reader)) return false;
    group.reader = reader;
    group.lookedAt = this.#server.now();
    return true;
  }

  /** The last of them has the id: who was cut before it is told all of them again. */
  #textOf(events: readonly ToldEvent[], { workspace }: Reader, place: string): string {
    const id = `id: ${sealPlace(this.#server, workspace.seq, place)}\n`;
    const last = events.length - 1;
    return events
      .map(({ type, data }, i) => `${i === last ? id : ""}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`)
      .join("");
  }
}

const EVERYBODY: Admit = () => null;

/** Of several about one thing, the last. @returns false: it is told by one `reset` */
function addAll(told: Map<string, ToldEvent>, events: readonly ToldEvent[]): boolean {
  for (const event of events) {
    if (!("id" in event.data)) return false;
    told.delete(event.data.id);
    told.set(event.data.id, event);
  }
  return told.size <= MOST_EVENTS;
}

async function lookAt(tables: Tables, rows: readonly OutboxRow[]): Promise<ByWorkspace> {
  const happened = new Map<number, Happened>();
  const byWorkspace = Map.groupBy(rows, ({ workspace }) => workspace);
  for (const [workspace, own] of byWorkspace) happened.set(workspace, await Happened.look(tables, own));
  return happened;
}
