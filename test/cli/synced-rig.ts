import { beforeEach, expect } from "vitest";
import { useRig } from "./rig.ts";

/** Returns a rig that is opened for each test. Its folder is in sync with the given documents. */
export function useSyncedRig(documents: Readonly<Record<string, string>> = { "a.md": "first\n", "k.md": "k\n" }) {
  const rig = useRig();
  beforeEach(async () => {
    for (const [path, content] of Object.entries(documents)) rig.createRemotely(path, content);
    await rig.init();
  });
  /** Runs a command in the linked folder. */
  const run = (...argv: string[]) => rig.run(argv, { cwd: rig.root });
  /**
   * Runs a command that prints JSON in the linked folder. Returns its members, with the exit code
   * as `exit`.
   */
  const json = <Members>(...argv: string[]) => rig.json<Members>(argv, { cwd: rig.root });
  const sync = () => run("sync");
  /** Saves `a.md`, waits until the daemon would take it for finished, and syncs. */
  async function edit(text: string): Promise<void> {
    rig.write("a.md", text);
    rig.pass(60_000);
    expect((await sync()).code).toBe(0);
  }
  return { rig, run, json, sync, edit };
}
