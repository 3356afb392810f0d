import { choose } from "./choose.ts";
import type { History } from "./history.ts";
import type { LiveFile } from "./live-lists.ts";
import { linkTo } from "./write-link.ts";
import { tagOf } from "./text-marks.ts";
import type { SimulatedWorld } from "./world.ts";

/** The web app's user links a document to another, by its id. */
export function linkThere(
  simulatedWorld: SimulatedWorld,
  history: History,
  file: LiveFile,
  others: readonly LiveFile[],
  seed: number,
): string | null {
  const targets = others.filter(({ id, text }) => id !== file.id && tagOf(text) !== null);
  const chosen = choose(
    targets.map(({ id }) => id as string),
    seed + 1,
  );
  const target = targets.find(({ id }) => id === chosen);
  if (target === undefined || tagOf(file.text) === null) return null;
  const said = seed % 25 === 0 ? `/${encodeURI(target.path)}` : target.id;
  const linked = linkTo(history, file.text, { tag: tagOf(target.text)!, said }, { seed, by: "the app" });
  const body = { baseChangeId: file.changeId, content: linked.text };
  const answer = simulatedWorld.ask("PUT", `/v1/files/${file.id}/content`, body);
  if (answer !== null && !file.protected) history.replaced(file.text, linked.text);
  else {
    history.replaced(linked.text, file.text);
    if (answer !== null) history.wouldReplace(file.id, file.text, linked.text);
  }
  // On the service, a link by path breaks with the next move of its target, and nobody converts it.
  if (said === target.id) history.links.written(linked.mark);
  return answer && `${file.path} to ${target.path}`;
}
