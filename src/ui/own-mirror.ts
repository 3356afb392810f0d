import { ok, type Result, trouble } from "../common/trouble.ts";
import { absentTrouble } from "../mirror/trust/list.ts";
import { checkOwner, examineFolder } from "../mirror/trust/owner.ts";
import type { ActionRequest } from "./action.ts";
import type { Ui } from "./page.ts";

/**
 * Finds the linked folder of a form. It must exist, belong to this user, and be the one that the
 * page showed.
 */
export async function ownMirror(
  { looks, env }: Pick<Ui, "looks" | "env">,
  name: string,
  form: URLSearchParams,
): Promise<Result<ActionRequest["mirror"]>> {
  looks.forget();
  const looked = await looks.one(name);
  if (looked.kind === "trouble") return looked;
  const { mirror } = looked.value;
  if (form.get("root") !== mirror.root) {
    const what = `"${name}" is another linked folder than when this page was shown; nothing was done`;
    return trouble("usage", what, "go back to the list of linked folders", { code: "other-mirror" });
  }
  if (mirror.place !== "present") return { kind: "trouble", trouble: absentTrouble(mirror) };
  const owned = checkOwner(mirror.root, env);
  if (owned.kind === "trouble") return owned;
  const fit = examineFolder(mirror.root);
  return fit.kind === "trouble" ? fit : ok(mirror);
}
