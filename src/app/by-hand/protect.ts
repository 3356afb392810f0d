import type { LocalPath } from "../../model/path.ts";
import { faultTrouble } from "../mirror/fault-trouble.ts";
import { linkAt } from "../history/find-document.ts";
import type { OpenedMirror } from "../mirror/open-mirror.ts";
import { ok, type Result, trouble } from "../mirror/trouble.ts";

/**
 * Sets or clears a document's review protection on the service. The next listing updates the link.
 */
export async function setProtection(
  mirror: OpenedMirror,
  path: LocalPath,
  value: boolean,
): Promise<Result<{ readonly was: boolean }>> {
  const { state, remote } = mirror.world;
  const link = linkAt(state.load(), path);
  if (link === null) {
    return trouble(
      "usage",
      `${path} is no mirrored document`,
      "mdmirror sync first, if it is new; mdmirror status shows what is held",
    );
  }
  const answer = await remote.setProtected(link.id, value);
  if (answer.ok) return ok({ was: link.protected });
  const { fault } = answer;
  if (fault.kind !== "problem") return { kind: "trouble", trouble: faultTrouble(fault, mirror.url) };
  const { code, requestId, status } = fault;
  if (status === 403) {
    return trouble(
      "usage",
      `${path}: this key may not change the protection`,
      "use a key with Full access: --key-file FILE",
      { code, requestId },
    );
  }
  return trouble("usage", `${path}: ${fault.detail}`, status === 404 ? "mdmirror sync" : "mdmirror doctor", {
    code,
    requestId,
  });
}
