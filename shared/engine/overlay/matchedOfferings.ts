import { LABEL } from '../../model/labels.ts'
import type { NodePool } from '../../model/nodePool.ts'
import { meets } from '../../model/requirementConflict.ts'
import { admitsAbsence, type Requirement, type Requirements, requirementsFromLabels } from '../../model/requirements.ts'
import type { TypeDraft } from './typeDraft.ts'

/** The labels by which overlays may select a pool. */
export type PoolLabels = Requirements

export function poolLabels({ name, template }: NodePool): PoolLabels {
  return requirementsFromLabels({ ...template.labels, [LABEL.nodePool]: name })
}

/** The positions of the size's offerings that have every wanted label. A label that no offering decides comes from the size and the pool. */
export function matchedOfferings({ type, requirements }: TypeDraft, labels: PoolLabels, wanted: Requirements): readonly number[] {
  const offered = new Set(type.offerings.flatMap((each) => each.requirements.map(({ key }) => key)))
  for (const [key, wish] of wanted) {
    const own = offered.has(key) ? undefined : requirements.get(key)
    if (!isMet(wish, [own, labels.get(key)], offered.has(key))) return NONE
  }
  const open = [...wanted.values()].filter(({ key }) => offered.has(key))
  return type.offerings.flatMap((each, index) => {
    const fits = open.every((wish) =>
      isMet(
        wish,
        each.requirements.filter(({ key }) => key === wish.key),
        false,
      ),
    )
    return fits ? [index] : []
  })
}

function isMet(wish: Requirement, known: readonly (Requirement | undefined)[], isDecidedLater: boolean): boolean {
  const stated = known.filter((each) => each !== undefined)
  if (stated.length === 0) return isDecidedLater || admitsAbsence(wish)
  return stated.every((each) => meets(each, wish))
}

const NONE: readonly number[] = []
