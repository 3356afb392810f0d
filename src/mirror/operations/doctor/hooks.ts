import { ageText } from "../../../common/age.ts";
import { failedHooks } from "../../hooks/failed.ts";
import { readHooks } from "../../hooks/read-hooks.ts";
import { hookMemoryOf, hooksFileOf } from "../../trust/gate.ts";
import { bad, type Check, good, warn } from "./check.ts";

/** The user's hooks, if there are any: whether they are fit, and how they ended for this mirror. */
export function checkHooks(root: string, env: Readonly<Record<string, string | undefined>>, now: number): Check[] {
  const file = hooksFileOf(env);
  if (file === null) return [];
  const read = readHooks(env);
  if (read.kind === "trouble") return [bad("hooks", "usage", read.trouble.what, read.trouble.next)];
  const memory = hookMemoryOf(root, env);
  const failed = memory === null ? [] : failedHooks(memory, env);
  if (failed.length === 0)
    return [good("hooks", `${file}: ${read.value.map(({ name }) => name).join(", ") || "none"}`)];
  return failed.map(({ name, event, at, why }) =>
    warn("hooks", `"${name}" failed ${ageText(now - at)} ago on ${event}: ${why}`, `mdmirror hooks test ${name}`),
  );
}
