import type { Fault } from "../ports/remote.ts";
import type { Trouble } from "../../common/trouble.ts";

/** A clause for `init`: nothing can be examined in a folder that is not linked yet. */
export const INIT_AGAIN = "run mdmirror init with another URL";

/**
 * Returns the trouble for the user if the service refuses a request or does not answer.
 * @param look a clause with the command that finds more facts
 */
export function faultTrouble(fault: Fault, url: string, look = "run: mdmirror doctor"): Trouble {
  const origin = new URL(url).origin;
  const { requestId } = fault;
  switch (fault.kind) {
    case "locked-out":
      return lockedOut(fault.code, origin, requestId);
    case "later":
      if (fault.cause === "not-the-service")
        return { kind: "offline", what: `not the service: ${fault.detail}`, requestId, next: NEXT_OF_FOREIGN };
      return {
        kind: "offline",
        what: `${LATER_WORDS[fault.cause]} (${origin}): ${fault.detail}`,
        requestId,
        next:
          fault.cause === "malformed" ? `check the URL, or ${look}` : `nothing is lost; try again later, or ${look}`,
      };
    case "uncertain":
      return {
        kind: "offline",
        what: `the service did not answer (${origin}): ${fault.detail}`,
        requestId,
        next: "try again: mdmirror first checks whether the service made the change",
      };
    case "problem":
      // A refusal depends on the key's grants or on the address, so it is no bug in mdmirror.
      return {
        kind: "offline",
        what: `the service refused: ${fault.detail}`,
        code: fault.code,
        requestId,
        next: "check the URL and the grants of the key; use another key with --key-file FILE",
      };
  }
}

/** Next step if another program answers in place of the service. */
const NEXT_OF_FOREIGN =
  "check the URL, with its path prefix if it has one; on a network with a login page, log in first";

const LATER_WORDS: Readonly<Record<Extract<Fault, { kind: "later" }>["cause"], string>> = {
  "not-the-service": "not the service",
  unreachable: "the service cannot be reached",
  unavailable: "the service is not available",
  malformed: "the answer does not come from the service",
  "rate-limited": "the service asks for a pause",
};

/** Next step if the service refuses the key. */
export const GIVE_VALID_KEY = "give a valid key: mdmirror init DIR --key-file FILE";

function lockedOut(code: string, origin: string, requestId: string | null): Trouble {
  const common = { kind: "offline", code, requestId } as const;
  if (code === "workspace_not_found") {
    return {
      ...common,
      what: `the API key gives access to no workspace on ${origin}`,
      next: "give the key of a workspace: mdmirror init DIR --key-file FILE",
    };
  }
  return { ...common, what: `${origin} refuses the key`, next: GIVE_VALID_KEY };
}
