import type { DocId } from "../../../contract/ids.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { protectDocument } from "../apply/protect.ts";
import { runEffect } from "../apply/run-effect.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import type { ManualEnd } from "./run-manually.ts";

type ProtectRequest = { readonly id: DocId; readonly path: LocalPath; readonly value: boolean };

export async function protect(ctx: CycleContext, { id, path, value }: ProtectRequest, why: string): Promise<ManualEnd> {
  const row = { kind: "protect", id, localPath: path, value, why } as const;
  return { outcome: await runEffect(ctx, protectDocument, row), notes: [] };
}
