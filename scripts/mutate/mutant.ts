export type Mutant = {
  readonly file: string
  readonly line: number
  /** The range in StrykerJS's form: file:line:column-line:column. */
  readonly range: string
  readonly replacement: string
  readonly fate: 'killed' | 'lives' | 'invalid'
}

type Place = { readonly line: number; readonly column: number }

/** The fields of StrykerJS's result for a mutant that are used here. */
export type Result = {
  readonly fileName: string
  readonly location: { readonly start: Place; readonly end: Place }
  readonly replacement: string
  readonly status: string
}

/** Returns the mutant of a result. Empty if the mutant was not tried. Paths of files are relative to `root`. */
export function mutantOf(root: string, { fileName, location: { start, end }, replacement, status }: Result): readonly Mutant[] {
  const fate = fateOf(status)
  if (fate === undefined) return []
  const file = fileName.replace(`${root}/`, '')
  // StrykerJS counts columns from 0 in ranges and from 1 in results. A mutant that exceeds its range is not tried again.
  const range = `${file}:${start.line}:${start.column - 1}-${end.line}:${end.column - 1}`
  return [{ file, line: start.line, range, replacement, fate }]
}

/** Returns the fate of a mutant. Undefined if it was not tried. */
function fateOf(status: string): Mutant['fate'] | undefined {
  if (status === 'Killed' || status === 'Timeout') return 'killed'
  if (status === 'Survived' || status === 'NoCoverage') return 'lives'
  return status === 'Ignored' ? undefined : 'invalid'
}
