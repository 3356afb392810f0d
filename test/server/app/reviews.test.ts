import { describe, expect, test } from "vitest";
import { expectEdited, expectOk } from "../../contract/suite/world.ts";
import { type Browser, openRig, type PagesRig, text } from "./fixture.ts";

const shown = (browser: Browser, path: string) => {
  const answer = browser.get(path);
  return { status: answer.status, text: text(answer) };
};

/** A document in review: live, and sent. */
async function inReview(rig: PagesRig, live = "live\n", sent = "sent\n") {
  const file = await rig.api.file("team/a.md", "base\n");
  const saved = expectEdited(await rig.api.edit(file.id, file.lastChangeId, live));
  const { id } = expectOk(await rig.api.edit(file.id, file.lastChangeId, sent), 202) as { id: string };
  return { id, file, live: saved.lastChangeId, read: async () => (await rig.api.read(file.id)).content };
}

describe("a review", () => {
  test("shows both edits with their base, and is accepted, edited and accepted, or rejected", async () => {
    for (const [form, content] of [
      [{ how: "accept" }, "sent\n"],
      [{ how: "accept", edited: "yes", content: "both\r\nof them\r\n" }, "both\nof them\n"],
      [{ how: "reject" }, "live\n"],
    ] as const) {
      const rig = openRig();
      const browser = rig.signIn();
      const { id, live, read } = await inReview(rig);
      expect(shown(browser, "/app").text).toContain("1 review");
      expect(shown(browser, "/app/reviews").text).toContain(`/app/reviews/${id}`);
      const page = shown(browser, `/app/reviews/${id}`).text;
      expect(page).toContain("Both changed it, each in its own way");
      expect(page.match(/<td class="line[^>]*>.*?<\/td>/gs)?.map((line) => line.replace(/<[^>]*>/g, ""))).toEqual([
        "Livelive",
        "Both began withbase",
        "Sentsent",
      ]);
      const { how, ...members } = form;
      const after = browser.submit(`/app/reviews/${id}/${how}`, { ...members, live });
      expect(after).toContain(how === "accept" ? "Accepted" : "Rejected");
      expect(after).toContain("nothing left to decide");
      expect(await read()).toBe(content);
    }
  });

  test("that somebody settled, or whose live text somebody changed meanwhile, is not decided unseen", async () => {
    const rig = openRig();
    const [one, other] = [rig.signIn(), rig.signIn()];
    const { id, live, file, read } = await inReview(rig);
    expectEdited(await rig.api.edit(file.id, live, "newer\n"));
    expect(one.submit(`/app/reviews/${id}/accept`, { live })).toContain("changed what is live since");
    expect(await read()).toBe("newer\n");
    expect(other.submit(`/app/reviews/${id}/reject`)).toContain("Rejected");
    const now = (await rig.api.read(file.id)).lastChangeId;
    expect(one.submit(`/app/reviews/${id}/accept`, { live: now })).toContain("no longer in review: rejected");
    expect(await read()).toBe("newer\n");
    expect(shown(one, "/app/reviews/chg_00000000000000").status).toBe(404);
  });

  test("keeps the line ends of what was sent through a form", async () => {
    const rig = openRig();
    const { id, live, read } = await inReview(rig, "live\r\n", "\r\none\ntwo\r\nthree");
    const browser = rig.signIn();
    // A browser takes away the line feed that follows the tag, and sends each line end as CRLF.
    const page = shown(browser, `/app/reviews/${id}`).text;
    const typed = /<textarea[^>]*>\n([^<]*)<\/textarea>/.exec(page)![1]!.replaceAll(/\r\n?|\n/g, "\r\n");
    browser.submit(`/app/reviews/${id}/accept`, { live, edited: "yes", content: typed });
    expect(await read()).toBe("\r\none\ntwo\r\nthree");
  });

  test("among ten thousand is on a page of a hundred", () => {
    const rig = openRig();
    const { service, key, workspaceId } = rig;
    const headers = { "x-api-key": key, "content-type": "application/json" };
    const send = (method: string, path: string, body: object) =>
      JSON.parse(service.answer({ method, path, headers, body: JSON.stringify(body) }).body);
    const file = send("POST", "/v1/files", { path: "a.md", content: "live\n" });
    send("PATCH", `/v1/files/${file.id}`, { protected: true });
    service.batch(() => {
      for (let n = 0; n < 250; n++)
        send("PUT", `/v1/files/${file.id}/content`, { baseChangeId: file.lastChangeId, content: `${n}\n` });
    });
    const browser = rig.signIn();
    const sizes: number[] = [];
    let at: string | undefined = `/app/reviews?workspace=${workspaceId}`;
    while (at !== undefined) {
      const page = text(browser.get(at));
      sizes.push(page.match(/<li class="card">/g)!.length);
      at = /href="([^"]*cursor=[^"]*)">Next/.exec(page)?.[1]?.replaceAll("&amp;", "&");
    }
    expect(sizes).toEqual([100, 100, 50]);
  });
});
