import { Asker, type AskerOptions, type Line, Stopped } from "./asker.ts";
import { CHAPTERS } from "./chapters.ts";

/**
 * Every request that a client of the service sends, by `curl`, to an empty workspace, each with the
 * answer that it must have, member by member.
 * @returns a line for each request, in order
 */
export async function takeTour(options: AskerOptions): Promise<readonly Line[]> {
  const asker = new Asker(options);
  try {
    for (const chapter of CHAPTERS) await chapter(asker);
  } catch (error) {
    // After an answer that lied, the next step may find nothing to go on with.
    if (!asker.lines.some(({ wrong }) => wrong.length > 0)) throw error;
    if (error instanceof Stopped) return asker.lines;
    return [...asker.lines, { sent: "the rest", status: 0, wrong: [(error as Error).message] }];
  }
  return asker.lines;
}
