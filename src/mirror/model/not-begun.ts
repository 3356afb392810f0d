/** Reason for an item that a run did not reach before the user stopped the run. */
export const NOT_BEGUN = "the command was stopped before it came to this item";
