import type { Json } from "../../src/conformance/world.ts";
import type { Send, Sent } from "./recorder.ts";

/**
 * A service that tells the truth but once. Each lie is one that a store with a wrong transaction
 * would tell, and which the judge must find.
 */

type Asked = { readonly method: string; readonly path: string; readonly body: Json };

/** What it remembers, to lie with. */
type Memory = {
  /** Document → how it was read first. */
  readonly read: Map<string, Json>;
  /** Documents that were deleted. */
  readonly gone: Map<string, Json>;
};

/** @returns the lie; null where the truth must do for now */
type Lie = (asked: Asked, truth: Json, status: number, memory: Memory) => Json | null;

const documentOf = (path: string) => /\/(doc_\w+)/.exec(path)?.[1] ?? "";

export const LIES: Readonly<Record<string, Lie>> = {
  "a stale read": ({ method, path }, truth, status, { read }) => {
    const before = read.get(documentOf(path));
    if (method !== "GET" || status !== 200 || before === undefined) return null;
    return before.lastChangeId === truth.lastChangeId
      ? null
      : { ...truth, ...before, path: truth.path, parentId: truth.parentId };
  },
  "a merge without one side": ({ method, body }, truth, status) =>
    method === "PUT" && status === 200 && truth.content !== body.content ? { ...truth, content: body.content } : null,
  // In the listing of the audit: beside other clients, what is missing may just have gone.
  "a row left out of a list": ({ path }, truth) =>
    truth?.url === "/v1/files" && path.includes("limit=7") ? { ...truth, data: truth.data.slice(1) } : null,
  "a row twice in a list": (_, truth) =>
    truth?.object === "list" && truth.data.length > 1 ? { ...truth, data: [...truth.data, truth.data[0]] } : null,
  "one path for two documents": (_, truth) => {
    const [first, second] = truth?.object === "list" && truth.url === "/v1/files" ? truth.data : [];
    return second === undefined
      ? null
      : { ...truth, data: [first, { ...second, path: first.path, parentId: first.parentId }, ...truth.data.slice(2)] };
  },
  "a change id of another document": ({ method }, truth, status, { read }) => {
    const [other] = [...read.values()].filter(({ id }) => id !== truth?.file?.id);
    if (method !== "PUT" || status !== 200 || other === undefined) return null;
    return { ...truth, file: { ...truth.file, lastChangeId: other.lastChangeId } };
  },
  "a document that is gone": ({ method, path }, truth, status) =>
    method === "GET" && status === 200 && documentOf(path) !== ""
      ? { code: "file_not_found", status: 404, detail: truth.path }
      : null,
  "the folder's path of before": ({ method, path }, truth, status) =>
    method === "PATCH" && status === 200 && path.includes("/dir_") ? { ...truth, path: `${truth.path}-before` } : null,
};

/** Edits that are answered and never done. */
export const FORGOTTEN = "an edit that is forgotten";
/** Documents that are read after their deletion. */
export const RISEN = "a document that came back";

/** @param lie its name @param told called when it lied */
export function lieOnce(send: Send, lie: string, told: () => void): Send {
  const memory: Memory = { read: new Map(), gone: new Map() };
  let isTold = false;
  const tell = (answer: Sent): Sent => {
    isTold = true;
    told();
    return answer;
  };
  return async (method, path, body, by) => {
    const id = documentOf(path);
    const known = memory.read.get(id);
    if (lie === FORGOTTEN && !isTold && method === "PUT" && known?.lastChangeId === (body as Json).baseChangeId) {
      const file = { ...known, lastChangeId: "chg_forgotten00000" };
      return tell({ status: 200, json: { file, content: (body as Json).content } });
    }
    if (lie === RISEN && !isTold && method === "GET" && memory.gone.has(id))
      return tell({ status: 200, json: memory.gone.get(id) });
    const sent = await send(method, path, body, by);
    if (typeof sent === "string") return sent;
    const json = isTold ? null : (LIES[lie]?.({ method, path, body }, sent.json, sent.status, memory) ?? null);
    if (method === "GET" && sent.status === 200 && id !== "") memory.read.set(id, sent.json);
    if (method === "DELETE" && sent.status === 204 && known !== undefined) memory.gone.set(id, known);
    return json === null ? sent : tell({ status: json.code === undefined ? sent.status : json.status, json });
  };
}
