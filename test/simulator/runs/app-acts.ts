import { type History, linkTo } from "./history.ts";
import { choose, freePath, isBelow, nameIn } from "./choices.ts";
import type { LiveFile, SimulatedWorld } from "./world.ts";
import type { AppAct } from "./script.ts";
import { tagOf } from "./contents.ts";

/**
 * Executes an action of the web app's user: through the service's API and its admin, never through
 * the client's code. If the service refuses, nothing happens.
 */
export function actInApp(
  simulatedWorld: SimulatedWorld,
  history: History,
  act: AppAct,
  seed: number,
  aimed?: string,
): string {
  const files = simulatedWorld.files();
  const chosen =
    aimed ??
    choose(
      files.map((one) => one.id),
      seed,
    );
  const file = files.find(({ id }) => id === chosen) ?? null;
  const said = perform(simulatedWorld, history, files, file, act, seed);
  return `there: ${act} ${said ?? "nothing"}`;
}

function perform(
  simulatedWorld: SimulatedWorld,
  history: History,
  files: readonly LiveFile[],
  file: LiveFile | null,
  act: AppAct,
  seed: number,
): string | null {
  switch (act) {
    case "create": {
      const path = freePath(seed, (one) => files.some((other) => other.path === one));
      return simulatedWorld.ask("POST", "/v1/files", { path, content: history.newText(seed) }) && path;
    }
    case "make-folder": {
      const path = `box-${seed % 4}`;
      return simulatedWorld.ask("POST", "/v1/folders", { path }) && path;
    }
    case "remove-many": {
      const many = files.filter((_, n) => seed % 3 === 0 || n % 3 !== seed % 2);
      for (const one of many) actOnFile(simulatedWorld, history, files, one, "remove", seed);
      return String(many.length);
    }
    case "accept":
    case "reject":
      return settleReview(simulatedWorld, history, act, seed);
    case "rename-folder":
    case "move-folder":
    case "remove-folder":
      return actOnFolder(simulatedWorld, history, files, act, seed);
    case "link":
      return file === null ? null : addLinkOnService(simulatedWorld, history, file, files, seed);
    default:
      return file === null ? null : actOnFile(simulatedWorld, history, files, file, act, seed);
  }
}

function actOnFile(
  simulatedWorld: SimulatedWorld,
  history: History,
  files: readonly LiveFile[],
  file: LiveFile,
  act: "edit" | "rename" | "move" | "swap" | "remove" | "protect" | "unprotect",
  seed: number,
): string | null {
  const route = `/v1/files/${file.id}`;
  const parent = file.path.slice(0, Math.max(0, file.path.lastIndexOf("/")));
  switch (act) {
    case "edit": {
      const content = history.edit(file.text, seed, "the app");
      const answer = simulatedWorld.ask("PUT", `${route}/content`, { baseChangeId: file.changeId, content }) as {
        content?: string;
      } | null;
      // An edit of a protected document goes to review and replaces nothing.
      if (answer !== null && !file.protected) history.replaced(file.text, content);
      else {
        // No promise protects content that was written but never published.
        history.replaced(content, file.text);
        if (answer !== null) history.wouldReplace(file.id, file.text, content);
      }
      return answer && file.path;
    }
    case "rename": {
      const name = nameIn(seed);
      return simulatedWorld.ask("PATCH", route, { name }) && `${file.path} → ${name}`;
    }
    case "move": {
      const folders = simulatedWorld.folders();
      const to = choose([...folders, ""], seed)!;
      if (to === parent) return null;
      return (
        simulatedWorld.ask("PATCH", route, { parentId: to === "" ? null : simulatedWorld.folderId(to) }) &&
        `${file.path} → ${to}/`
      );
    }
    case "swap": {
      const other = files.find(
        ({ id }) =>
          id ===
          choose(
            files.filter((one) => one.id !== file.id).map((one) => one.id),
            seed + 1,
          ),
      );
      const mate = other ?? null;
      // No user gives a document a temporary name of a mirror.
      if (
        mate === null ||
        [mate, file].some(({ path }) => path.includes("-mdmirror-")) ||
        mate.path.slice(0, Math.max(0, mate.path.lastIndexOf("/"))) !== parent
      )
        return null;
      const [mine, theirs] = [file.path.split("/").at(-1), mate.path.split("/").at(-1)];
      if (simulatedWorld.ask("PATCH", route, { name: "swapping.md" }) === null) return null;
      simulatedWorld.ask("PATCH", `/v1/files/${mate.id}`, { name: mine });
      simulatedWorld.ask("PATCH", route, { name: theirs });
      return `${file.path} ↔ ${mate.path}`;
    }
    case "remove": {
      if (simulatedWorld.ask("DELETE", route) === null) return null;
      history.vanishes(file.text);
      history.replaced(file.text, null);
      return file.path;
    }
    case "protect":
    case "unprotect":
      return simulatedWorld.ask("PATCH", route, { protected: act === "protect" }) && file.path;
  }
}

