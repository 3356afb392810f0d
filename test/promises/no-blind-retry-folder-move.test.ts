import { describe, expect, test } from "vitest";
import { asText, inSync, loseThenHideFolders, remoteTexts, type Seen, settle } from "./ground.ts";

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
      const ground = await inSync();
      const { rig, mirror, seen } = ground;
      const rename = ([from, to]: readonly [string, string]): void =>
        mirror.disk.user.rename(mirror.path(from), mirror.path(to));
      const idOf = (path: string): string | undefined => rig.app.files().get(path)?.id;
      const ids = new Map(["a", "b", "c"].map((name) => [name, idOf(`d/${name}.md`)]));
      for (const move of moves) rename(move);
      const isPatch = ({ method, path }: Seen): boolean => method === "PATCH" && path.startsWith("/v1/folders/");
      loseThenHideFolders(ground, isPatch, fault);
      await mirror.sync();
      const first = asText(seen.find(isPatch)!);
      for (const move of later) rename(move);
      const stands = [...rig.app.files().values()].find(({ id }) => id === ids.get("a"))!.path.replace("/a.md", "");
      if (isFilled) rig.app.create(`${stands}/new.md`, "new there\n");
      const last = later.at(-1)?.[1] ?? moves.at(-1)![1];
      mirror.write(`${last}/a.md`, "edited here\n");
      for (let run = 0; run < 2; run++) await mirror.sync();
      expect(seen.filter((request) => asText(request) === first)).toHaveLength(1);
      ground.fault = () => null;
      await settle(mirror);
      if (fault === "drop-after") expect(seen.filter((request) => asText(request) === first)).toHaveLength(1);
      for (const [name, id] of ids) expect({ name, id: idOf(`${last}/${name}.md`) }).toEqual({ name, id });
      expect(remoteTexts(rig).get(`${last}/a.md`)).toBe("edited here\n");
      expect(remoteTexts(rig).get(`${last}/new.md`)).toBe(isFilled ? "new there\n" : undefined);
      expect([...mirror.texts()].toSorted()).toEqual([...remoteTexts(rig)].toSorted());
      expect(rig.app.folders().filter((path) => /-\d|^moved$/.test(path) && path !== last)).toEqual([]);
    });
  },
);
