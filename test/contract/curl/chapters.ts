import { DIR, DOC, CHANGE, type Expected, file, folder, list, problem } from "./expected.ts";
import type { Answered, Asker } from "./asker.ts";

/** The requests, in an order in which each finds what it needs. */

const FILES = "/v1/files";
const FOLDERS = "/v1/folders";
const GOOD = { object: "api_key", valid: true };
const edit = (saved: Expected, content: string): Expected => ({ object: "edit", file: saved, content });
const review = (reason: string, id: string): Expected => {
  return { object: "change", id: CHANGE, status: "in_review", reason, fileIds: [id] };
};

async function keys(tour: Asker): Promise<void> {
  await tour.ask("POST", "/auth/validate-key", {}, 200, GOOD);
  await tour.askAsNobody("POST", "/auth/validate-key", {}, 401, problem(401, "unauthenticated"));
  await tour.askAsNobody("GET", FILES, null, 401, problem(401, "unauthenticated"));
}

/** Folders and files by path, by parent and by a null parent; got, listed, updated, deleted. */
async function life(tour: Asker): Promise<void> {
  const intro = await tour.ask("POST", FOLDERS, { path: "/guides/intro" }, 201, folder("/guides/intro", DIR));
  const guides = intro.parentId as string;
  const inGuides = folder("/guides/drafts", guides);
  const drafts = await tour.ask("POST", FOLDERS, { parentId: guides, name: "drafts" }, 201, inGuides);
  const archive = await tour.ask("POST", FOLDERS, { parentId: null, name: "archive" }, 201, folder("/archive", null));
  await tour.ask("GET", `${FOLDERS}/${drafts.id}`, null, 200, drafts);

  const first = { path: "/guides/intro/first.md", content: "# First\n\nA quokka.\n" };
  const a = await tour.ask("POST", FILES, first, 201, file(first.path, intro.id));
  const second = { parentId: drafts.id, name: "second.md", content: "Second.\n" };
  const b = await tour.ask("POST", FILES, second, 201, file("/guides/drafts/second.md", drafts.id));
  const third = { parentId: null, name: "third.md", content: "" };
  const c = await tour.ask("POST", FILES, third, 201, file("/third.md", null));
  await tour.ask("GET", `${FILES}/${a.id}`, null, 200, { ...a, content: first.content });
  await tour.ask("POST", FILES, first, 409, problem(409, "path_already_exists"));

  const top = await tour.ask("GET", `${FOLDERS}/${guides}`, null, 200, folder("/guides", null, { id: guides }));
  await lists(tour, [a, b, c], [top, intro, drafts, archive]);
  await searches(tour, a, first.content);
  await updates(tour, a, b, archive);
  await folderUpdates(tour, drafts, archive, guides);
  await deletions(tour, { intro, drafts, archive, a, c });
}

type Item = Answered;

/** Each selector in one page, and in pages of one. */
async function lists(tour: Asker, [a, b, c]: readonly Item[], [top, intro, drafts, archive]: readonly Item[]) {
  const files: readonly (readonly [string, readonly Item[]])[] = [
    ["", [a, b, c]],
    ["path_prefix=/", [a, b, c]],
    ["path_prefix=/guides", [a, b]],
    [`parent_id=${drafts.id}`, [b]],
  ];
  const folders: readonly (readonly [string, readonly Item[]])[] = [
    ["", [top, archive]],
    ["path_prefix=/", [top, intro, drafts, archive]],
    ["path_prefix=/guides", [intro, drafts]],
    [`parent_id=${top.id}`, [intro, drafts]],
  ];
  for (const [query, items] of files) await pages(tour, FILES, query, items);
  for (const [query, items] of folders) await pages(tour, FOLDERS, query, items);
  await tour.ask("GET", `${FILES}?path=/guides/intro/first.md`, null, 200, list(FILES, [a]));
  await tour.ask("GET", `${FOLDERS}?path=/guides`, null, 200, list(FOLDERS, [top]));
  for (const route of [FILES, FOLDERS]) {
    const path = route === FILES ? "/third.md" : "/guides";
    await tour.ask("GET", `${route}?path=/`, null, 400, problem(400, "invalid_request", "/path"));
    await tour.ask("GET", `${route}?path=${path}&cursor=x`, null, 400, problem(400, "invalid_request", "/cursor"));
    await tour.ask("GET", `${route}?cursor=`, null, 400, problem(400, "invalid_cursor"));
  }
}

async function pages(tour: Asker, route: string, query: string, items: readonly Item[]): Promise<void> {
  await tour.ask("GET", query === "" ? route : `${route}?${query}`, null, 200, list(route, items));
  const paged = `${route}?${query === "" ? "" : `${query}&`}limit=1`;
  let cursor = "";
  for (const [i, item] of items.entries()) {
    const page = await tour.ask("GET", paged + cursor, null, 200, list(route, [item], i < items.length - 1));
    cursor = `&cursor=${encodeURIComponent(String(page.nextCursor))}`;
  }
}

const isScore = (value: unknown) => typeof value === "number" && value > 0;

