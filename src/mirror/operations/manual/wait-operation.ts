import { toPaths, WHOLE_FOLDER } from "../../model/mirror-folder.ts";
import { parseAge } from "../../../common/quantities.ts";
import { refusal } from "../../../common/trouble.ts";
import { WAIT } from "../declared/reads.ts";
import type { ReadOperation } from "../run-operation.ts";
import { USUAL_WAIT, waitFor } from "./wait.ts";

export const wait: ReadOperation<typeof WAIT> = {
  declared: WAIT,
  async read(root, { paths = [WHOLE_FOLDER], timeout = USUAL_WAIT }, options) {
    const timeoutMs = parseAge(timeout);
    if (timeoutMs === null) return refusal(`${timeout} is not a time to wait`, "give a time such as 5s, 30s or 15m");
    return waitFor(root, { paths: toPaths(paths), timeoutMs }, options);
  },
};
