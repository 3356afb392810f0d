import type { LocalPath } from "../../../contract/path.ts";
import type { Policy } from "../../model/policy.ts";
import type { TextLookup } from "../../model/tree.ts";
import type { CycleContext, CycleInput } from "./cycle-context.ts";

export function makePolicy(ctx: CycleContext, input: CycleInput, absentTwice: ReadonlySet<LocalPath> | null): Policy {
  const { reviewsOnlyUnchanged, secondLookMs, handsOff, ...settings } = input.settings;
  const traits = ctx.world.remote.traits();
  return {
    ...settings,
    refusedCharacters: traits.refusedCharacters,
    remoteFolding: traits,
    canMoveFolders: traits.folderPatch !== "no",
    // If only a folder of the workspace is linked, the root of the linked folder is an ordinary
    // folder on the service.
    canMoveToRoot: ctx.world.prefix !== "" || traits.moveToRoot !== "no",
    retryRefused: input.retryRefused,
    unchangedContents: input.unchangedContents,
    absentTwice,
  };
}

/**
 * Returns a function that finds contents. If links are converted, the contents have no link
 * destinations, so that both forms of a content are equal.
 */
export function makeTextFinder({ world, notes }: CycleContext): TextLookup {
  const findText: TextLookup = (digest) => notes.dryTexts.get(digest) ?? world.state.text(digest);
  return world.links?.comparing(findText) ?? findText;
}
