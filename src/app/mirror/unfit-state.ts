import type { DatabaseFault } from "../../state/database.ts";
import type { StateFile } from "../../state/schema.ts";
import { type Result, trouble } from "./trouble.ts";

/** Each way that a state file can be unfit, as it is told. */
export function unfitState(
  opened: { readonly kind: "missing" } | ({ readonly file: StateFile } & DatabaseFault),
): Result<never> {
  switch (opened.kind) {
    case "missing":
      return trouble("fault", "the folder has no state", "mdmirror sync makes one");
    case "damaged":
      return trouble(
        "fault",
        `${opened.file} is damaged: ${opened.detail}`,
        "mdmirror sync sets it aside and builds it anew from both sides, losing nothing",
      );
    case "newer":
      return trouble(
        "usage",
        `${opened.file} was written by a newer mdmirror (schema ${opened.version}, this one knows ${opened.known})`,
        "use the newer mdmirror",
      );
    case "unusable":
      return trouble(
        "fault",
        `${opened.file} cannot be used: ${opened.detail}`,
        "see that the disk has space and this user may write .mdmirror/",
        { code: opened.code },
      );
  }
}
