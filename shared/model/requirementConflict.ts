import { labelValueText } from './inWords.ts'
import { LABEL, WELL_KNOWN_LABELS } from './labels.ts'
import { admitsAbsence, intersects, operatorOf, type Requirement, type Requirements } from './requirements.ts'

/** Why two sets of requirements cannot be met together, for one key. */
export type RequirementConflict = {
  readonly key: string
  /** Undefined if the existing set does not know the label. */
  readonly existing?: Requirement
  readonly incoming: Requirement
}

/**
 * Returns the keys for which something with `self` cannot meet `incoming`. An incoming key that `self` does not have is a conflict unless it is in
 * `allowUndefined` or its requirement admits absence. Empty: compatible.
 */
export function conflicts(self: Requirements, incoming: Requirements, allowUndefined: ReadonlySet<string>): readonly RequirementConflict[] {
  let found: RequirementConflict[] | undefined
  for (const [key, requirement] of incoming) {
    const existing = self.get(key)
    if (existing ? meets(existing, requirement) : allowUndefined.has(key) || admitsAbsence(requirement)) continue
    found ??= []
    found.push(existing ? { key, existing, incoming: requirement } : { key, incoming: requirement })
  }
  return found ?? NONE
}

/** Like `conflicts`, for keys that both sets have. */
export function overlapConflicts(self: Requirements, incoming: Requirements): readonly RequirementConflict[] {
  const [fewer, more] = self.size < incoming.size ? [self, incoming] : [incoming, self]
  let found: RequirementConflict[] | undefined
  for (const key of fewer.keys()) {
    if (!more.has(key)) continue
    const existing = self.get(key)
    const requirement = incoming.get(key)
    if (!existing || !requirement || meets(existing, requirement)) continue
    found ??= []
    found.push({ key, existing, incoming: requirement })
  }
  return found ?? NONE
}

/** Describes one conflict in words. `known` are keys that a misspelt key may have meant. */
export function describeConflict(conflict: RequirementConflict, known: Iterable<string> = []): string {
  if (conflict.existing) {
    return `key ${conflict.key}, ${describeRequirement(conflict.incoming)} not in ${describeRequirement(conflict.existing)}`
  }
  return `label "${conflict.key}" does not have known values${typoHint(conflict.key, known)}`
}

/** Describes all requirements in words, sorted by key. The host name is left out, since no user chose it. */
export function describeRequirements(requirements: Requirements): string {
  return [...requirements.values()]
    .filter(({ key }) => key !== LABEL.hostname)
    .map(describeRequirement)
    .sort()
    .join(', ')
}

/** Describes a requirement: `key In [a b]`, with at most five values, and with bounds and minValues if there are any. */
export function describeRequirement(requirement: Requirement): string {
  const { key, values, gte, lte, minValues } = requirement
  const shown = values
    .slice(0, SHOWN_VALUES)
    .map((value) => labelValueText(key, value))
    .join(' ')
  const rest = values.length > SHOWN_VALUES ? ` and ${values.length - SHOWN_VALUES} others` : ''
  return [
    `${key} ${operatorOf(requirement)}`,
    values.length > 0 ? `[${shown}${rest}]` : undefined,
    gte === undefined ? undefined : `>=${gte}`,
    lte === undefined ? undefined : `<=${lte}`,
    minValues === undefined ? undefined : `minValues ${minValues}`,
  ]
    .filter((part) => part !== undefined)
    .join(' ')
}

const SHOWN_VALUES = 5
const NONE: readonly RequirementConflict[] = []

/** Reports whether some value meets both requirements, or whether both admit absence of the label. */
export function meets(existing: Requirement, incoming: Requirement): boolean {
  return intersects(existing, incoming) || (admitsAbsence(existing) && admitsAbsence(incoming))
}

function typoHint(key: string, known: Iterable<string>): string {
  const name = key.slice(key.indexOf('/') + 1)
  for (const candidate of [...known].sort()) {
    if (candidate !== key && (candidate.includes(key) || candidate.endsWith(name))) return ` (typo of "${candidate}"?)`
  }
  const nearest = nearestLabel(key, known)
  return nearest === undefined ? '' : ` (typo of "${nearest}"?)`
}

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
