import { isJsonObject, member } from "../contract/json.ts";
import type { WireRequest } from "../contract/wire.ts";
import { ForeignItem, parseOrNull } from "./observe.ts";
import type { Exchange } from "./world.ts";

/** LIMIT: pages of files read in one folder; a service under judgement may never end a list. */
const MOST_PAGES = 50;

/** Suffixes of the folders that cases create beside their own one. */
const BESIDE = ["", "-2", "-moved"] as const;

type Item = { readonly id: string; readonly protected: boolean };

/**
 * Deletes the folder of a case, its documents, and what the case created beside the folder.
 * @returns true if a list shows afterwards that nothing is left
 */
export async function clearCase(exchange: Exchange, key: string, folder: string): Promise<boolean> {
  const cleaner = new Cleaner(exchange, key);
  const places = [`files?path=${folder}.md`, ...BESIDE.map((suffix) => `folders?path=${folder}${suffix}`)];
  for (const file of await cleaner.list(places[0]!)) await cleaner.deleteFile(file);
  for (const place of places.slice(1)) {
    for (const { id } of await cleaner.list(place)) {
      if (await cleaner.delete(`/v1/folders/${id}?recursive=true`)) continue;
      for (const file of await cleaner.list(`files?path_prefix=${folder}`)) await cleaner.deleteFile(file);
      await cleaner.delete(`/v1/folders/${id}?recursive=true`);
    }
  }
  for (const place of places) if ((await cleaner.list(place)).length > 0) return false;
  return !cleaner.hasFailed;
}

class Cleaner {
  /**
   * True if a list could not be read, or showed items of other users. What is left on the service
   * is then unknown.
   */
  hasFailed = false;
  readonly #exchange: Exchange;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(exchange: Exchange, key: string) {
    this.#exchange = exchange;
    this.#headers = { authorization: `Bearer ${key}` };
  }

  delete(path: string): Promise<boolean> {
    return this.#change({ method: "DELETE", path, headers: this.#headers, body: null });
  }

  async deleteFile({ id, protected: isProtected }: Item): Promise<void> {
    const headers = { ...this.#headers, "content-type": "application/json" };
    const body = JSON.stringify({ protected: false });
    if (isProtected) await this.#change({ method: "PATCH", path: `/v1/files/${id}`, headers, body });
    await this.delete(`/v1/files/${id}`);
  }

  async #change(request: WireRequest): Promise<boolean> {
    try {
      return (await this.#exchange(request)).status === 204;
    } catch (error) {
      if (!(error instanceof ForeignItem)) throw error;
      this.hasFailed = true;
      return false;
    }
  }

  async list(place: string): Promise<Item[]> {
    const items: Item[] = [];
    let cursor = "";
    for (let page = 0; page < MOST_PAGES; page++) {
      const path = `/v1/${place}${cursor}`;
      const { status, body } = await this.#exchange({ method: "GET", path, headers: this.#headers, body: null });
      const read = status === 200 ? readPage(body) : null;
      if (read === null) this.hasFailed = true;
      items.push(...(read?.data ?? []));
      if (read === null || read.nextCursor === null) break;
      cursor = `&cursor=${encodeURIComponent(read.nextCursor)}`;
    }
    return items;
  }
}

/** Returns the items of a page and the cursor of the next one; null if the text is no page. */
export function readPage(text: string): { readonly data: readonly Item[]; readonly nextCursor: string | null } | null {
  const page = parseOrNull(text);
  if (!isJsonObject(page)) return null;
  const [data, cursor] = [member(page, "data"), member(page, "nextCursor")];
  if (!Array.isArray(data)) return null;
  const items = (data as unknown[]).flatMap((item) => readItem(item) ?? []);
  return { data: items, nextCursor: typeof cursor === "string" ? cursor : null };
}

function readItem(item: unknown): Item | null {
  const id = isJsonObject(item) ? member(item, "id") : undefined;
  return typeof id === "string" ? { id, protected: (item as { protected?: unknown }).protected === true } : null;
}
