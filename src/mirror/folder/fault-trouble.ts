import type { Fault } from "../ports/remote.ts";
import type { Trouble } from "../../common/trouble.ts";

/** Next step after a failed `init`. `mdmirror doctor` does not help: it needs a linked folder. */
export const INIT_AGAIN = "run mdmirror init with another URL";

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
      if (fault.cause === "not-the-service") return [`not the service: ${detail}`, NEXT_OF_FOREIGN];
      const firstStep = fault.cause === "malformed" ? "check the URL" : "nothing is lost; try again later";
      return [`${LATER_WORDS[fault.cause]} (${origin}): ${detail}`, `${firstStep}, or ${factsHint}`];
    }
    case "uncertain":
      return [`the service did not answer (${origin}): ${detail}`, NEXT_OF_UNCERTAIN];
    case "problem":
      // The cause is in the key's grants or in the address, not in mdmirror.
      return [`the service refused: ${detail}`, NEXT_OF_REFUSAL];
  }
}

export const GIVE_VALID_KEY = "give a valid key: mdmirror init DIR --key-file FILE";
const GIVE_WORKSPACE_KEY = "give the key of a workspace: mdmirror init DIR --key-file FILE";
/** Next step if a program other than the service answers at the address. */
const NEXT_OF_FOREIGN =
  "check the URL, with its path prefix if it has one; on a network with a login page, log in first";
const NEXT_OF_UNCERTAIN = "try again: mdmirror first checks whether the service made the change";
const NEXT_OF_REFUSAL = "check the URL and the grants of the key; use another key with --key-file FILE";

const LATER_WORDS: Readonly<Record<Extract<Fault, { kind: "later" }>["cause"], string>> = {
  "not-the-service": "not the service",
  unreachable: "the service cannot be reached",
  unavailable: "the service is not available",
  malformed: "the answer does not come from the service",
  "rate-limited": "the service asks for a pause",
};
