import type { z } from "zod";
import type { WireRequest, WireResponse } from "../../contract/wire.ts";
import { describeFailure, type WireResult } from "../../common/wire.ts";
import { ok, refusal, type Result, trouble } from "../../common/trouble.ts";
import { isJsonObject } from "../../contract/json.ts";
import { toClause } from "../requests/answer.ts";
import {
  ADMIN_OPERATIONS,
  type AdminOperation,
  type AdminOperationName,
  type AdminOperations,
  type KeyJson,
  type WorkspaceJson,
} from "./operations.ts";
import { plural } from "../../common/quantities.ts";
import { shownName } from "../../common/shown-words.ts";

type RequestFacts = {
  readonly target: string;
  readonly keyHint: string;
  /**
   * False if the request may change data. If the answer to such a request is lost, the change may
   * have happened.
   */
  readonly isRead: boolean;
};

function readAnswer(result: WireResult, request: RequestFacts): Result<unknown> {
  if (result.kind !== "answer") return explainMissingAnswer(result, request);
  const { status, body } = result.response;
  if (status === 204) return ok(null);
  const json = parseJson(body);
  if (status >= 200 && status < 300 && json !== undefined) return ok(json);
  return explainRefusal(result.response, json, request);
}

function explainMissingAnswer(
  result: Exclude<WireResult, { kind: "answer" }>,
  { target, isRead }: RequestFacts,
): Result<never> {
  const failure = `${target} did not answer: ${describeFailure(result.why)}`;
  const nextStep =
    isRead || result.kind === "not-sent"
      ? "nothing was done; run it again once the service answers"
      : "it may have been done: look with mdmirror serve admin before you run it again";
  return trouble("offline", failure, nextStep, { code: "unreachable" });
}

function explainRefusal({ status }: WireResponse, json: unknown, { target, keyHint }: RequestFacts): Result<never> {
  if (status === 401)
    return trouble("offline", `${target} rejects the administrator's key`, keyHint, { code: "unauthenticated" });
  const problem = isJsonObject(json) ? json : {};
  const { code, detail, requestId } = problem;
  if (typeof code !== "string" || typeof detail !== "string") {
    const nextStep = "give the base URL of an mdmirror service with --url, or its data folder with --data";
    return trouble("offline", `${target} does not answer as an mdmirror service does (${status})`, nextStep);
  }
  const details = { code, requestId: typeof requestId === "string" ? requestId : null };
  if (status >= 500) return trouble("offline", toClause(detail), "run it again later", details);
  return trouble("usage", toClause(detail), NEXT_STEPS[code] ?? "mdmirror serve admin --help", details);
}

const NEXT_STEPS: Readonly<Record<string, string>> = {
  not_found: "mdmirror serve admin keys, reviews or workspaces lists them",
  edit_conflict: "mdmirror serve admin reviews show ID, then accept ID --content FILE with a merge of both",
};

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Connection of an administrator to a running service, or to the data folder itself. */
export type AdminSession = {
  /** Address of the service or path of the data folder, for messages. */
  readonly where: string;
  ask<Name extends AdminOperationName>(
    name: Name,
    parts?: AdminRequestParts<AdminOperations[Name]>,
  ): Promise<Result<AnswerOf<Name>>>;
  close(): Promise<void>;
};

type AnswerOf<Name extends AdminOperationName> = z.output<AdminOperations[Name]["answer"]>;

type AdminRequestParts<Operation> = {
  readonly id?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Operation extends { readonly body: infer Body extends z.ZodType } ? z.input<Body> : undefined;
};

type RequestSender = (request: WireRequest) => Promise<WireResult>;

const SENDABLE_KEY = /^[\x21-\x7e]{1,4096}$/;

/**
 * Opens a connection that sends each request with `sendRequest`.
 * @param keyHint advice for a user whose key the service refuses
 */
export function openSession(
  sendRequest: RequestSender,
  adminKey: string,
  { where, keyHint, close }: { readonly where: string; readonly keyHint: string; readonly close: () => Promise<void> },
): AdminSession {
  return {
    where,
    async ask(name, { id = "", query = {}, body } = {}) {
      if (!SENDABLE_KEY.test(adminKey)) return refusal("the file of the administrator's key contains no key", keyHint);
      const { method, path, answer: schema }: AdminOperation = ADMIN_OPERATIONS[name];
      const search = Object.keys(query).length === 0 ? "" : `?${new URLSearchParams(query)}`;
      const result = await sendRequest({
        method,
        path: path.replace("{id}", encodeURIComponent(id)) + search,
        headers: {
          accept: "application/json, application/problem+json",
          authorization: `Bearer ${adminKey}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        body: body === undefined ? null : JSON.stringify(body),
      });
      const answer = readAnswer(result, { target: where, keyHint, isRead: method === "GET" });
      if (answer.kind === "trouble") return answer;
      const { data, success } = schema.safeParse(answer.value);
      if (success) return ok(data as AnswerOf<typeof name>);
      const failure = `${where} answers in a form that this version of mdmirror does not know`;
      return trouble("offline", failure, "use the same version of mdmirror for the command and the service");
    },
    close,
  };
}

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
    ({ id, documents }) => `${id}, ${plural(documents, "document")}`,
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
 * Returns the id of the review of the document at a path. A `word` that is not a path is returned
 * unchanged. Such a word may be the id of a review; the service reports an id that does not exist.
 */
export async function findReviewId(session: AdminSession, word: string): Promise<Result<string>> {
  if (!word.includes("/") && !word.endsWith(".md")) return ok(word);
  const reviews = await listAll(session, "listReviews");
  if (reviews.kind === "trouble") return reviews;
  const review = findByIdOrName(
    "reviews",
    word,
    reviews.value,
    ({ path }) => [path, path.slice(1)],
    ({ id }) => id,
  );
  return review.kind === "trouble" ? review : ok(review.value.id);
}

/** LIMIT: number of matches that a message lists for an ambiguous name, to stay short. */
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
  if (first === undefined) return refusal(`no ${kind} has the name or id ${shownName(word)}`, nextStep);
  if (matches.length === 1) return ok(first);
  const matchList = matches.slice(0, MAX_LISTED_MATCHES).map(describe).join("; ");
  const moreClause = matches.length > MAX_LISTED_MATCHES ? `; and ${matches.length - MAX_LISTED_MATCHES} more` : "";
  return refusal(`${shownName(word)} names ${matches.length} ${kind}: ${matchList}${moreClause}`, "give an id instead");
}

function formatGrant({ path, level }: { readonly path: string; readonly level: string }): string {
  return `${shownName(path)}=${level}`;
}
