import type { DocId } from "../../src/contract/ids.ts";
import { FILES, FOLDERS } from "../../src/contract/resources.ts";
import type { WireRequest } from "../../src/contract/wire.ts";
import type { SyncService } from "../sync-service/service.ts";

export type AppFile = { readonly id: DocId; readonly path: string; readonly text: string; readonly changeId: string };

type Item = Record<string, unknown>;

/**
 * A user of the web app: calls the service's API with a Full access key, without any code of the
 * client. Each method but `call` throws if the service refuses.
 */
export class App {
  readonly #service: Pick<SyncService, "answer">;
  readonly #key: string;

  constructor(service: Pick<SyncService, "answer">, key: string) {
    this.#service = service;
    this.#key = key;
  }

  /** Sends any request. Returns refusals too. */
  call(method: WireRequest["method"], path: string, body?: object): { status: number; json: unknown } {
    const headers = { authorization: `Bearer ${this.#key}`, "content-type": "application/json" };
    const text = body === undefined ? null : JSON.stringify(body);
    const answer = this.#service.answer({ method, path, headers, body: text });
    return { status: answer.status, json: answer.body === "" ? null : JSON.parse(answer.body) };
  }

  create(path: string, text: string): DocId {
    return this.#must("POST", FILES, { path, content: text })["id"] as DocId;
  }

  edit(path: string, text: string): void {
    const file = this.#one(FILES, path);
    this.#must("PUT", `${FILES}/${file.id}/content`, { baseChangeId: file.lastChangeId, content: text });
  }

  rename(path: string, name: string): void {
    this.#change(FILES, path, { name });
  }

  move(path: string, folder: string | null): void {
    this.#change(FILES, path, { parentId: folder === null ? null : this.idOfFolder(folder) });
  }

  remove(path: string): void {
    this.#must("DELETE", `${FILES}/${this.#one(FILES, path).id}`);
  }

  makeFolder(path: string): void {
    this.#must("POST", FOLDERS, { path });
  }

  renameFolder(path: string, name: string): void {
    this.#change(FOLDERS, path, { name });
  }

  moveFolder(path: string, parent: string | null): void {
    this.#change(FOLDERS, path, { parentId: parent === null ? null : this.idOfFolder(parent) });
  }

  idOfFolder(path: string): string {
    return this.#one(FOLDERS, path).id;
  }

  removeFolder(path: string): void {
    this.#must("DELETE", `${FOLDERS}/${this.#one(FOLDERS, path).id}?recursive=true`);
  }

  protect(path: string, value: boolean): void {
    this.#change(FILES, path, { protected: value });
  }

  files(): Map<string, AppFile> {
    return new Map(
      this.#all(FILES).map((item) => {
        const whole = this.#must("GET", `${FILES}/${item["id"] as string}`);
        const file: AppFile = {
          id: item["id"] as DocId,
          path: (item["path"] as string).slice(1),
          text: whole["content"] as string,
          changeId: item["lastChangeId"] as string,
        };
        return [file.path, file] as const;
      }),
    );
  }

  /** Returns the id of the document at a path; undefined if there is none. */
  id(path: string): DocId | undefined {
    return this.files().get(path)?.id;
  }

  /** Returns the content of the document at a path; undefined if there is none. */
  text(path: string): string | undefined {
    return this.files().get(path)?.text;
  }

  /** Returns the ids of all documents, by path. */
  ids(): Map<string, DocId> {
    return new Map([...this.files().values()].map(({ path, id }) => [path, id]));
  }

  /** Returns the contents of all documents, by path and sorted by it. */
  texts(): Map<string, string> {
    const files = [...this.files().values()].sort((one, other) => (one.path < other.path ? -1 : 1));
    return new Map(files.map(({ path, text }) => [path, text]));
  }

  /** Returns the sorted paths of all documents. */
  paths(): string[] {
    return this.#all(FILES)
      .map((file) => (file["path"] as string).slice(1))
      .sort();
  }

  folders(): string[] {
    return this.#all(`${FOLDERS}?path_prefix=/`)
      .map((folder) => (folder["path"] as string).slice(1))
      .sort();
  }

  #must(method: WireRequest["method"], path: string, body?: object): Item & { data: Item[] } {
    const answer = this.call(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.json)}`);
    return answer.json as Item & { data: Item[] };
  }

  #change(route: string, path: string, change: object): void {
    this.#must("PATCH", `${route}/${this.#one(route, path).id}`, change);
  }

  #all(route: string): Item[] {
    const items: Item[] = [];
    for (let cursor: string | null = null, more = true; more; ) {
      const from = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const page = this.#must("GET", `${route}${route.includes("?") ? "&" : "?"}limit=1000${from}`);
      items.push(...page.data);
      cursor = page["nextCursor"] as string | null;
      more = page["hasMore"] as boolean;
    }
    return items;
  }

  #one(route: string, path: string): { readonly id: string; readonly lastChangeId: string } {
    const found = this.#must("GET", `${route}?path=${encodeURIComponent(path)}`).data[0];
    if (found === undefined) throw new Error(`nothing at ${path} on the service`);
    return found as { id: string; lastChangeId: string };
  }
}
