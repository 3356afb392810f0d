import { openUi, type UiRig } from "./rig.ts";

/** A document that was edited on both sides, in ways that do not merge. */
export const TEXTS = {
  base: "# Plan\n\none\ntwo\nthree\n",
  mine: "# Plan\n\none\nmine\nthree\n",
  theirs: "# Plan\n\none\ntheirs\nthree\n",
  merged: "# Plan\n\none\nmine and theirs\nthree\n",
} as const;

/** `w` with a conflict at `plan.md`. */
export async function openConflict(): Promise<UiRig> {
  const opened = await openUi({ linked: false });
  const { rig } = opened;
  rig.createRemotely("plan.md", TEXTS.base);
  await rig.init();
  rig.write("plan.md", TEXTS.mine);
  rig.editRemotely("plan.md", TEXTS.theirs);
  await rig.run(["sync", "w"]);
  return opened;
}
