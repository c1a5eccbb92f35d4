import { parseArgs } from 'node:util'
import { foldersNamed, type MutationTarget } from './folders.ts'

export type Order = {
  readonly folders: readonly MutationTarget[]
  readonly seed: number
  /** Largest number of lines of each folder that get mutants. */
  readonly lines: number
  readonly records: boolean
}

/** Returns the order of the arguments, or a sentence about what is wrong with them. */
export function orderOf(args: readonly string[]): Order | string {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      seed: { type: 'string', default: '1' },
      lines: { type: 'string', default: '200' },
      'no-record': { type: 'boolean', default: false },
    },
  })
  const folders = foldersNamed(positionals)
  if (typeof folders === 'string') return folders
  const seed = Number(values.seed)
  const lines = Number(values.lines)
  if (!Number.isSafeInteger(seed)) return `--seed ${values.seed} is no whole number`
  if (!Number.isSafeInteger(lines) || lines < 1) return `--lines ${values.lines} is no whole number of at least 1`
  return { folders, seed, lines, records: !values['no-record'] }
}
