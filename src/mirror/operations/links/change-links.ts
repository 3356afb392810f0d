/** Starts or stops the conversion of links: rewrites links in local files and uploads nothing. */

import { join } from "node:path";
import { MIRROR_FOLDER } from "../../model/mirror-folder.ts";
import { plural } from "../../../common/count.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { shownName } from "../../../common/shown-name.ts";
import { runManually } from "../../engine/manual/run-manually.ts";
import type { Respelling } from "../../engine/links/mirror-links.ts";
import { filesWithWrongLinks, respellingsFor, withTranslation } from "../../engine/links/translating.ts";
import { rewriteFiles } from "../../engine/links/respell.ts";
import type { CycleContext } from "../../engine/run/cycle-context.ts";
import { type Config, writeConfig } from "../../settings/config.ts";
import type { World } from "../../engine/run/world.ts";
import type { OpenedMirror } from "../../folder/open-mirror.ts";
import { ok, type Result, trouble } from "../../../common/trouble.ts";

type LinkChange = {
  /** Files whose links will be rewritten. */
  readonly paths: readonly LocalPath[];
  /** Applies the change. Returns the number of files written. */
  apply(): Promise<number>;
};

/** Form of links that the user requested. */
export type LinkForm = Config["links"];

/**
 * Plans a change of the form of links. Returns null if nothing has to change. Trouble while moved
 * documents or open conflicts could later be read in the wrong form.
 */
export async function planLinkChange(mirror: OpenedMirror, form: LinkForm): Promise<Result<LinkChange | null>> {
  const found = respellingsFor(mirror.world, form.mode === "translate" ? form : null);
  if (typeof found === "string") return trouble("fault", found, "mdmirror doctor");
  const changed = found.filter(({ from, to }) => from.bytes !== to.bytes);
  const { mode, wiki } = mirror.config.links;
  if (mode === form.mode && wiki === form.wiki && changed.length === 0) return ok(null);
  const paths = changed.map(({ from }) => from.path);
  const misplaced = filesWithWrongLinks(mirror.world);
  if (misplaced.length > 0) return trouble("usage", misplacedText(misplaced), "mdmirror sync, then this again");
  const ceases = form.mode === "keep" || (wiki && !form.wiki);
  const open = mirror.world.state.load().conflicts.size;
  // A conflict copy that the user chooses later would be read in the wrong form of links.
  if (ceases && open > 0)
    return trouble(
      "usage",
      `${plural(open, "document")} in conflict: their conflict copies keep their links`,
      CONFLICTS,
    );
  return ok({ paths, apply: () => (ceases ? stopTranslating(mirror, form, found) : start(mirror, form, found)) });
}

/** Returns an open folder that converts links from now on, as its new configuration demands. */
export function withTranslatedLinks(mirror: OpenedMirror): OpenedMirror {
  return { ...mirror, world: withTranslation(mirror.world, true) };
}

/** LIMIT: paths that a message lists. */
const MAX_LISTED_PATHS = 3;

function misplacedText(paths: readonly LocalPath[]): string {
  const [are, they] = paths.length === 1 ? ["with links is", "it was"] : ["with links are", "they were"];
  const named = paths.slice(0, MAX_LISTED_PATHS).map(shownName).join(", ");
  const more = paths.length > MAX_LISTED_PATHS ? " …" : "";
  return `${plural(paths.length, "document")} ${are} not where ${they} at the last sync: ${named}${more}`;
}

const CONFLICTS = "resolve the conflicts first: mdmirror conflicts";

/**
 * Starts the conversion. ORDER: writes the configuration, then the files. Before the configuration
 * is written, a file with paths would count as an edit to upload.
 */
async function start(mirror: OpenedMirror, form: LinkForm, found: readonly Respelling[]): Promise<number> {
  await checkSetAsideFiles(mirror.world);
  writeConfig(join(mirror.root, MIRROR_FOLDER), { ...mirror.config, links: form });
  return respellAll(withTranslation(mirror.world, true, form.wiki), found);
}

/**
 * Stops the conversion. ORDER: rewrites the files, then the configuration. Until the configuration
 * is written, files with either form of links count as the same content, not as edits.
 */
async function stopTranslating(mirror: OpenedMirror, form: LinkForm, found: readonly Respelling[]): Promise<number> {
  const world = mirror.world.links === undefined ? withTranslation(mirror.world, true) : mirror.world;
  const written = await respellAll(world, found);
  await checkSetAsideFiles(world);
  writeConfig(join(mirror.root, MIRROR_FOLDER), { ...mirror.config, links: form });
  return written;
}

/**
 * Checks files that were set aside, while links still have the form in which these files were
 * written. Later, the files would count as late saves.
 */
async function checkSetAsideFiles(world: World): Promise<void> {
  if (world.state.intents().length > 0) await runManually(world, "links", async () => []);
}

async function respellAll(world: World, found: readonly Respelling[]): Promise<number> {
  let counts: CycleContext["notes"]["counts"] | null = null;
  await runManually(world, "links", async (ctx) => {
    counts = ctx.notes.counts;
    rewriteFiles(ctx, ctx.world.links!, found);
    return [];
  });
  return (counts as CycleContext["notes"]["counts"] | null)?.respelled ?? 0;
}
