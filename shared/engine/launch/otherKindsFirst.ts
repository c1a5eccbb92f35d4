import type { LaunchCandidate, LaunchPlan } from '../../model/instance.ts'

/** The refusals of a kind after which the next try is of another kind, if there is one. Capacity types have more sizes than families and zones. */
const FEW = { capacityType: 5, family: 3, zone: 3 }

type Kind = keyof typeof FEW
const KINDS: readonly Kind[] = ['capacityType', 'family', 'zone']

/**
 * The plan with candidates of kinds that this attempt was refused a few times after the others. What lacks in one size often lacks in all spot
 * offerings, in its family or in its zone. No candidate is left out, so that the last offering that Azure has is found. The next attempt begins with
 * the best candidate again.
 */
export function otherKindsFirst({ candidates }: LaunchPlan, refused: readonly LaunchCandidate[]): LaunchPlan {
  const doubtful = KINDS.map((kind) => {
    const counts = new Map<string, number>()
    for (const each of refused) counts.set(nameOf(kind, each), (counts.get(nameOf(kind, each)) ?? 0) + 1)
    return (each: LaunchCandidate): boolean => (counts.get(nameOf(kind, each)) ?? 0) >= FEW[kind]
  })
  const doubts = (each: LaunchCandidate): number => doubtful.filter((isDoubtful) => isDoubtful(each)).length
  return { candidates: [...candidates].sort((one, other) => doubts(one) - doubts(other)) }
}

/** The name of the kind of a candidate. Spot and on-demand machines of a family or a zone do not say the same. */
function nameOf(kind: Kind, { choice, instanceType }: LaunchCandidate): string {
  const { capacityType, zone } = choice
  if (kind === 'capacityType') return capacityType
  return `${capacityType} ${kind === 'family' ? instanceType.family : zone}`
}
