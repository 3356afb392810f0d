import { MdmirrorError } from "./error.ts";

/**
 * What a program gives where no compiler has looked at it: a member that is not there is
 * `undefined`, and must name no document.
 */

/** @throws MdmirrorError of kind `usage` */
export function givenPath(path: unknown): string {
  if (typeof path !== "string" || path === "") throw unfit("path", "a path as text", path);
  return path;
}

/** @throws MdmirrorError of kind `usage` */
export function givenPaths(paths: unknown): readonly string[] {
  if (!Array.isArray(paths)) throw unfit("paths", "an array of paths", paths);
  return paths.map(givenPath);
}

/** The number of a version; null: none was given. @throws MdmirrorError of kind `usage` */
export function givenNumber(n: unknown): number | null {
  if (n === undefined || n === null) return null;
  if (typeof n !== "number" || !Number.isSafeInteger(n) || n < 1) throw unfit("n", "a whole number from 1 on", n);
  return n;
}

/** @throws MdmirrorError of kind `usage` */
export function givenDate(date: unknown): Date | null {
  if (date === undefined || date === null) return null;
  if (!(date instanceof Date) || Number.isNaN(date.getTime())) throw unfit("asOf", "a valid Date", date);
  return date;
}

/**
 * An object whose `kind` is one of these. @throws MdmirrorError of kind `usage`
 * @param name of the argument
 */
export function givenKind<T extends { readonly kind: string }>(name: string, value: T, kinds: readonly T["kind"][]): T {
  const kind = typeof value === "object" && value !== null ? value.kind : undefined;
  if (kind === undefined || !kinds.includes(kind)) throw unfit(name, `{ kind: one of ${kinds.join(", ")} }`, value);
  return value;
}

function unfit(name: string, wanted: string, given: unknown): MdmirrorError {
  return new MdmirrorError({
    kind: "usage",
    code: "usage",
    path: "",
    message: `${name} is not ${wanted}, but ${given === null ? "null" : typeof given}`,
    next: `give ${wanted}`,
  });
}
