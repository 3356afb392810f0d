import { readFileSync } from "node:fs";
import type { Variant } from "../../variants/variant.ts";

/**
 * What of the suite cannot hold for a deployment with some trait: the suite says what we take for
 * the contract, and such a one has chosen otherwise. By trait: why, and the titles.
 */
export const CANNOT_HOLD = JSON.parse(readFileSync(new URL("cannot-hold.json", import.meta.url), "utf8")) as Readonly<
  Partial<Record<keyof Variant, { readonly why: string; readonly titles: readonly string[] }>>
>;

/** Titles that name a request which such a deployment does not know. */
const FOLDER_WRITES = /(PATCH|DELETE) \/v1\/folders\//;

/** @returns why the test cannot hold there; null where it must */
export function cannotHold(title: string, variant: Variant): string | null {
  const found = Object.entries(CANNOT_HOLD).find(
    ([trait, { titles }]) =>
      variant[trait as keyof Variant] !== undefined &&
      (titles.includes(title) || (trait === "noFolderPatchOrDelete" && FOLDER_WRITES.test(title))),
  );
  return found?.[1].why ?? null;
}
