/** Reason why an item is left alone that a run did not reach before a person stopped it. */
export const NOT_BEGUN = "the command was stopped before it came to this item";
