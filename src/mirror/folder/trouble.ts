import { existsSync } from "node:fs";
import { join } from "node:path";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { UnsafePathError } from "../../common/ownership.ts";
import {
  errnoClause,
  FREE_SPACE_STEP,
  isDiskFull,
  readErrorCode,
  refusal,
  trouble,
  type Trouble,
} from "../../common/trouble.ts";
import type { Fault } from "../ports/remote.ts";

export function checkFolderExists(root: string): ReturnType<typeof trouble> | null {
  if (existsSync(join(root, MIRROR_FOLDER))) return null;
  return refusal(`${root} does not exist`, "mount its disk, or give the present path of the folder", "root-missing");
}

/** @throws the error itself if the error is a bug */
export function describeSystemError(root: string, error: unknown): ReturnType<typeof trouble> {
  // The folder is checked first, because in a moved or unmounted folder every other error is
  // misleading.
  const missingTrouble = checkFolderExists(root);
  if (missingTrouble !== null) return missingTrouble;
  if (error instanceof UnsafePathError) return refusal(error.message, error.next);
  const code = readErrorCode(error);
  if (code === null || !/^(E[A-Z0-9]+|SQLITE_[A-Z_]+)$/.test(code)) throw error;
  return trouble(
    "fault",
    `${root} cannot be used: ${errnoClause(error)}`,
    isDiskFull(code) ? FREE_SPACE_STEP : "check that the disk has space and this user may write in that folder",
    { code },
  );
}

/** Next step after a failed `init`. The usual step, `mdmirror doctor`, needs a linked folder. */
export const NEXT_OF_INIT = "run mdmirror init with another URL";

/** @param factsHint a clause with the command that shows more about the fault */
export function makeFaultTrouble(fault: Fault, url: string, factsHint = "run: mdmirror doctor"): Trouble {
  const [what, next] = describeFault(fault, new URL(url).origin, factsHint);
  const { requestId } = fault;
  return { kind: "offline", what, requestId, next, ...("code" in fault ? { code: fault.code } : {}) };
}

function describeFault(fault: Fault, origin: string, factsHint: string): readonly [what: string, next: string] {
  const { detail } = fault;
  switch (fault.kind) {
    case "locked-out":
      return fault.code === "workspace_not_found"
        ? [`the API key gives access to no workspace on ${origin}`, GIVE_WORKSPACE_KEY]
        : [`${origin} refuses the key`, GIVE_VALID_KEY];
    case "later": {
      if (fault.cause === "not-the-service") return [`not the service: ${detail}`, NEXT_OF_NOT_THE_SERVICE];
      const firstStep = fault.cause === "malformed" ? "check the URL" : "nothing is lost; try again later";
      return [`${LATER_CAUSE_WORDS[fault.cause]} (${origin}): ${detail}`, `${firstStep}, or ${factsHint}`];
    }
    case "uncertain":
      return [`the service did not answer (${origin}): ${detail}`, NEXT_OF_UNCERTAIN_WRITE];
    case "problem":
      // The cause is in the grants of the key or in the address, not in mdmirror.
      return [`the service refused: ${detail}`, NEXT_OF_REFUSAL];
  }
}

export const GIVE_VALID_KEY = "give a valid key: mdmirror init DIR --key-file FILE";
const GIVE_WORKSPACE_KEY = "give the key of a workspace: mdmirror init DIR --key-file FILE";
/** Next step if the program that answers at the address is not the service. */
const NEXT_OF_NOT_THE_SERVICE =
  "check the URL, with its path prefix if it has one; on a network with a login page, log in first";
const NEXT_OF_UNCERTAIN_WRITE = "try again: mdmirror first checks whether the service made the change";
const NEXT_OF_REFUSAL = "check the URL and the grants of the key; use another key with --key-file FILE";

const LATER_CAUSE_WORDS: Readonly<Record<Extract<Fault, { kind: "later" }>["cause"], string>> = {
  "not-the-service": "not the service",
  unreachable: "the service cannot be reached",
  unavailable: "the service is not available",
  malformed: "the answer does not come from the service",
  "rate-limited": "the service asks for a pause",
};
