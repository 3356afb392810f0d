import { HOLD_REASONS, type HoldReason } from "../mirror/model/hold.ts";
import type { MirrorStatus } from "../mirror/folder/read-status.ts";
import { attentionJson } from "../mirror/operations/results/attention.ts";
import type { AttentionEntry } from "../mirror/operations/results/shapes.ts";
import { documentAddress, mirrorAddress } from "./addresses.ts";

/** What is open in a mirror, and on which page it can be ended. */

/** `where`: the page; null: there is none, and its text says what to do. */
export type Need = AttentionEntry & { readonly where: Where | null };

type Where = "conflict" | "safety-stop" | "reviews" | "docs";

const WHERES: Readonly<Record<string, Where>> = {
  conflict: "conflict",
  "in-review": "reviews",
  "review-conflict": "reviews",
  "review-delayed": "reviews",
  "review-unknown": "reviews",
};

/** The path of each page, as the router reads it. */
const PAGES: Readonly<Record<Where, string>> = {
  conflict: "/m/:name/conflict/*",
  "safety-stop": "/m/:name/safety-stop",
  reviews: "/m/:name/reviews",
  docs: "/m/:name/docs/*",
};

/** @returns what needs the user, and what will end without */
export function needsOf({ attention, safetyStop, fault }: Pick<MirrorStatus, "attention" | "safetyStop" | "fault">): {
  readonly needs: readonly Need[];
  readonly waits: readonly Need[];
} {
  const of = (waits: boolean) => placed(attention.filter((one) => one.waits === waits));
  const halts = attentionJson({ attention: [], safetyStop, fault: null });
  const faults = attentionJson({ attention: [], safetyStop: null, fault });
  return {
    needs: [
      ...of(false),
      ...halts.map((one) => ({ ...one, where: "safety-stop" as const })),
      ...faults.map((one) => ({ ...one, where: null })),
    ],
    waits: of(true),
  };
}

function placed(attention: MirrorStatus["attention"]): Need[] {
  return attentionJson({ attention, safetyStop: null, fault: null }).map((one) => ({
    ...one,
    where: whereOf(one),
  }));
}

/** A hold that a choice can end is shown by the page of a conflict. */
function whereOf({ kind, path }: AttentionEntry): Where | null {
  const known = WHERES[kind];
  if (known !== undefined || path === "") return known ?? null;
  const isChosen = Object.hasOwn(HOLD_REASONS, kind) && HOLD_REASONS[kind as HoldReason].ways !== undefined;
  return isChosen ? "conflict" : "docs";
}

/**
 * The address of the page that ends it.
 * @param pages the paths of all pages, as the router reads them
 * @returns null: no page does
 */
export function addressOf({ where, path }: Need, name: string, pages: ReadonlySet<string>): string | null {
  const found = [where, path === "" ? null : "docs"].find((one) => one !== null && pages.has(PAGES[one as Where]));
  switch (found) {
    case "conflict":
    case "docs":
      return documentAddress(name, found, path);
    case "safety-stop":
    case "reviews":
      return mirrorAddress(name, found);
    default:
      return null;
  }
}
