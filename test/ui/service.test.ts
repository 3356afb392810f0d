import { unwrap } from "../../src/common/trouble.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Page } from "playwright-core";
import { startService } from "../../src/service/serve.ts";
import { SERVE } from "../service/fixture.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { hasBrowser, newBrowserPage, newPage, shoot } from "./browser.ts";

type Answered = {
  readonly id: string;
  readonly lastChangeId: string;
  readonly content: string;
  readonly data: Answered[];
};

/** Opens a service like `mdmirror serve`. */
async function openServiceRig() {
  const data = join(temporaryFolder(), "data");
  const faults: unknown[] = [];
  const onFault = (error: unknown) => void faults.push(error);
  const serving = unwrap(await startService({ ...SERVE, data, onFault }));
  onTestFinished(async () => {
    await serving.close();
    if (faults.length > 0) throw new Error(`the service failed: ${String(faults[0])}`);
  });
  const adminKey = readFileSync(serving.adminKeyFile, "utf8").trim();
  /** Sends a request of the API with the key of the first workspace. */
  const api = async (method: string, path: string, body?: object) => {
    const headers = { "x-api-key": serving.key, "content-type": "application/json" };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(serving.url + path, { method, headers, ...sent });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Answered;
  };
  return {
    serving,
    adminKey,
    api,
    async text(path: string) {
      const { data } = await api("GET", `/v1/files?path=${encodeURIComponent(path)}`);
      return (await api("GET", `/v1/files/${data[0]!.id}`)).content;
    },
    /** Signs in by the form. */
    async signIn({ key = adminKey, page: given }: { readonly key?: string; readonly page?: Page } = {}) {
      const page = given ?? (await newPage());
      await page.goto(`${serving.url}/app`);
      await page.getByLabel("Key", { exact: true }).fill(key);
      await page.getByRole("button", { name: "Sign in" }).click();
      return page;
    },
  };
}

const LONG = `# A plan\n\nFlour and *water*, with [a link](other.md).\n\n${"One more line of it.\n".repeat(5)}`;

