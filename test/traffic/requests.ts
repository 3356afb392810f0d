import type { Dice } from "../simulator/dice.ts";
import { adminRequest } from "./requests-admin.ts";
import { type Ground, request, type Sent } from "./sent.ts";
import { editedText, fileName, folderName, folderNames, hybridQuery, regexQuery, someText } from "./words.ts";

type Draw = (ground: Ground) => Omit<Sent, "key">;

/** How often of a hundred. */
const WEIGHTS: readonly (readonly [number, Draw])[] = [
  [14, createFile],
  [10, readFile],
  [9, patchFile],
  [16, putContent],
  [4, deleteFile],
  [6, createFolder],
  [3, readFolder],
  [6, patchFolder],
  [3, deleteFolder],
  [14, list],
  [6, search],
  [4, oddRequest],
];

/** @param keys aliases of the keys that clients have */
export function drawRequest(ground: Ground, keys: readonly string[]): Sent {
  const { dice } = ground;
  if (dice.below(14) === 0) return { ...adminRequest(ground), key: dice.below(30) === 0 ? null : "admin" };
  const key = dice.below(60) === 0 ? dice.pick([null, "mdm_wrong", "admin"]) : dice.pick(keys);
  let roll = dice.below(95);
  for (const [weight, draw] of WEIGHTS) {
    if (roll < weight) return { ...draw(ground), key };
    roll -= weight;
  }
  throw new Error("the weights do not add up");
}

/** Ids that name nothing, or have no right form. */
const oddId = (dice: Dice, prefix: string) =>
  dice.pick([
    `${prefix}_00000000000000`,
    `${prefix}_short`,
    "x",
    `${prefix}_0000000000000a-cmit_0`,
    "%E0%A4%A",
    "..",
    "%2F",
  ]);

function fileId({ dice, seen }: Ground): string {
  return dice.below(25) === 0 ? oddId(dice, "doc") : (seen.file(dice)?.id ?? oddId(dice, "doc"));
}

function folderId({ dice, seen }: Ground): string {
  return dice.below(25) === 0 ? oddId(dice, "dir") : (seen.folder(dice)?.id ?? oddId(dice, "dir"));
}

/** null is the root. */
const parentId = (ground: Ground) => (ground.dice.below(4) === 0 ? null : folderId(ground));

function newPath({ dice, seen }: Ground, name: string): string {
  const below = dice.below(2) === 0 ? (seen.folder(dice)?.path ?? "") : "";
  return `${dice.pick(["/", "/", "/", ""])}${[...below.split("/").filter(Boolean), ...folderNames(dice, 0), name].join("/")}`;
}

function createFile(ground: Ground) {
  const { dice } = ground;
  const content = someText(dice);
  if (dice.below(20) === 0) return request("POST", "/v1/files", oddBody(ground));
  if (dice.below(2) === 0)
    return request("POST", "/v1/files", { parentId: parentId(ground), name: fileName(dice), content });
  return request("POST", "/v1/files", { path: newPath(ground, fileName(dice)), content });
}

function oddBody({ dice }: Ground): object | string {
  return dice.pick<object | string>([
    {},
    { path: "/a.md" },
    { path: 1, content: null },
    { path: "/a.md", name: "b.md", content: "" },
    { name: "a.md", content: "x" },
    { path: "/a.md", content: "x", more: 1 },
    [],
    "{",
    "null",
    '{"path":"/a.md","path":"/b.md","content":""}',
  ]);
}

function readFile(ground: Ground) {
  return request("GET", `/v1/files/${fileId(ground)}`);
}

function patchFile(ground: Ground) {
  const { dice } = ground;
  const path = `/v1/files/${fileId(ground)}`;
  const roll = dice.below(20);
  if (roll < 7) return request("PATCH", path, { name: fileName(dice) });
  if (roll < 14) return request("PATCH", path, { parentId: parentId(ground) });
  if (roll < 19) return request("PATCH", path, { protected: dice.below(2) === 0 });
  return request("PATCH", path, dice.pick([{}, { name: "a.md", parentId: null }, { protected: "yes" }]));
}

