/** Where a line of the demo goes, and the clock. */
export type DemoOptions = { readonly print: (line: string) => void; readonly now: () => number }
