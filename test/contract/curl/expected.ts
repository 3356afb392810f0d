/**
 * What an answer must be, member by member: a literal is that value, a pattern a text that it
 * matches, a function says whether, and an object or a list has just these members.
 */
export type Expected =
  | null
  | boolean
  | number
  | string
  | RegExp
  | ((value: unknown) => boolean)
  | readonly Expected[]
  | { readonly [member: string]: Expected };

/** @returns where `actual` is otherwise, a line each; none where it is all as expected */
export function differences(actual: unknown, expected: Expected, at = ""): string[] {
  const shown = () => [`${at === "" ? "the answer" : at} is ${JSON.stringify(actual) ?? "not there"}`];
  if (expected instanceof RegExp) return typeof actual === "string" && expected.test(actual) ? [] : shown();
  if (typeof expected === "function") return expected(actual) ? [] : shown();
  if (typeof expected !== "object" || expected === null) return actual === expected ? [] : shown();
  if (typeof actual !== "object" || actual === null || Array.isArray(actual) !== Array.isArray(expected))
    return shown();
  return memberDifferences(actual as Members, expected as { readonly [member: string]: Expected }, at);
}

type Members = Readonly<Record<string, unknown>>;

function memberDifferences(actual: Members, expected: { readonly [member: string]: Expected }, at: string): string[] {
  const wrong = Object.entries(expected).flatMap(([name, each]) => differences(actual[name], each, `${at}/${name}`));
  const more = Object.keys(actual).filter((name) => !Object.hasOwn(expected, name));
  return [...wrong, ...more.map((name) => `${at}/${name} is not expected: ${JSON.stringify(actual[name])}`)];
}

export const DOC = /^doc_[a-z0-9]{14}$/;
export const DIR = /^dir_[a-z0-9]{14}$/;
export const CHANGE = /^chg_[a-z0-9]{14}$/;

/** A File; where it stands is read from its path. */
export function file(path: string, parentId: Expected, more: { readonly [member: string]: Expected } = {}): Expected {
  return { object: "file", id: DOC, ...place(path, parentId), protected: false, lastChangeId: CHANGE, ...more };
}

export function folder(path: string, parentId: Expected, more: { readonly [member: string]: Expected } = {}): Expected {
  return { object: "folder", id: DIR, ...place(path, parentId), name: path.split("/").at(-1)!, ...more };
}

function place(path: string, parentId: Expected): { readonly [member: string]: Expected } {
  return { path, parentId, parentPath: path.slice(0, path.lastIndexOf("/")) || "/" };
}

/** The envelope of a list, or of a search. @param more a next page is there */
export function list(url: string, data: readonly Expected[], more = false): Expected {
  const isHere = (value: unknown) => typeof value === "string" && value.split("?")[0] === url;
  return { object: "list", url: isHere, hasMore: more, nextCursor: more ? /./ : null, data };
}

/** A refusal. @param pointers of the bad fields, where it names any */
export function problem(status: number, code: string, ...pointers: string[]): Expected {
  const errors = pointers.map((pointer) => ({ code: /^[a-z_]+$/, pointer, detail: /./ }));
  const type = new RegExp(`^[a-z]+:.*/errors/${code.replaceAll("_", "-")}$`);
  const told = { type, title: /./, status, code, detail: /./, requestId: /^req_/ };
  return errors.length === 0 ? told : { ...told, errors };
}
