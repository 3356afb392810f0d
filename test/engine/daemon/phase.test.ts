import { describe, expect, test } from "vitest";
import { IDLE, nextPhase, type Phase, type PhaseEvent } from "../../../src/mirror/engine/daemon/phase.ts";

const PHASES: Record<string, Phase> = {
  idle: IDLE,
  observing: { kind: "observing" },
  applying: { kind: "applying" },
  offline: { kind: "waiting", why: "offline", failures: 2, detail: "no route" },
  paused: nextPhase(IDLE, { kind: "pause" }),
  stopped: { kind: "stopped", detail: "too many deletions" },
  ended: { kind: "ended" },
};

const EVENTS: Record<string, PhaseEvent> = {
  look: { kind: "look" },
  apply: { kind: "apply" },
  ended: { kind: "ended" },
  safetyStop: { kind: "safety-stop", detail: "h" },
  failed: { kind: "failed", why: "unavailable", detail: "f" },
  pause: { kind: "pause" },
  resume: { kind: "resume" },
  stop: { kind: "stop" },
};

/** By event, in this order; `=`: as it is. */
const TABLE: Record<string, readonly string[]> = {
  // look, apply, ended, halt, failed, pause, resume, stop
  idle: ["observing", "=", "=", "=", "=", "waiting paused", "=", "ended"],
  observing: ["observing", "applying", "idle", "stopped", "waiting unavailable", "waiting paused", "=", "ended"],
  applying: ["observing", "=", "idle", "stopped", "waiting unavailable", "waiting paused", "=", "ended"],
  offline: ["observing", "=", "=", "=", "=", "waiting paused", "=", "ended"],
  paused: ["observing", "=", "=", "=", "=", "waiting paused", "idle", "ended"],
  stopped: ["observing", "=", "=", "=", "=", "waiting paused", "=", "ended"],
  ended: ["=", "=", "=", "=", "=", "=", "=", "="],
};

const show = (phase: Phase) => (phase.kind === "waiting" ? `waiting ${phase.why}` : phase.kind);

describe("nextPhase", () => {
  const cases = Object.entries(TABLE).flatMap(([phase, row]) =>
    Object.keys(EVENTS).map((event, column) => [phase, event, row[column]!] as const),
  );
  test.each(cases)("%s + %s → %s", (name, event, expected) => {
    const phase = PHASES[name]!;
    const next = nextPhase(phase, EVENTS[event]!);
    if (expected === "=") expect(next).toEqual(phase);
    else expect(show(next)).toBe(expected);
  });

  test("counts the failures in a row", () => {
    const next = nextPhase({ kind: "observing" }, { kind: "failed", why: "offline", detail: "no route" }, 3);
    expect(next).toEqual({ kind: "waiting", why: "offline", failures: 4, detail: "no route" });
  });
});
