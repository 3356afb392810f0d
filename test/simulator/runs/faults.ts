import type { WireRequest, WireResponse } from "../../../src/contract/wire.ts";
import { type Dice, rollDice } from "../dice.ts";
import { ROOT } from "../mirror.ts";
import type { SimulatedMirror } from "./mirror.ts";
import type { SyncStep } from "./script.ts";

/**
 * Fault of a request. `late`: there is no answer, and the service executes the request later.
 * `cut`: it is executed, and the answer's body ends in the middle.
 */
export type RequestFault =
  | { readonly kind: "not-sent" | "lost-before" | "lost-after" | "cut" }
  | { readonly kind: "late"; readonly wait: number }
  | { readonly kind: "answer"; readonly name: string; readonly response: WireResponse };

export function drawFault(dice: Dice, { method }: WireRequest): RequestFault {
  const any: RequestFault[] = [
    { kind: "not-sent" },
    { kind: "lost-before" },
    { kind: "cut" },
    answer("html-502", 502, "<html>bad gateway</html>", { "content-type": "text/html" }),
    answer("html-200", 200, "<html>sign in to the wireless network</html>", { "content-type": "text/html" }),
    problem(503, "service_unavailable", { "retry-after": "1" }),
    problem(500, "internal_error"),
    problem(429, "rate_limited", { "retry-after": "1" }),
    problem(401, "unauthenticated"),
    problem(403, "forbidden"),
    problem(400, "invalid_request"),
  ];
  if (method === "GET") return dice.pick(any);
  const writes: RequestFault[] = [
    ...any,
    { kind: "lost-after" },
    { kind: "lost-after" },
    { kind: "lost-after" },
    { kind: "late", wait: 1 + dice.below(12) },
    { kind: "late", wait: 1 + dice.below(12) },
    problem(404, method === "POST" ? "folder_not_found" : "file_not_found"),
    problem(409, "path_already_exists"),
  ];
  if (method === "DELETE") writes.push(problem(409, "file_protected"), problem(409, "changes_in_review"));
  if (method === "PUT") writes.push(problem(409, "edit_conflict"), problem(400, "invalid_base_change"));
  return dice.pick(writes);
}

function answer(name: string, status: number, body: string, headers: Record<string, string>): RequestFault {
  return { kind: "answer", name, response: { status, headers, body } };
}

export function problem(status: number, code: string, headers: Record<string, string> = {}): RequestFault {
  const body = { type: "about:blank", title: code, status, code, detail: "simulated", requestId: "req_simulated" };
  return answer(`${status}-${code}`, status, JSON.stringify(body), {
    "content-type": "application/problem+json",
    ...headers,
  });
}

export function cutShort(response: WireResponse): WireResponse {
  return { ...response, body: response.body.slice(0, Math.floor(response.body.length / 2)) };
}

type Trouble = {
  readonly end: () => void;
  /** Local path of the folder that the sync may be unable to read, "" for any; null for none. */
  readonly hiddenFolder: string | null;
};

/** Starts the disk trouble of a step. */
export function makeTrouble(mirror: SimulatedMirror, { trouble, seed }: SyncStep): Trouble {
  if (trouble === null) return { end: () => undefined, hiddenFolder: null };
  const dice = rollDice(seed + 77);
  const { disk } = mirror;
  if (trouble === "unmounted") return { end: unmount(mirror), hiddenFolder: null };
  if (trouble === "full")
    return { end: disk.fail({ call: "writeNew.bytes", path: null, code: "ENOSPC" }), hiddenFolder: null };
  if (trouble === "forbidden") {
    const folders = mirror.disk.user.folders(ROOT);
    if (folders.length === 0) return { end: () => undefined, hiddenFolder: null };
    const hiddenFolder = dice.pick(folders);
    const code = dice.pick(["EACCES", "EPERM"]);
    return { end: disk.fail({ call: "any", path: `${ROOT}/${hiddenFolder}`, code }), hiddenFolder };
  }
  const ends = (["rename", "link", "unlink", "readFile", "writeNew", "mkdir", "sync", "lstat"] as const)
    .filter(() => dice.below(3) === 0)
    .map((call) => {
      const drawn = dice.pick(["EIO", "EACCES", "EBUSY"]);
      // EACCES from `link` means a disk without hard links. There a save between the check and the
      // rename is overwritten (`local/names.ts`), and no user may save at that moment.
      const code = call === "link" && drawn === "EACCES" ? "EIO" : drawn;
      return disk.fail({ call, path: `${ROOT}/`.slice(0, -1), code, times: 1 });
    });
  const endAll = (): void => {
    for (const end of ends) end();
  };
  return { end: endAll, hiddenFolder: "" };
}

function unmount({ disk }: SimulatedMirror): () => void {
  const { user } = disk;
  user.rename(ROOT, `${ROOT}-away`);
  user.makeFolder(ROOT);
  disk.settle();
  return () => {
    user.remove(ROOT);
    user.rename(`${ROOT}-away`, ROOT);
    disk.settle();
  };
}
