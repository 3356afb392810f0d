export const NOT_BEGUN_REASON = "the command was stopped before it came to this item";
