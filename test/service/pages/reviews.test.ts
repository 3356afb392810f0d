import { describe, expect, test, vi } from "vitest";
import { expectEdited, expectOk } from "../../../src/conformance/world.ts";
import { type Browser, openRig, type PagesRig, text } from "./fixture.ts";

const shown = async (browser: Browser, path: string) => {
  const answer = await browser.get(path);
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
      const rig = await openRig();
      const browser = await rig.signIn();
      const { id, live, read } = await inReview(rig);
      expect((await shown(browser, "/app")).text).toContain("1 review");
      expect((await shown(browser, "/app/reviews")).text).toContain(`/app/reviews/${id}`);
      const page = (await shown(browser, `/app/reviews/${id}`)).text;
      expect(page).toContain("Different changes in both");
      expect(page.match(/<td class="line[^>]*>.*?<\/td>/gs)?.map((line) => line.replace(/<[^>]*>/g, ""))).toEqual([
        "Livelive",
        "Common basebase",
        "Sentsent",
      ]);
      const { how, ...members } = form;
      const after = await browser.submit(`/app/reviews/${id}/${how}`, { ...members, live });
      expect(after).toContain(how === "accept" ? "Accepted" : "Rejected");
      expect(after).toContain("nothing left to decide");
      // The difference stays visible: from the version that the edit began with.
      expect(after.match(/<mark>.*?<\/mark>/g)).toEqual(["<mark>base</mark>", "<mark>sent</mark>"]);
      expect(await read()).toBe(content);
    }
  });

  test("that somebody settled, or whose live text somebody changed meanwhile, is not decided unseen", async () => {
    const rig = await openRig();
    const [one, other] = [await rig.signIn(), await rig.signIn()];
    const { id, live, file, read } = await inReview(rig);
    expectEdited(await rig.api.edit(file.id, live, "newer\n"));
    expect(await one.submit(`/app/reviews/${id}/accept`, { live })).toContain("changed the published version since");
    expect(await read()).toBe("newer\n");
    expect(await other.submit(`/app/reviews/${id}/reject`)).toContain("Rejected");
    const now = (await rig.api.read(file.id)).lastChangeId;
    expect(await one.submit(`/app/reviews/${id}/accept`, { live: now })).toContain("no longer in review: rejected");
    expect(await read()).toBe("newer\n");
    expect((await shown(one, "/app/reviews/chg_00000000000000")).status).toBe(404);
  });

  test("is not accepted over an edit that comes while the form is answered", async () => {
    const rig = await openRig();
    const browser = await rig.signIn();
    const { id, live, file, read } = await inReview(rig);
    const { reviews } = rig.service.core.admin;
    const show = reviews.show.bind(reviews);
    vi.spyOn(reviews, "show").mockImplementationOnce(async (asked) => {
      const shown = await show(asked);
      expectEdited(await rig.api.edit(file.id, live, "newer\n"));
      return shown;
    });
    expect(await browser.submit(`/app/reviews/${id}/accept`, { live })).toContain(
      "changed the published version since",
    );
    expect(await read()).toBe("newer\n");
  });

  test("keeps the line ends of what was sent through a form", async () => {
    const rig = await openRig();
    const { id, live, read } = await inReview(rig, "live\r\n", "\r\none\ntwo\r\nthree");
    const browser = await rig.signIn();
    // A browser takes away the line feed that follows the tag, and sends each line end as CRLF.
    const page = (await shown(browser, `/app/reviews/${id}`)).text;
    const typed = /<textarea[^>]*>\n([^<]*)<\/textarea>/.exec(page)![1]!.replaceAll(/\r\n?|\n/g, "\r\n");
    await browser.submit(`/app/reviews/${id}/accept`, { live, edited: "yes", content: typed });
    expect(await read()).toBe("\r\none\ntwo\r\nthree");
  });
});
