import { openSignedIn, type SignedIn } from "./rig.ts";

/** A document that was edited on both sides in ways that do not merge. */
export const CONFLICT_TEXTS = {
  base: "# Plan\n\none\ntwo\nthree\n",
  mine: "# Plan\n\none\nmine\nthree\n",
  theirs: "# Plan\n\none\ntheirs\nthree\n",
  merged: "# Plan\n\none\nmine and theirs\nthree\n",
} as const;

const SAME = "\nsame\n\nsame too\n\nand this\n\n";

/** Two clashes. `merged` has the service's version at the first and the local one at the second. */
export const TWO_CLASHES = {
  base: `one\n${SAME}two\n`,
  mine: `one of mine\n${SAME}two of mine\n`,
  theirs: `one of theirs\n${SAME}two of theirs\n`,
  merged: `one of theirs\n${SAME}two of mine\n`,
} as const;

/** Opens `w` with a conflict of `plan.md`. */
export async function openConflict(
  texts: Readonly<Record<keyof typeof CONFLICT_TEXTS, string>> = CONFLICT_TEXTS,
): Promise<SignedIn> {
  const opened = await openSignedIn({ linked: false });
  const { rig } = opened;
  rig.createRemotely("plan.md", texts.base);
  await rig.init();
  rig.write("plan.md", texts.mine);
  rig.editRemotely("plan.md", texts.theirs);
  await rig.run(["sync", "w"]);
  return opened;
}
