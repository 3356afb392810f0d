import { ok, type Result } from "../common/trouble.ts";
import { type MirrorModel, modelOf } from "./mirror-model.ts";
import { type PageRequest, definePage, type PageSpec, type Ui, type UiPage } from "./page.ts";

/** A linked folder that exists and belongs to this user, so that its contents may be shown. */
export type SeenMirror = Pick<MirrorModel, "name" | "root" | "needs" | "waits" | "job">;

/** Defines a page about the contents of one linked folder. */
export function defineMirrorPage<Model>({
  look,
  ...page
}: Omit<PageSpec<Model>, "look"> & {
  readonly look: (ui: Ui, mirror: SeenMirror, asked: PageRequest) => Result<Model> | Promise<Result<Model>>;
}): UiPage {
  return definePage<Model>({
    ...page,
    async look(ui, asked) {
      const seen = await seenMirror(ui, asked);
      return seen.kind === "trouble" ? seen : look(ui, seen.value, asked);
    },
  });
}

async function seenMirror(ui: Ui, { params }: PageRequest): Promise<Result<SeenMirror>> {
  const looked = await ui.looks.one(params["name"]!);
  if (looked.kind === "trouble") return looked;
  const { look } = looked.value;
  if (look.kind === "unseen") return { kind: "trouble", trouble: look.trouble };
  const { name, root, needs, waits, job } = modelOf(looked.value, ui);
  return ok({ name, root, needs, waits, job });
}
