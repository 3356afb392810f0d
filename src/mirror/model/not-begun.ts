/** Why an item is left alone to which a run did not come before a person stopped it. */
export const NOT_BEGUN = "the command was stopped before this item";
