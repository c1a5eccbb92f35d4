/** Where a line of the story goes, and what time it is. */
export type StoryOptions = { readonly print: (line: string) => void; readonly now: () => number }
