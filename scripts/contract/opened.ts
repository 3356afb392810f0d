import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type OpenData, openData } from "../../src/service/data.ts";
import { startHttp } from "../../src/service/http/server.ts";
import { httpWire } from "../../test/contract/suite/http-wire.ts";
import type { Target } from "../../test/contract/suite/world.ts";
import type { Variant } from "../../test/variants/variant.ts";
import { varyService } from "../../test/variants/vary-service.ts";

/** A service for the contract suite. */
export type Opened = { readonly target: Target; readonly url: string; close(): Promise<void> };

/**
 * Opens a service in this process, in a temporary folder, over HTTP. Its variant is calm: no items
 * move between pages, and neither keys nor request limits run out, because each test checks exact
 * answers.
 */
export async function openOwn(variant: Variant): Promise<Opened & Pick<OpenData, "service">> {
  const folder = mkdtempSync(join(tmpdir(), "mdmirror-contract-"));
  const data = await openData(folder);
  const withdraw = async (changeId: string) => void (await data.service.admin.reviews.reject(changeId));
  const state = { requests: 0, renames: new Map<string, number>(), withdraw, calm: true };
  const handle = varyService(data.service.handle, variant, state);
  const server = await startHttp({ handle, streams: data.service.streams });
  return {
    target: {
      wire: httpWire(server.url),
      key: data.key,
      adminKey: data.adminKey,
      indexesLate: true,
    },
    url: server.url,
    service: data.service,
    close: async () => {
      await server.close();
      await data.close();
      rmSync(folder, { recursive: true });
    },
  };
}

export function openOther(url: string, keyFile: string, adminKeyFile: string | undefined): Opened {
  const adminKey = adminKeyFile === undefined ? null : readKey(adminKeyFile);
  const base = url.replace(/\/$/, "");
  const target = {
    wire: httpWire(base),
    key: readKey(keyFile),
    adminKey,
    indexesLate: true,
  };
  return { target, url, close: async () => undefined };
}

function readKey(file: string): string {
  return readFileSync(file, "utf8").trim();
}