function actOnFolder(
  simulatedWorld: SimulatedWorld,
  history: History,
  files: readonly LiveFile[],
  act: "rename-folder" | "move-folder" | "remove-folder",
  seed: number,
): string | null {
  // The workspace folder of a mirror with a prefix is not moved: these runs do not test that.
  const folder = choose(
    simulatedWorld.folders().filter((path) => path !== "work"),
    seed,
  );
  if (folder === null) return null;
  const route = `/v1/folders/${simulatedWorld.folderId(folder)}`;
  if (act === "rename-folder") {
    const name = `${folder.split("/").at(-1)!.replace(/-\d$/, "")}-${seed % 3}`;
    return simulatedWorld.ask("PATCH", route, { name }) && `${folder} → ${name}`;
  }
  if (act === "move-folder") {
    const to = choose(
      ["", ...simulatedWorld.folders()].filter((path) => path !== folder && !isBelow(path, folder)),
      seed,
    )!;
    return (
      simulatedWorld.ask("PATCH", route, { parentId: to === "" ? null : simulatedWorld.folderId(to) }) &&
      `${folder} → ${to}/`
    );
  }
  if (simulatedWorld.ask("DELETE", `${route}?recursive=true`) === null) return null;
  for (const file of files) {
    if (!isBelow(file.path, folder)) continue;
    history.vanishes(file.text);
    history.replaced(file.text, null);
  }
  return folder;
}

function settleReview(
  simulatedWorld: SimulatedWorld,
  history: History,
  act: "accept" | "reject",
  seed: number,
): string | null {
  const { reviews } = simulatedWorld.admin;
  const open = simulatedWorld.whileOpen(() => reviews.page({ workspaceId: simulatedWorld.workspaceId }));
  if (open === null || !("data" in open)) return null;
  const id = choose(
    open.data.map((one) => one.id),
    seed,
  );
  if (id === null) return null;
  simulatedWorld.changed();
  const shown = simulatedWorld.whileOpen(() => reviews.show(id));
  const end = act === "accept" ? reviews.accept(id) : reviews.reject(id);
  if (!("path" in end)) return "refused";
  // Searches by path, because a deployment may show other ids than the web app.
  const live = simulatedWorld.files().find(({ path }) => `/${path}` === end.path);
  if (act === "accept" && live !== undefined) {
    history.accepted(live.id, live.text);
    // A user who accepts one of two edits in conflict has seen both, so the loss of the other is
    // intended.
    const chosen = "reason" in shown && shown.reason === "conflict" && live.text === shown.content;
    if (chosen) history.replaced(shown.liveContent, live.text);
  }
  return end.path;
}

/** The web app's user links a document to another one by its id. */
function addLinkOnService(
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
  // A link by path on the service breaks when its target moves, so only links by id are checked.
  if (said === target.id) history.links.written(linked.mark);
  return answer && `${file.path} to ${target.path}`;
}
