import { describe, expect, test } from "vitest";
import { actLocally } from "../simulator/commands.ts";
import { asText, inSync, loseThenHideFolders, remoteTexts, type Seen, settle } from "./fixture.ts";

function isFolderPatch({ method, path }: Seen): boolean {
  return method === "PATCH" && path.startsWith("/v1/folders/");
}

describe.each([
  ["renamed", [["d", "moved"]], []],
  ["renamed, and once more before the end is known", [["d", "moved"]], [["moved", "last"]]],
  ["moved into another", [["d", "e/d"]], []],
] as const)(
  "I08 I09 a PATCH of a folder (%s) whose end is not known is not sent again until the service shows its folders",
  (_how, moves, later) => {
    test.each([
      ["drop-before", false],
      ["drop-after", false],
      ["drop-before", true],
      ["drop-after", true],
    ] as const)("%s, something new inside on the service: %s", async (fault, isFilled) => {
      const fixture = await inSync();
      const { rig, mirror, seen } = fixture;
      const rename = ([from, to]: readonly [string, string]): void =>
        mirror.disk.user.rename(mirror.path(from), mirror.path(to));
      const idOf = (path: string): string | undefined => rig.app.files().get(path)?.id;
      const ids = new Map(["a", "b", "c"].map((name) => [name, idOf(`d/${name}.md`)]));
      for (const move of moves) rename(move);
      loseThenHideFolders(fixture, isFolderPatch, fault);
      await mirror.sync();
      const first = asText(seen.find(isFolderPatch)!);
      for (const move of later) rename(move);
      const stands = [...rig.app.files().values()].find(({ id }) => id === ids.get("a"))!.path.replace("/a.md", "");
      if (isFilled) rig.app.create(`${stands}/new.md`, "new there\n");
      const last = later.at(-1)?.[1] ?? moves.at(-1)![1];
      mirror.write(`${last}/a.md`, "edited locally\n");
      for (let run = 0; run < 2; run++) await mirror.sync();
      expect(seen.filter((request) => asText(request) === first)).toHaveLength(1);
      fixture.fault = () => null;
      await settle(mirror);
      if (fault === "drop-after") expect(seen.filter((request) => asText(request) === first)).toHaveLength(1);
      for (const [name, id] of ids) expect({ name, id: idOf(`${last}/${name}.md`) }).toEqual({ name, id });
      expect(remoteTexts(rig).get(`${last}/a.md`)).toBe("edited locally\n");
      expect(remoteTexts(rig).get(`${last}/new.md`)).toBe(isFilled ? "new there\n" : undefined);
      expect([...mirror.texts()].toSorted()).toEqual([...remoteTexts(rig)].toSorted());
      expect(rig.app.folders().filter((path) => /-\d|^moved$/.test(path) && path !== last)).toEqual([]);
    });
  },
);

describe.each(["drop-before", "drop-after"] as const)(
  "I08 I09 two folders changed places locally, and the first PATCH has an unknown end (%s), with no list of folders after it",
  (fault) => {
    test.each([
      ["e/a.md", false],
      ["e/a.md", true],
      ["d/k.md", true],
    ] as const)(
      "%s, saved meanwhile (as another file: %s), keeps its id, and so do both folders",
      async (path, asNew) => {
        const fixture = await inSync();
        const { rig, mirror, seen } = fixture;
        const { user } = mirror.disk;
        actLocally(mirror, "mv d t; mv e d; mv t e");
        const idOf = (at: string): string | undefined => rig.app.files().get(at)?.id;
        const ids = new Map(["d/a.md", "d/b.md", "d/c.md", "e/k.md"].map((at) => [swapped(at), idOf(at)]));
        const dirs = new Map([...mirror.state.load().dirs.values()].map((dir) => [swapped(dir.localPath), dir.id]));
        loseThenHideFolders(fixture, isFolderPatch, fault);
        await mirror.sync();
        if (asNew) user.remove(mirror.path(path));
        mirror.write(path, "edited locally, and nothing as it was\n");
        for (let run = 0; run < 2; run++) await mirror.sync();
        fixture.fault = () => null;
        await settle(mirror);
        expect(seen.filter(({ method }) => method === "POST" || method === "DELETE")).toEqual([]);
        for (const [at, id] of ids) expect({ at, id: idOf(at) }).toEqual({ at, id });
        expect(new Map([...mirror.state.load().dirs.values()].map((dir) => [dir.remotePath, dir.id]))).toEqual(dirs);
        expect(remoteTexts(rig).get(path)).toBe("edited locally, and nothing as it was\n");
        expect([...mirror.texts()].toSorted()).toEqual([...remoteTexts(rig)].toSorted());
      },
    );
  },
);

/** Where what was at a path is once `d` and `e` have changed places. */
function swapped(path: string): string {
  return path.replace(/^[de](?=\/|$)/, (name) => (name === "d" ? "e" : "d"));
}
