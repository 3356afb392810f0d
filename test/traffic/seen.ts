import type { Json } from "../contract/suite/world.ts";
import type { Dice } from "../simulator/dice.ts";

type SeenFile = { readonly id: string; readonly path: string; readonly text: string | null };

/** LIMIT: of each kind, how many of those last seen requests are about. */
const MOST = 40;

/** What answers have shown, by alias: what further requests are about. */
export class Seen {
  readonly #files = new Map<string, SeenFile>();
  readonly #folders = new Map<string, string>();
  readonly #changes = new Map<string, string>();
  readonly #cursors: { readonly cursor: string; readonly target: string }[] = [];
  readonly keys: { readonly id: string; readonly key: string; readonly workspaceId: string }[] = [];
  readonly workspaces: string[] = [];
  readonly reviews: string[] = [];

  /** @param target the request's path and query without its cursor */
  learn(json: Json, target: string): void {
    if (json === null || typeof json !== "object") return;
    if (Array.isArray(json)) for (const each of json) this.learn(each, target);
    if (json.object === "file") this.#learnFile(json);
    if (json.object === "edit") this.#learnFile({ ...json.file, content: json.content });
    if (json.object === "folder") keep(this.#folders, json.id, json.path);
    if (json.object === "change") this.#learnChange(json.id, json.fileIds[0]);
    if (typeof json.key === "string") this.keys.push({ id: json.id, key: json.key, workspaceId: json.workspaceId });
    if (Array.isArray(json.data)) for (const each of json.data) this.learn(each, target);
    if (typeof json.nextCursor === "string" && target.startsWith("/v1/"))
      push(this.#cursors, { cursor: json.nextCursor, target });
  }

  #learnFile({ id, path, lastChangeId, content }: Json): void {
    const text = content ?? this.#files.get(id)?.text ?? null;
    keep(this.#files, id, { id, path, text });
    keep(this.#changes, lastChangeId, id);
  }

  #learnChange(id: string, file: string): void {
    keep(this.#changes, id, file);
    push(this.reviews, id);
  }

  file(dice: Dice): SeenFile | null {
    return this.#files.size === 0 ? null : dice.pick([...this.#files.values()]);
  }

  /** A change of that file, now and then of another. */
  changeOf(dice: Dice, file: string): string | null {
    const own = [...this.#changes].filter(([, of]) => of === file || dice.below(40) === 0);
    return own.length === 0 ? null : dice.pick(own)[0];
  }

  folder(dice: Dice): { readonly id: string; readonly path: string } | null {
    if (this.#folders.size === 0) return null;
    const [id, path] = dice.pick([...this.#folders]);
    return { id, path };
  }

  cursor(dice: Dice): { readonly cursor: string; readonly target: string } | null {
    return this.#cursors.length === 0 ? null : dice.pick(this.#cursors);
  }
}

function keep<Value>(into: Map<string, Value>, key: string, value: Value): void {
  into.delete(key);
  into.set(key, value);
  if (into.size > MOST) into.delete(into.keys().next().value!);
}

function push<Value>(into: Value[], value: Value): void {
  into.push(value);
  if (into.length > MOST) into.shift();
}
