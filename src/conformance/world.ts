import assert from "node:assert/strict";
import type { Problem } from "../contract/api/resources.ts";
import { PROBLEM_CODES, type ProblemCode } from "../contract/problem.ts";
import type { FileResource, FileWithContent, FolderResource } from "../contract/resources.ts";
import type { WireHeaders, WireRequest, WireResponse } from "../contract/wire.ts";

/** Sends a request. Resolves with the answer, whatever its status; rejects without an answer. */
export type Exchange = (request: WireRequest) => Promise<WireResponse>;

/** A test case of the contract, which uses only HTTP, and so can test every service. */
export type ContractCase = {
  readonly title: string;
  /**
   * Source of the rule that the case tests. `published`: the published contract. `assumed`:
   * mdmirror itself, because the published contract does not mention the rule.
   */
  readonly basis: "published" | "assumed";
  /**
   * True if the case leaves a change in review on the service, because the API has no request that
   * removes a change in review.
   */
  readonly leavesReview: boolean;
  readonly run: (setup: CaseSetup) => Promise<void>;
};

export type CaseSetup = {
  readonly api: Api;
  /** Folder in the root of the workspace that only this case uses. */
  readonly folder: FolderResource;
  /** True if the service updates its search index late, so that searches miss the last writes. */
  readonly indexesLate: boolean;
  /** Returns a client that uses another key; with null, a client without a key. */
  readonly as: (key: string | null) => Api;
};

export class CheckedReply {
  readonly status: number;
  readonly headers: WireHeaders;
  readonly text: string;
  /** Parsed body of the answer; null if it is not JSON. */
  readonly json: Json;

  constructor({ status, headers, body }: WireResponse) {
    this.status = status;
    this.headers = headers;
    this.text = body;
    this.json = parseJson(body);
  }

  /** Expects an answer with this status. Returns the parsed body. */
  ok(status: number): Json {
    assert.equal(this.status, status, this.text);
    assert.match(this.headers["content-type"] ?? "", /^application\/json/);
    assert.ok(this.headers["x-request-id"]);
    return this.json;
  }

  /** Expects status 200 as the answer to a PUT. Returns the file with its new content. */
  edited(): Json {
    const { object, file, content, ...more } = this.ok(200);
    assert.deepEqual([object, more], ["edit", {}]);
    return { ...file, content };
  }

  deleted(): void {
    assert.equal(this.status, 204, this.text);
    assert.equal(this.text, "");
  }

  /**
   * Expects an error answer with this code and all documented fields.
   * @param pointers expected pointers in `errors`, in order. Without pointers, the pointers of the
   * answer are not checked
   */
  problem(code: ProblemCode, ...pointers: string[]): Problem {
    const problem = this.json as Problem;
    assert.equal(problem?.code, code, this.text);
    assert.equal(this.status, PROBLEM_CODES[code].status);
    assert.equal(problem.status, this.status);
    assert.match(this.headers["content-type"] ?? "", /^application\/problem\+json/);
    assert.match(problem.type, new RegExp(`^[a-z]+:.*/errors/${code.replaceAll("_", "-")}$`));
    for (const text of [problem.title, problem.detail]) assert.ok(typeof text === "string" && text !== "");
    assert.ok(problem.requestId);
    assert.equal(this.headers["x-request-id"], problem.requestId);
    const errors = problem.errors ?? [];
    const shownPointers = errors.map(({ pointer }) => pointer);
    if (pointers.length > 0) assert.deepEqual(shownPointers, pointers);
    for (const error of errors) {
      assert.ok(error.code !== "" && error.detail !== "");
      assert.match(error.pointer, /^\//);
    }
    return problem;
  }

  invalid(...pointers: string[]): Problem {
    return this.problem("invalid_request", ...pointers);
  }
}

type ListEnvelope<Item> = {
  readonly object: "list";
  readonly url: string;
  readonly data: readonly Item[];
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
};

// Type of parsed JSON: `any`, because a case reads the fields of an answer to check them.
// biome-ignore lint/suspicious/noExplicitAny: the only untyped JSON of the suite
export type Json = any;

export class Api {
  readonly #exchange: Exchange;
  readonly #key: string | null;

  constructor(exchange: Exchange, key: string | null) {
    this.#exchange = exchange;
    this.#key = key;
  }

