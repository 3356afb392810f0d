import { planOnly } from "../../../src/mirror/engine/run/sync.ts";
import type { Actors } from "./actors.ts";
import { documentsOf } from "./user-folder.ts";
import { type SimulatedMirror, QUIET_FATE } from "./mirror.ts";
import { settingsOf } from "./sync-step.ts";

/**
 * `why` of each document that a failure names; of each that the failures' ids or paths do not name,
 * nothing.
 */
export async function explainRun(actors: Actors): Promise<readonly string[]> {
  const named = actors.history.failures.join("\n");
  const lines: string[] = [];
  for (const mirror of actors.mirrors) {
    const { links } = mirror.state.load();
    const paths = new Set([
      ...documentsOf(mirror.userFolder).keys(),
      ...[...links.values()].map(({ localPath }) => localPath),
    ]);
    const concerned = [...paths].filter((path) => {
      const link = [...links.values()].find(({ localPath }) => localPath === path);
      return named.includes(path) || (link !== undefined && named.includes(link.id));
    });
    for (const path of concerned.slice(0, 6))
      lines.push(`mirror ${mirror.index} ${path}: ${await explainOne(actors, mirror, path)}`);
  }
  return lines;
}

async function explainOne(actors: Actors, mirror: SimulatedMirror, path: string): Promise<string> {
  const exchange = async (request: Parameters<typeof QUIET_FATE.exchange>[0]) =>
    ({ kind: "answer", response: await actors.simulatedWorld.handle(request) }) as const;
  const world = mirror.start({ ...QUIET_FATE, exchange });
  const settings = settingsOf(mirror);
  try {
    const end = await planOnly(world, { settings, retryRefused: true, kind: "why" });
    if (end.kind === "offline") return `offline: ${JSON.stringify(end.fault)}`;
    const id = [...end.trees.base.links.values()].find(({ localPath }) => localPath === path)?.id;
    const isAbout = (action: object) => Object.values(action).some((value) => value === path || value === id);
    const steps = end.plan.steps.map(({ action }) => action).filter(isAbout);
    const blocks = end.plan.blocks.filter(({ key, path: at }) => key === id || key === path || at === path);
    const events = mirror.state
      .events({ limit: 4, path })
      .map(({ kind, side, detail, outcome }) => `${kind} ${side} ${outcome}: ${detail}`);
    return `${JSON.stringify({ steps, blocks })} events: ${events.join(" | ")}`;
  } catch (error) {
    // The life has failed already; what the planner throws belongs to what it failed with.
    return `cannot be explained: ${String(error)}`;
  }
}