describe.skipIf(!hasBrowser)("an administrator in a browser", () => {
  test("signs in with the admin key, not with a wrong one, and signs out", async () => {
    const { serving, adminKey, signIn } = await openServiceRig();
    const page = await signIn({ key: "mdm_wrong", page: await newPage({ mayFail: /401/ }) });
    await page.getByRole("alert").filter({ hasText: "not a key of this service" }).waitFor();
    await shoot(page, "service-sign-in");
    await page.getByLabel("Key", { exact: true }).fill(adminKey);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Workspaces", exact: true }).waitFor();
    await page.getByRole("link", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.goto(`${serving.url}/app/keys`);
    expect(new URL(page.url()).pathname).toBe("/app/sign-in");
  });

  test("decides a conflict with both edits in view: edits and accepts", async () => {
    const rig = await openServiceRig();
    const { id, lastChangeId } = await rig.api("POST", "/v1/files", { path: "team/plan.md", content: LONG });
    const page = await rig.signIn();
    for (const flour of ["Rye", "Spelt"]) {
      const content = LONG.replace("Flour", flour);
      await rig.api("PUT", `/v1/files/${id}/content`, { baseChangeId: lastChangeId, content });
    }
    // A page reloads its content when it becomes visible, as it does every 10 s.
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
    await page.getByRole("heading", { name: "1 review to decide" }).waitFor();
    await shoot(page, "service-workspaces");
    await page.getByRole("link", { name: "Reviews 1" }).click();
    await shoot(page, "service-reviews");
    await page.getByRole("link", { name: "team/plan.md" }).click();
    await page.getByText("1 place changed in both versions.").waitFor();
    await page.getByText("Both edits, with the version before them").click();
    await shoot(page, "service-review-conflict");
    await page.getByRole("link", { name: "Edit" }).click();
    const text = page.getByRole("textbox", { name: "The version to publish" });
    // An editor measures its lines only while it is visible.
    await text.focus();
    await shoot(page, "service-review-edit");
    expect(await page.locator("textarea#content").inputValue()).toBe(LONG.replace("Flour", "Spelt"));
    await text.focus();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText(LONG.replace("Flour", "Rye and spelt"));
    const field = page.locator("textarea#content");
    await expect.poll(() => field.inputValue()).toBe(LONG.replace("Flour", "Rye and spelt"));
    // The page asks before the user leaves it with an unsaved edit.
    page.once("dialog", (dialog) => void dialog.dismiss());
    await page.getByRole("link", { name: "Discard my edit" }).click();
    await page.getByRole("button", { name: "Accept" }).click();
    await page.getByText("Accepted: your version is published.").waitFor();
    expect(await rig.text("team/plan.md")).toBe(LONG.replace("Flour", "Rye and spelt"));
    await page.goto(`${rig.serving.url}/app/reviews`);
    await page.getByText("No open reviews").waitFor();
  });

  test("makes a key for a folder, sees its text, and revokes it; its owner sees that folder alone", async () => {
    const rig = await openServiceRig();
    for (const path of ["team/plan.md", "private/diary.md"])
      await rig.api("POST", "/v1/files", { path, content: LONG });
    const page = await rig.signIn({ page: await newPage({ mayFail: /422/ }) });
    await page.getByRole("link", { name: "Keys", exact: true }).click();
    await shoot(page, "service-keys");
    await page.getByRole("link", { name: "Create key" }).click();
    await page.getByLabel("Name").fill("ann");
    await page.getByLabel("Only chosen folders").check();
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("alert").filter({ hasText: "Choose what the key may read." }).waitFor();
    await page.getByLabel("Access to team", { exact: true }).selectOption("edit");
    await shoot(page, "service-new-key");
    await page.getByRole("button", { name: "Create key" }).click();
    const key = await page.locator("pre.secret").innerText();
    await page.getByRole("button", { name: "Copy the key" }).waitFor();
    await shoot(page, "service-key-created");
    const ann = await rig.signIn({ key, page: await newBrowserPage() });
    await shoot(ann, "service-own");
    await ann.getByRole("link", { name: "team" }).click();
    await ann.getByRole("link", { name: "plan.md" }).click();
    await ann.getByRole("heading", { name: "A plan" }).waitFor();
    await shoot(ann, "service-document");
    expect(await ann.getByRole("link", { name: "Keys", exact: true }).count()).toBe(0);
    await page.getByRole("link", { name: "All keys" }).click();
    await page.getByRole("link", { name: "ann" }).click();
    await page.getByText("Revoke this key").click();
    await page.getByRole("button", { name: "Revoke ann" }).click();
    await page.getByText("is revoked").waitFor();
    await ann.reload();
    await ann.getByRole("heading", { name: "Sign in" }).waitFor();
  });

  test("finds, reads and protects a document, and decides reviews one after the other", async () => {
    const rig = await openServiceRig();
    const texts = new Map<string, string>();
    for (const path of ["team/plan.md", "team/menu.md"]) {
      const { id, lastChangeId } = await rig.api("POST", "/v1/files", { path, content: LONG });
      await rig.api("PATCH", `/v1/files/${id}`, { protected: true });
      texts.set(path, LONG.replace("Flour", "Rye"));
      await rig.api("PUT", `/v1/files/${id}/content`, { baseChangeId: lastChangeId, content: texts.get(path)! });
    }
    const page = await rig.signIn();
    await page.getByRole("link", { name: "Documents", exact: true }).click();
    await page.getByRole("link", { name: "team/" }).click();
    await page.getByRole("row", { name: /plan\.md.*protected.*in review/ }).waitFor();
    await shoot(page, "service-folder");
    await page.getByRole("searchbox", { name: "Search in team" }).fill("flour");
    await page.keyboard.press("Enter");
    await page.locator("mark").first().waitFor();
    await shoot(page, "service-search");
    await page.getByRole("link", { name: "team/plan.md" }).click();
    await page.getByRole("button", { name: "Remove protection" }).click();
    await page.getByRole("button", { name: "Protect", exact: true }).click();
    await page.getByText("Protected: edits now go to review first.").waitFor();
    await page.getByRole("link", { name: "Reviews 2" }).click();
    await page.getByRole("link", { name: "team/plan.md" }).click();
    await page.getByRole("link", { name: "Rendered" }).click();
    await shoot(page, "service-review-rendered");
    await page.getByRole("link", { name: "Source" }).click();
    await page.getByRole("button", { name: "Accept", exact: true }).click();
    await page.getByText("Accepted and published.").waitFor();
    // The page of an accepted review still shows the difference.
    await page.getByRole("table").getByText("Rye").waitFor();
    await shoot(page, "service-review-accepted");
    await page.getByRole("link", { name: "Next review" }).click();
    await page.getByRole("heading", { name: "team/menu.md" }).waitFor();
    await page.getByRole("button", { name: "Reject" }).click();
    await page.getByText("Rejected: the published version stays.").waitFor();
    expect([await rig.text("team/plan.md"), await rig.text("team/menu.md")]).toEqual([texts.get("team/plan.md"), LONG]);
    await page.getByRole("link", { name: "Open document" }).click();
    await page.getByRole("link", { name: "History" }).click();
    const rejected = page.getByRole("listitem").filter({ hasText: "Rejected" });
    await rejected.waitFor();
    await shoot(page, "service-history");
    await rejected.getByRole("link", { name: /^Version/ }).click();
    await page.getByRole("button", { name: "Restore this version" }).click();
    await page.getByText("The earlier version is in review.").waitFor();
  });

  test("makes a workspace and removes it, without scripts", async () => {
    const rig = await openServiceRig();
    const page = await rig.signIn({ page: await newBrowserPage({ javaScriptEnabled: false }) });
    await page.getByText("New workspace").click();
    await page.getByLabel("Name").fill("drafts 草稿");
    await page.getByRole("button", { name: "Create workspace" }).click();
    await page.locator("pre.secret").waitFor();
    await page.getByRole("link", { name: "mdmirror service" }).click();
    await page.getByRole("link", { name: "Close or remove … drafts 草稿" }).click();
    await page.getByRole("button", { name: "Close drafts 草稿" }).click();
    await page.getByText("“drafts 草稿” is closed").waitFor();
    await page.getByRole("button", { name: "Open drafts 草稿" }).waitFor();
    await page.getByRole("link", { name: "Remove … drafts 草稿" }).click();
    await page.getByRole("button", { name: "Delete permanently" }).click();
    await page.getByText("“drafts 草稿” is removed.").waitFor();
  });
});
