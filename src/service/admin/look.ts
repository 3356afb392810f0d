/** Lists workspaces, keys and reviews of a service, and finds one by its id or by a unique name. */

import type { z } from "zod";
import { shownName } from "../../common/shown-name.ts";
import { ok, type Result, trouble } from "../../common/trouble.ts";
import type { AdminSession } from "./session.ts";
import type { AdminOperationName, AdminOperations, KeyJson, WorkspaceJson } from "./operations.ts";

type ListName = Extract<AdminOperationName, `list${string}`>;
type ItemOf<Name extends ListName> = z.output<AdminOperations[Name]["answer"]>["data"][number];

/** Asks for each page of a list, and returns all items. */
export async function listAll<Name extends ListName>(
  session: AdminSession,
  name: Name,
  query: Readonly<Record<string, string>> = {},
): Promise<Result<ItemOf<Name>[]>> {
  const all: ItemOf<Name>[] = [];
  let from: Readonly<Record<string, string>> | null = {};
  while (from !== null) {
    const page: Result<Page<ItemOf<Name>>> = await session.ask(name, { query: { ...query, ...from } });
    if (page.kind === "trouble") return page;
    all.push(...page.value.data);
    from = page.value.nextCursor == null ? null : { cursor: page.value.nextCursor };
  }
  return ok(all);
}

type Page<Item> = { readonly data: readonly Item[]; readonly nextCursor?: string | null | undefined };

export async function findWorkspace(session: AdminSession, word: string): Promise<Result<WorkspaceJson>> {
  const all = await listAll(session, "listWorkspaces");
  return all.kind === "trouble" ? all : workspaceNamed(all.value, word);
}

export function workspaceNamed(all: readonly WorkspaceJson[], word: string): Result<WorkspaceJson> {
  return findOne(
    "workspaces",
    word,
    all,
    ({ name }) => [name],
    ({ id, documents }) => `${id}, ${documents} documents`,
  );
}

export async function findKey(session: AdminSession, word: string): Promise<Result<KeyJson>> {
  const all = await listAll(session, "listKeys");
  if (all.kind === "trouble") return all;
  const keyLine = ({ id, workspaceId, grants }: KeyJson) =>
    `${id} of ${workspaceId}, ${grants.map(grantWords).join(" ")}`;
  return findOne("keys", word, all.value, ({ label }) => [label], keyLine);
}

/**
 * Finds the id of a review by the path of its document. A word that has the form of an id is
 * returned unchanged, because the service itself reports whether that review exists.
 */
export async function findReviewId(session: AdminSession, word: string): Promise<Result<string>> {
  if (!word.includes("/") && !word.endsWith(".md")) return ok(word);
  const all = await listAll(session, "listReviews");
  if (all.kind === "trouble") return all;
  const found = findOne(
    "reviews",
    word,
    all.value,
    ({ path }) => [path, path.slice(1)],
    ({ id }) => id,
  );
  return found.kind === "trouble" ? found : ok(found.value.id);
}

/** LIMIT: number of matches that a message lists for an ambiguous name. */
const MAX_NAMED = 10;

function findOne<T extends { readonly id: string }>(
  kind: "workspaces" | "keys" | "reviews",
  word: string,
  all: readonly T[],
  namesOf: (one: T) => readonly string[],
  describe: (one: T) => string,
): Result<T> {
  const byId = all.find(({ id }) => id === word);
  if (byId !== undefined) return ok(byId);
  const found = all.filter((item) => namesOf(item).includes(word));
  const [first] = found;
  const next = `mdmirror serve admin ${kind} lists them`;
  if (first === undefined) return trouble("usage", `no ${kind} has the name or id ${shownName(word)}`, next);
  if (found.length === 1) return ok(first);
  const named = found.slice(0, MAX_NAMED).map(describe).join("; ");
  const more = found.length > MAX_NAMED ? `; and ${found.length - MAX_NAMED} more` : "";
  return trouble("usage", `${shownName(word)} names ${found.length} ${kind}: ${named}${more}`, "give an id instead");
}

/** Formats a grant, such as `/notes=edit`. */
function grantWords({ path, level }: { readonly path: string; readonly level: string }): string {
  return `${shownName(path)}=${level}`;
}
