/** Lists workspaces, keys and reviews of a service, and finds each by id or by a unique name. */

import type { z } from "zod";
import { shownName } from "../../common/shown-name.ts";
import { ok, type Result, trouble } from "../../common/trouble.ts";
import type { AdminSession } from "./session.ts";
import type { AdminOperationName, AdminOperations, KeyJson, WorkspaceJson } from "./operations.ts";

type ListName = Extract<AdminOperationName, `list${string}`>;
type ListItem<Name extends ListName> = z.output<AdminOperations[Name]["answer"]>["data"][number];

export async function listAll<Name extends ListName>(
  session: AdminSession,
  name: Name,
  query: Readonly<Record<string, string>> = {},
): Promise<Result<ListItem<Name>[]>> {
  const items: ListItem<Name>[] = [];
  let cursorQuery: Readonly<Record<string, string>> | null = {};
  while (cursorQuery !== null) {
    const page: Result<ListPage<ListItem<Name>>> = await session.ask(name, { query: { ...query, ...cursorQuery } });
    if (page.kind === "trouble") return page;
    items.push(...page.value.data);
    cursorQuery = page.value.nextCursor == null ? null : { cursor: page.value.nextCursor };
  }
  return ok(items);
}

type ListPage<Item> = { readonly data: readonly Item[]; readonly nextCursor?: string | null | undefined };

export async function findWorkspace(session: AdminSession, word: string): Promise<Result<WorkspaceJson>> {
  const workspaces = await listAll(session, "listWorkspaces");
  return workspaces.kind === "trouble" ? workspaces : findWorkspaceIn(workspaces.value, word);
}

export function findWorkspaceIn(all: readonly WorkspaceJson[], word: string): Result<WorkspaceJson> {
  return findByIdOrName(
    "workspaces",
    word,
    all,
    ({ name }) => [name],
    ({ id, documents }) => `${id}, ${documents} documents`,
  );
}

export async function findKey(session: AdminSession, word: string): Promise<Result<KeyJson>> {
  const keys = await listAll(session, "listKeys");
  if (keys.kind === "trouble") return keys;
  const describeKey = ({ id, workspaceId, grants }: KeyJson) =>
    `${id} of ${workspaceId}, ${grants.map(formatGrant).join(" ")}`;
  return findByIdOrName("keys", word, keys.value, ({ label }) => [label], describeKey);
}

/**
 * Returns the id of the review of a document. If `word` is not a path, returns it unchanged: it may
 * be the id of a review, and the service reports an id that does not exist.
 */
export async function findReviewId(session: AdminSession, word: string): Promise<Result<string>> {
  if (!word.includes("/") && !word.endsWith(".md")) return ok(word);
  const reviews = await listAll(session, "listReviews");
  if (reviews.kind === "trouble") return reviews;
  const matchingReview = findByIdOrName(
    "reviews",
    word,
    reviews.value,
    ({ path }) => [path, path.slice(1)],
    ({ id }) => id,
  );
  return matchingReview.kind === "trouble" ? matchingReview : ok(matchingReview.value.id);
}

/**
 * LIMIT: number of matches that a message lists for an ambiguous name, so that the message stays
 * short.
 */
const MAX_LISTED_MATCHES = 10;

function findByIdOrName<T extends { readonly id: string }>(
  kind: "workspaces" | "keys" | "reviews",
  word: string,
  all: readonly T[],
  namesOf: (one: T) => readonly string[],
  describe: (one: T) => string,
): Result<T> {
  const byId = all.find(({ id }) => id === word);
  if (byId !== undefined) return ok(byId);
  const matches = all.filter((item) => namesOf(item).includes(word));
  const [first] = matches;
  const nextStep = `mdmirror serve admin ${kind} lists them`;
  if (first === undefined) return trouble("usage", `no ${kind} has the name or id ${shownName(word)}`, nextStep);
  if (matches.length === 1) return ok(first);
  const listedMatches = matches.slice(0, MAX_LISTED_MATCHES).map(describe).join("; ");
  const omittedText = matches.length > MAX_LISTED_MATCHES ? `; and ${matches.length - MAX_LISTED_MATCHES} more` : "";
  return trouble(
    "usage",
    `${shownName(word)} names ${matches.length} ${kind}: ${listedMatches}${omittedText}`,
    "give an id instead",
  );
}

function formatGrant({ path, level }: { readonly path: string; readonly level: string }): string {
  return `${shownName(path)}=${level}`;
}
