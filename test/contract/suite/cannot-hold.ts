import { readFileSync } from "node:fs";
import type { Variant } from "../../variants/variant.ts";

/**
 * Tests of the suite that a deployment cannot pass, because it made another choice than the service
 * that the suite describes. By trait of the deployment: the reason, and the titles.
 */
export const CANNOT_HOLD = JSON.parse(readFileSync(new URL("cannot-hold.json", import.meta.url), "utf8")) as Readonly<
  Partial<Record<keyof Variant, { readonly why: string; readonly titles: readonly string[] }>>
>;

/** Matches titles that name a request to change a folder. */
const FOLDER_WRITES = /(PATCH|DELETE) \/v1\/folders\//;

/** Returns why the deployment cannot pass the test; null if it must. */
export function cannotHold(title: string, variant: Variant): string | null {
  const found = Object.entries(CANNOT_HOLD).find(
    ([trait, { titles }]) =>
      variant[trait as keyof Variant] !== undefined &&
      (titles.includes(title) || (trait === "noFolderPatchOrDelete" && FOLDER_WRITES.test(title))),
  );
  return found?.[1].why ?? null;
}
