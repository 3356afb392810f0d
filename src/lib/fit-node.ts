import { MdmirrorError } from "./error.ts";

/** Oldest supported version of Node, as in `package.json`. */
const OLDEST_NODE = { major: 22, minor: 22 } as const;

/**
 * Refuses a version of Node that is too old. Must be called before an import of better-sqlite3,
 * which would end the process of an older Node without a message.
 * @throws MdmirrorError with code `unfit-node`
 */
export function requireFitNode(version: string = process.versions.node): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > OLDEST_NODE.major || (major === OLDEST_NODE.major && minor >= OLDEST_NODE.minor)) return;
  throw new MdmirrorError({
    kind: "usage",
    code: "unfit-node",
    path: process.execPath,
    next: "install a newer Node.js (https://nodejs.org), then run the program again",
    message: `mdmirror needs Node ${OLDEST_NODE.major}.${OLDEST_NODE.minor} or newer, and this is ${version}`,
  });
}
