import { join } from "node:path";
import { MIRROR_FOLDER } from "../../model/mirror-folder.ts";
import { plural } from "../../../common/count.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { shownName } from "../../../common/shown-name.ts";
import { runByHand } from "../../engine/by-hand/by-hand.ts";
import type { Respelling } from "../../engine/links/mirror-links.ts";
import { notInPlace, respellingsFor, translating } from "../../engine/links/translating.ts";
import { respellFiles } from "../../engine/links/respell.ts";
import type { PassContext } from "../../engine/run/pass-context.ts";
import { type Config, writeConfig } from "../../settings/config.ts";
import type { World } from "../../engine/run/world.ts";
import type { OpenedMirror } from "../../folder/open-mirror.ts";
import { ok, type Result, trouble } from "../../../common/trouble.ts";

/** Begins or ceases to translate links: respells files on disk, and sends nothing. */

type LinkChange = {
  /** Files whose links will be written anew. */
  readonly paths: readonly LocalPath[];
  /** Carries it out. @returns how many files were written */
  apply(): Promise<number>;
};

/** The form that is asked for. */
export type LinkForm = Pick<Config, "links" | "wiki">;

/** @returns null where the links have this form already, with nothing left to write */
export async function planLinkChange(mirror: OpenedMirror, form: LinkForm): Promise<Result<LinkChange | null>> {
  const found = respellingsFor(mirror.world, form.links === "translate" ? form : null);
  if (typeof found === "string") return trouble("fault", found, "mdmirror doctor");
  const changed = found.filter(({ from, to }) => from.bytes !== to.bytes);
  const { links, wiki } = mirror.config;
  if (links === form.links && wiki === form.wiki && changed.length === 0) return ok(null);
  const paths = changed.map(({ from }) => from.path);
  const astray = notInPlace(mirror.world);
  if (astray.length > 0) return trouble("usage", notInPlaceSaid(astray), "mdmirror sync, then this again");
  const ceases = form.links === "keep" || (wiki && !form.wiki);
  const open = mirror.world.state.load().conflicts.size;
  // A sidecar that is taken later would be read in the form that it does not have.
  if (ceases && open > 0)
    return trouble(
      "usage",
      `${plural(open, "document")} in conflict: their conflict copies keep their links`,
      CONFLICTS,
    );
  return ok({ paths, apply: () => (ceases ? cease(mirror, form, found) : begin(mirror, form, found)) });
}

/** Returns an open mirror that translates links from now on, as its configuration now says. */
export function withTranslatedLinks(mirror: OpenedMirror): OpenedMirror {
  return { ...mirror, world: translating(mirror.world, true) };
}

/** How many paths are named. */
const MOST_NAMED = 3;

function notInPlaceSaid(paths: readonly LocalPath[]): string {
  const [are, they] = paths.length === 1 ? ["with links is", "it was"] : ["with links are", "they were"];
  const named = paths.slice(0, MOST_NAMED).map(shownName).join(", ");
  const more = paths.length > MOST_NAMED ? " …" : "";
  return `${plural(paths.length, "document")} ${are} not where ${they} at the last sync: ${named}${more}`;
}

const CONFLICTS = "resolve the conflicts first: mdmirror conflicts";

/** ORDER: the configuration first: until it says so, a file with paths would be an edit to send. */
async function begin(mirror: OpenedMirror, form: LinkForm, found: readonly Respelling[]): Promise<number> {
  await settle(mirror.world);
  writeConfig(join(mirror.root, MIRROR_FOLDER), { ...mirror.config, ...form });
  return respellAll(translating(mirror.world, true, form.wiki), found);
}

/**
 * ORDER: the configuration last, for the same reason: while it says so, files in the old form and
 * in the new one stand for the same texts.
 */
async function cease(mirror: OpenedMirror, form: LinkForm, found: readonly Respelling[]): Promise<number> {
  const world = mirror.world.links === undefined ? translating(mirror.world, true) : mirror.world;
  const written = await respellAll(world, found);
  await settle(world);
  writeConfig(join(mirror.root, MIRROR_FOLDER), { ...mirror.config, ...form });
  return written;
}

/**
 * Looks once more at what was taken aside, by the form in which that was done: in the other one it
 * would be another text, saved late.
 */
async function settle(world: World): Promise<void> {
  if (world.state.intents().length > 0) await runByHand(world, "links", async () => []);
}

async function respellAll(world: World, found: readonly Respelling[]): Promise<number> {
  let counts: PassContext["notes"]["counts"] | null = null;
  await runByHand(world, "links", async (ctx) => {
    counts = ctx.notes.counts;
    respellFiles(ctx, ctx.world.links!, found);
    return [];
  });
  return (counts as PassContext["notes"]["counts"] | null)?.respelled ?? 0;
}
