import { ok, type Result } from "../app/mirror/trouble.ts";
import { type MirrorModel, modelOf } from "./mirror-model.ts";
import type { Asked, Ui } from "./page.ts";

/** A mirror whose folder is there, and this user's: what is in it may be shown. */
export type SeenMirror = Pick<MirrorModel, "name" | "root"> & Pick<MirrorModel, "needs" | "waits" | "job">;

export async function seenMirror(ui: Ui, { params }: Pick<Asked, "params">): Promise<Result<SeenMirror>> {
  const looked = await ui.looks.one(params["name"]!);
  if (looked.kind === "trouble") return looked;
  const { look } = looked.value;
  if (look.kind === "unseen") return { kind: "trouble", trouble: look.trouble };
  const { name, root, needs, waits, job } = modelOf(looked.value, ui);
  return ok({ name, root, needs, waits, job });
}
