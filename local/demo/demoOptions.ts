/** Where a line of the demo goes, and what time it is. */
export type DemoOptions = { readonly print: (line: string) => void; readonly now: () => number }
