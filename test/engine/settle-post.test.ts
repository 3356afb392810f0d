import { describe, expect, test } from "vitest";
import { HTML, remoteTexts, type Seen, settle, openSynced } from "../promises/fixture.ts";

const isPost = ({ method, path }: Seen): boolean => method === "POST" && path === "/v1/files";
/** What settles a POST: the list of its exact path. */
const isAsked = ({ method, path }: Seen): boolean => method === "GET" && path.startsWith("/v1/files?path=");

describe("I08 I09 a file that was renamed before its POST is settled", () => {
  test.each(["drop-before", "drop-after"] as const)("is one document, at its new path (%s)", async (lost) => {
    const fixture = await openSynced({ "other.md": "another document\n" });
    const { rig, mirror, seen } = fixture;
    mirror.write("a.md", "sent, and nobody heard\n");
    let sent = false;
    fixture.fault = (request) => {
      if (isPost(request) && !sent) {
        sent = true;
        return lost;
      }
      return isAsked(request) ? HTML : null;
    };
    await mirror.sync();
    const made = rig.app.files().get("a.md")?.id;
    expect(made !== undefined).toBe(lost === "drop-after");
    mirror.disk.user.rename(mirror.path("a.md"), mirror.path("b.md"));
    await mirror.sync();
    await mirror.sync();
    expect([...mirror.texts().keys()].filter((path) => path.endsWith(".md")).sort()).toEqual(["b.md", "other.md"]);
    fixture.fault = () => null;
    await settle(mirror);
    expect([...remoteTexts(rig).keys()].sort()).toEqual(["b.md", "other.md"]);
    expect([...mirror.texts()]).toEqual([...remoteTexts(rig)]);
    if (made !== undefined) expect(rig.app.files().get("b.md")?.id).toBe(made);
    expect(seen.filter(({ method }) => method === "DELETE")).toEqual([]);
    expect(seen.filter(isPost)).toHaveLength(lost === "drop-before" ? 2 : 1);
  });
});
