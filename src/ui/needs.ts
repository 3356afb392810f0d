import { BLOCK_REASONS, type BlockReason } from "../mirror/model/block.ts";
import type { MirrorStatus } from "../mirror/folder/read-status.ts";
import { attentionJson } from "../mirror/operations/results/attention.ts";
import type { AttentionEntry } from "../mirror/operations/results/shapes.ts";
import { documentAddress, mirrorAddress } from "./addresses.ts";

/** Finds the open problems of a folder, and the pages on which they can be resolved. */

/**
 * An open problem. `where`: the page on which it can be resolved; null if there is none, and the
 * text names the next step.
 */
export type Need = AttentionEntry & { readonly where: Where | null };

type Where = "conflict" | "safety-stop" | "reviews" | "docs";

const WHERES: Readonly<Record<string, Where>> = {
  conflict: "conflict",
  "in-review": "reviews",
  "review-conflict": "reviews",
  "review-delayed": "reviews",
  "review-unknown": "reviews",
};

/** Returns problems that require action, and those that end by themselves. */
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

/**
 * Returns the page for a problem. The page of a conflict also shows a block that a choice can
 * resolve.
 */
function whereOf({ kind, path }: AttentionEntry): Where | null {
  const known = WHERES[kind];
  if (known !== undefined || path === "") return known ?? null;
  const isChosen = Object.hasOwn(BLOCK_REASONS, kind) && BLOCK_REASONS[kind as BlockReason].ways !== undefined;
  return isChosen ? "conflict" : "docs";
}

/** Returns the address of the page on which a problem can be resolved; null if there is none. */
export function addressOf({ where, path }: Need, name: string): string | null {
  if (where === null) return null;
  return where === "conflict" || where === "docs" ? documentAddress(name, where, path) : mirrorAddress(name, where);
}
