import type { Actors } from "./actors.ts";
import type { SimulatedMirror } from "./mirror.ts";

/** Checks I30: the key is in no log and no state, content in no log. */
export function checkSecrets(
  actors: Actors,
  mirror: SimulatedMirror,
  fail: (what: string, when?: boolean) => void,
): void {
  const { key } = actors.simulatedWorld.keys[mirror.index]!;
  const log = mirror.log.join("\n");
  fail("I30 the key is in the log", log.includes(key));
  fail("I30 a text is in the log", /mark \d+; written|line \d+ of document/.test(log));
  fail("I30 the key is in the state", mirror.stateBytes().includes(key));
}
