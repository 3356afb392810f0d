/** Events that a hook can ask for, in the order in which they are reported. */
export const EVENT_NAMES = ["stopped", "offline", "conflict", "attention", "review-settled", "in-sync"] as const;

export type EventName = (typeof EVENT_NAMES)[number];

/**
 * Default time that a state must last before a hook runs, in milliseconds: a burst becomes one
 * event, a short disturbance none.
 */
export const USUAL_DEBOUNCE: Readonly<Record<EventName, number>> = {
  stopped: 5_000,
  offline: 60_000,
  conflict: 5_000,
  attention: 5_000,
  "review-settled": 5_000,
  "in-sync": 5_000,
};

export function isEventName(name: string): name is EventName {
  return (EVENT_NAMES as readonly string[]).includes(name);
}
