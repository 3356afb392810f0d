import { unwrap } from "../../src/common/trouble.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Page } from "playwright-core";
import { type RunningService, startService } from "../../src/service/serve.ts";
import { SERVE } from "../service/fixture.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { newPage } from "./browser.ts";

/** A service like `mdmirror serve`, with the browsers that use its pages. */
export type ServiceRig = {
  readonly serving: RunningService;
  readonly adminKey: string;
  /** Sends a request of the API with the key of the first workspace. */
  api(method: string, path: string, body?: object): Promise<Answered>;
  text(path: string): Promise<string>;
  /** Signs in by the form. */
  signIn(options?: { readonly key?: string; readonly page?: Page }): Promise<Page>;
};

type Answered = {
  readonly id: string;
  readonly lastChangeId: string;
  readonly content: string;
  readonly data: Answered[];
};

export async function openServiceRig(): Promise<ServiceRig> {
  const data = join(temporaryFolder(), "data");
  const faults: unknown[] = [];
  const onFault = (error: unknown) => void faults.push(error);
  const serving = unwrap(await startService({ ...SERVE, data, onFault }));
  onTestFinished(async () => {
    await serving.close();
    if (faults.length > 0) throw new Error(`the service failed: ${String(faults[0])}`);
  });
  const adminKey = readFileSync(serving.adminKeyFile, "utf8").trim();
  const api: ServiceRig["api"] = async (method, path, body) => {
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
    async text(path) {
      const { data } = await api("GET", `/v1/files?path=${encodeURIComponent(path)}`);
      return (await api("GET", `/v1/files/${data[0]!.id}`)).content;
    },
    async signIn({ key = adminKey, page: given } = {}) {
      const page = given ?? (await newPage());
      await page.goto(`${serving.url}/app`);
      await page.getByLabel("Key", { exact: true }).fill(key);
      await page.getByRole("button", { name: "Sign in" }).click();
      return page;
    },
  };
}