  /** @param body body of the request. An object is sent as JSON; a string is sent unchanged */
  async send(method: string, path: string, body?: object | string, headers: WireHeaders = {}): Promise<CheckedReply> {
    const sentBody = body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body);
    const typeHeader: WireHeaders = sentBody === null ? {} : { "content-type": "application/json" };
    const authHeader: WireHeaders = this.#key === null ? {} : { authorization: `Bearer ${this.#key}` };
    const request = { method, path, headers: { ...authHeader, ...typeHeader, ...headers }, body: sentBody };
    return new CheckedReply(await this.#exchange(request));
  }

  get = (path: string) => this.send("GET", path);
  post = (path: string, body: object | string) => this.send("POST", path, body);
  patch = (path: string, body: object | string) => this.send("PATCH", path, body);
  put = (path: string, body: object | string) => this.send("PUT", path, body);
  delete = (path: string) => this.send("DELETE", path);

  async file(path: string, content = "text\n"): Promise<FileResource> {
    return (await this.post("/v1/files", { path, content })).ok(201);
  }

  async folder(path: string): Promise<FolderResource> {
    return (await this.post("/v1/folders", { path })).ok(201);
  }

  async read(id: string): Promise<FileWithContent> {
    return (await this.get(`/v1/files/${id}`)).ok(200);
  }

  edit = (id: string, baseChangeId: string, content: string) =>
    this.put(`/v1/files/${id}/content`, { baseChangeId, content });

  async page(
    kind: "files" | "folders",
    query: Record<string, string | number> = {},
  ): Promise<ListEnvelope<FileResource>> {
    const text = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    ).toString();
    return (await this.get(`/v1/${kind}${text === "" ? "" : `?${text}`}`)).ok(200);
  }

  async paths(kind: "files" | "folders", query: Record<string, string | number> = {}): Promise<string[]> {
    const paths: string[] = [];
    let page = await this.page(kind, query);
    for (let pages = 0; ; pages++) {
      assert.ok(pages < 1_000, "the pages do not end");
      paths.push(...page.data.map((item) => item.path));
      if (!page.hasMore) return paths;
      assert.equal(typeof page.nextCursor, "string");
      page = await this.page(kind, { ...query, cursor: page.nextCursor! });
    }
  }
}

/** Parses JSON; returns null if the string is not JSON. */
export function parseJson(text: string): Json {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

export function defineCase(title: string, run: ContractCase["run"]): ContractCase {
  return { title, basis: "published", leavesReview: false, run };
}

export function defineAssumedCase(title: string, run: ContractCase["run"]): ContractCase {
  return { title, basis: "assumed", leavesReview: false, run };
}

/** Returns a copy of a case, marked as one that leaves a change in review on the service. */
export function markLeavingReview(contractCase: ContractCase): ContractCase {
  return { ...contractCase, leavesReview: true };
}

export type ItemKind = "files" | "folders";
export const ITEM_KINDS: readonly ItemKind[] = ["files", "folders"];

export const makeName = (kind: ItemKind, stem: string) => (kind === "files" ? `${stem}.md` : stem);

export async function createItem(setup: CaseSetup, kind: ItemKind, path: string): Promise<string> {
  const pathWithEnding = makeName(kind, path);
  return (kind === "files" ? await setup.api.file(pathWithEnding) : await setup.api.folder(pathWithEnding)).id;
}

/**
 * Creates items in the folder of the case, in an order that is not alphabetical. By this order, a
 * case sees whether a service lists the items by name or by time of creation.
 */
export async function createItems(setup: CaseSetup, kind: ItemKind, count: number): Promise<string[]> {
  const stems = Array.from({ length: count }, (_, i) => `${String.fromCharCode(97 + ((i * 7) % 26))}-${i}`);
  for (const stem of stems) await createItem(setup, kind, `${setup.folder.path}/${stem}`);
  return stems.map((stem) => makeName(kind, `${setup.folder.path}/${stem}`));
}

type ItemPage = Pick<Awaited<ReturnType<Api["page"]>>, "data">;

export const listIds = ({ data }: ItemPage) => data.map(({ id }) => id);
export const listPaths = ({ data }: ItemPage) => data.map(({ path }) => path);
