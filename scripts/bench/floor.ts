/** The floor's service, from the bench's side: a process for each corpus. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export type Floor = { readonly url: string; close(): Promise<void> };

/** @param folder of the documents, which it reads before it answers */
export async function startFloor(folder: string): Promise<Floor> {
  const child = fork(fileURLToPath(new URL("floor-service.ts", import.meta.url)), [folder], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const [{ url }] = (await once(child, "message")) as [{ readonly url: string }];
  return {
    url,
    async close() {
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}
