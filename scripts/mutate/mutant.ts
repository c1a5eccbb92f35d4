export type Mutant = {
  readonly file: string
  readonly line: number
  /** The range, as StrykerJS takes it: file:line:column-line:column. */
  readonly range: string
  readonly replacement: string
  readonly fate: 'killed' | 'lives' | 'invalid'
}

type Place = { readonly line: number; readonly column: number }

/** What StrykerJS says of a mutant, as far as it is of use here. */
export type Result = {
  readonly fileName: string
  readonly location: { readonly start: Place; readonly end: Place }
  readonly replacement: string
  readonly status: string
}

/** `root`: the folder that files are named from. Nothing for a mutant that was not tried. */
export function mutantOf(root: string, { fileName, location: { start, end }, replacement, status }: Result): readonly Mutant[] {
  const fate = fateOf(status)
  if (fate === undefined) return []
  const file = fileName.replace(`${root}/`, '')
  // Its ranges count columns from 0, its results from 1: a mutant that sticks out of its range is not tried again.
  const range = `${file}:${start.line}:${start.column - 1}-${end.line}:${end.column - 1}`
  return [{ file, line: start.line, range, replacement, fate }]
}

/** Undefined: it was not tried. */
function fateOf(status: string): Mutant['fate'] | undefined {
  if (status === 'Killed' || status === 'Timeout') return 'killed'
  if (status === 'Survived' || status === 'NoCoverage') return 'lives'
  return status === 'Ignored' ? undefined : 'invalid'
}
