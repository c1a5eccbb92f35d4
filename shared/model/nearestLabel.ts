import { WELL_KNOWN_LABELS } from './labels.ts'

/** What a user may write instead of a label that is restricted: the known label that it may have meant, and where all labels are. */
export function restrictedText(key: string): string {
  const nearest = nearestLabel(key)
  const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`
  return `the label is restricted${hint}; use a label of your own domain, or a well-known label of docs/reference.md`
}

/** The known label with the fewest letters that differ. Undefined if more than a third of the letters of its name differ. */
export function nearestLabel(key: string, known: Iterable<string> = WELL_KNOWN_LABELS): string | undefined {
  const near = [...known].sort().filter((label) => label !== key && Math.abs(label.length - key.length) <= mostOf(label))
  const [best] = near
    .map((label) => ({ label, far: distance(key, label) }))
    .filter(({ label, far }) => far <= mostOf(label))
    .sort((one, other) => one.far - other.far)
  return best?.label
}

function mostOf(label: string): number {
  return Math.max(1, Math.floor(nameOf(label).length / 3))
}

function nameOf(label: string): string {
  return label.slice(label.indexOf('/') + 1)
}

/** The least number of letters to add, remove, replace or swap with their neighbours. */
function distance(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, at) => at)]
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let row = 1; row <= from.length; row++) {
    const line = [row]
    rows.push(line)
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1]
      const isSwap = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      line.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (isSame ? 0 : 1),
          isSwap ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
  }
  return at(from.length, to.length)
}