function putContent(ground: Ground) {
  const { dice, seen } = ground;
  const file = seen.file(dice);
  if (file === null || dice.below(20) === 0)
    return request("PUT", `/v1/files/${fileId(ground)}/content`, { baseChangeId: oddId(dice, "chg"), content: "x" });
  const baseChangeId = seen.changeOf(dice, file.id) ?? oddId(dice, "chg");
  const content = file.text === null || dice.below(5) === 0 ? someText(dice) : editedText(dice, file.text);
  return request("PUT", `/v1/files/${file.id}/content`, { baseChangeId, content });
}

function deleteFile(ground: Ground) {
  return request("DELETE", `/v1/files/${fileId(ground)}`);
}

function createFolder(ground: Ground) {
  const { dice } = ground;
  if (dice.below(20) === 0) return request("POST", "/v1/folders", oddBody(ground));
  if (dice.below(2) === 0)
    return request("POST", "/v1/folders", { parentId: parentId(ground), name: folderName(dice) });
  return request("POST", "/v1/folders", { path: newPath(ground, folderName(dice)) });
}

function readFolder(ground: Ground) {
  return request("GET", `/v1/folders/${folderId(ground)}`);
}

function patchFolder(ground: Ground) {
  const path = `/v1/folders/${folderId(ground)}`;
  if (ground.dice.below(2) === 0) return request("PATCH", path, { name: folderName(ground.dice) });
  return request("PATCH", path, { parentId: parentId(ground) });
}

function deleteFolder(ground: Ground) {
  const query = ground.dice.pick(["", "?recursive=true", "?recursive=false", "?recursive=1"]);
  return request("DELETE", `/v1/folders/${folderId(ground)}${query}`);
}

function list(ground: Ground) {
  const { dice, seen } = ground;
  const known = dice.below(3) === 0 ? seen.cursor(dice) : null;
  // A cursor with its query, or with another one.
  if (known !== null) {
    const target = dice.below(8) === 0 ? "/v1/files?limit=2" : known.target;
    return request("GET", `${target}${target.includes("?") ? "&" : "?"}cursor=${known.cursor}`);
  }
  const limit = dice.pick(["1", "2", "3", "10", "1000", "1000", "0", "1001", "x", ""]);
  const parts = [...selectorOf(ground), ...(limit === "" ? [] : [`limit=${limit}`])];
  if (dice.below(40) === 0)
    parts.push(dice.pick(["cursor=", "cursor=cur_x", "more=1", "limit=1", "path_prefix=/", "%"]));
  return request(
    "GET",
    `/v1/${dice.pick(["files", "files", "folders"])}${parts.length === 0 ? "" : `?${parts.join("&")}`}`,
  );
}

function selectorOf(ground: Ground): string[] {
  const { dice, seen } = ground;
  switch (dice.below(6)) {
    case 0:
      return [];
    case 1:
      return ["path_prefix=/"];
    case 2:
      return [`path_prefix=${encodeURIComponent(seen.folder(dice)?.path ?? "/a")}`];
    case 3:
      return [`parent_id=${folderId(ground)}`];
    case 4:
      return [`path=${encodeURIComponent(seen.file(dice)?.path ?? "/a.md")}`];
    default:
      return [`path=${encodeURIComponent(seen.folder(dice)?.path ?? "/a")}`];
  }
}

function search({ dice, seen }: Ground) {
  const isRegex = dice.below(2) === 0;
  const query = isRegex ? regexQuery(dice) : hybridQuery(dice);
  const prefix = dice.below(4) === 0 ? { path_prefix: seen.folder(dice)?.path ?? "/" } : {};
  const limit = dice.below(4) === 0 ? { limit: dice.pick([1, 500, 0, 501]) } : { limit: 500 };
  const sources = dice.below(4) === 0 ? { includeSources: false } : {};
  return request("POST", `/v1/search/${isRegex ? "regex" : "hybrid"}`, { query, ...limit, ...prefix, ...sources });
}

function oddRequest({ dice }: Ground) {
  const [method, path, body] = dice.pick<[string, string, object | null]>([
    ["POST", "/auth/validate-key", {}],
    ["POST", "/auth/validate-key", { more: 1 }],
    ["GET", "/v1/nothing", null],
    ["PUT", "/v1/files", {}],
    ["DELETE", "/v1/folders", null],
    ["GET", "/v2/files", null],
    ["GET", "/v1/files/", null],
    ["PATCH", "/v1/search/regex", {}],
  ]);
  return request(method, path, body);
}
