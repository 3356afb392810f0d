import type { MirrorStatus } from "../../folder/status.ts";
import { toAttentionJson } from "./attention.ts";
import type { StatusReport } from "./shapes.ts";

type StatusJson = StatusReport & Pick<MirrorStatus, "resting" | "reviewedSince" | "lastRun" | "staysLocal">;

/** @param age milliseconds since both sides were last found equal; null if they never were */
export function toStatusJson(status: MirrorStatus, age: number | null): StatusJson {
  const { state, fault, unreachedAddress, ...rest } = status;
  return {
    state,
    ageSeconds: age === null ? null : Math.round(age / 1_000),
    ...rest,
    attention: toAttentionJson(status),
  };
}
