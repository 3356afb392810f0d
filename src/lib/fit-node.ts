import { MdmirrorError } from "./error.ts";

/** Oldest version of Node that `engines` in package.json allows. */
const OLDEST_NODE = { major: 22, minor: 22 } as const;

/**
 * Checks the version of Node before modules are loaded that an older Node cannot run:
 * better-sqlite3 would end the process without a message.
 * @throws MdmirrorError, code `unfit-node`
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