async function searches(tour: Asker, found: Item, content: string): Promise<void> {
  const place = { line: 3, text: "A quokka.", ranges: [[2, 8]] };
  const snippet = { object: "snippet", fileId: found.id, ...place };
  const match = { object: "match", fileId: found.id, column: 3, ...place };
  for (const [route, query, more, source] of [
    ["/v1/search/hybrid", "quokka", { score: isScore }, snippet],
    ["/v1/search/regex", "quo[k]+a", {}, match],
  ] as const) {
    const bare = { ...found, content, ...more };
    const whole = { ...bare, sources: [source] };
    await tour.ask("POST", route, { query }, 200, list(route, [whole]));
    await tour.ask("POST", route, { query, limit: 1, includeSources: true }, 200, list(route, [whole]));
    await tour.ask("POST", route, { query, limit: 500, includeSources: false }, 200, list(route, [bare]));
    await tour.ask("POST", route, { query: "zzzzzz" }, 200, list(route, []));
    await tour.ask("POST", route, { query, limit: 501 }, 400, problem(400, "invalid_request", "/limit"));
  }
}

/** Of files: rename, move, move to the root, protect; content saved, in review. */
async function updates(tour: Asker, a: Item, b: Item, archive: Item): Promise<void> {
  const at = `${FILES}/${a.id}`;
  const same = { id: a.id, lastChangeId: a.lastChangeId };
  await tour.ask("PATCH", at, { name: "renamed.md" }, 200, file("/guides/intro/renamed.md", a.parentId, same));
  await tour.ask("PATCH", at, { parentId: archive.id }, 200, file("/archive/renamed.md", archive.id, same));
  await tour.ask("PATCH", at, { parentId: null }, 200, file("/renamed.md", null, same));
  const flagged = { ...same, protected: true };
  await tour.ask("PATCH", at, { protected: true }, 200, file("/renamed.md", null, flagged));
  const put = (base: string, content: string) => ({ baseChangeId: base, content });
  await tour.ask("PUT", `${at}/content`, put(a.lastChangeId, "Proposed.\n"), 202, review("protected", a.id));
  await tour.ask("DELETE", at, null, 409, problem(409, "file_protected"));
  await tour.ask("PATCH", at, { protected: false }, 200, file("/renamed.md", null, same));
  await tour.ask("DELETE", at, null, 409, problem(409, "changes_in_review"));

  const inB = `${FILES}/${b.id}/content`;
  const isOther = (value: unknown) => typeof value === "string" && CHANGE.test(value) && value !== b.lastChangeId;
  const saved = edit({ ...b, lastChangeId: isOther }, "One.\n");
  const edited = await tour.ask("PUT", inB, put(b.lastChangeId, "One.\n"), 200, saved);
  await tour.ask("PUT", inB, put(b.lastChangeId, "Two.\n"), 202, review("conflict", b.id));
  await tour.ask("GET", `${FILES}/${b.id}`, null, 200, { ...edited.file, content: "One.\n" });
  await tour.ask("PUT", inB, put("chg_short", "x"), 400, problem(400, "invalid_id", "/baseChangeId"));
  const composite = `${b.id}-cmit_00000000000000`;
  await tour.ask("GET", `${FILES}/${composite}`, null, 400, problem(400, "invalid_id"));
}

async function folderUpdates(tour: Asker, drafts: Item, archive: Item, guides: string): Promise<void> {
  const at = `${FOLDERS}/${drafts.id}`;
  const same = { id: drafts.id };
  await tour.ask("PATCH", at, { name: "notes" }, 200, folder("/guides/notes", guides, same));
  await tour.ask("PATCH", at, { parentId: archive.id }, 200, folder("/archive/notes", archive.id, same));
  const below = file("/archive/notes/second.md", drafts.id, { id: DOC });
  await tour.ask("GET", `${FILES}?path_prefix=/archive`, null, 200, list(FILES, [below]));
  await tour.ask("PATCH", at, { parentId: null }, 200, folder("/notes", null, same));
}

async function deletions(
  tour: Asker,
  { intro, drafts, archive, a, c }: Readonly<Record<"intro" | "drafts" | "archive" | "a" | "c", Item>>,
): Promise<void> {
  await tour.ask("DELETE", `${FILES}/${c.id}`, null, 204, null);
  await tour.ask("GET", `${FILES}/${c.id}`, null, 404, problem(404, "file_not_found"));
  await tour.ask("DELETE", `${FOLDERS}/${drafts.id}?recursive=false`, null, 409, problem(409, "folder_not_empty"));
  await tour.ask("DELETE", `${FOLDERS}/${drafts.id}?recursive=true`, null, 409, problem(409, "changes_in_review"));
  await tour.ask("POST", FILES, { path: "/archive/deep/x.md", content: "x" }, 201, file("/archive/deep/x.md", DIR));
  await tour.ask("DELETE", `${FOLDERS}/${archive.id}?recursive=true`, null, 204, null);
  await tour.ask("DELETE", `${FOLDERS}/${intro.id}`, null, 204, null);
  await tour.ask("GET", `${FOLDERS}/${archive.id}`, null, 404, problem(404, "folder_not_found"));
  await tour.ask("GET", `${FILES}?parent_id=${archive.id}`, null, 200, list(FILES, []));
  await tour.ask("GET", `${FILES}?path=/renamed.md`, null, 200, list(FILES, [{ ...a, ...standing("/renamed.md") }]));
}

const standing = (path: string) => ({ path, parentId: null, parentPath: "/" });

export const CHAPTERS: readonly ((tour: Asker) => Promise<void>)[] = [keys, life];
