import { byText, inOrder, type Order, partition } from '../../base/lists.ts'
import { setOwnValue } from '../../base/values.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import { choiceOf, type LaunchCandidate, type LaunchPlan } from '../../model/instance.ts'
import { allocatableOfType, type InstanceType, type Offering } from '../../model/instanceType.ts'
import { isRestricted, LABEL, type Labels, WELL_KNOWN_LABELS } from '../../model/labels.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { overlapConflicts } from '../../model/requirementConflict.ts'
import { operatorOf, type Requirement, type Requirements, requirementsFrom } from '../../model/requirements.ts'
import { fits } from '../../model/resources.ts'
import type { DemotedSize } from '../../model/sizeReport.ts'
import type { UnavailableOffering } from '../../model/unavailableOffering.ts'
import type { EpochMs } from '../../model/units.ts'
import { byAmounts } from '../offering/shortSizes.ts'
import { refusalsForClass } from '../offering/sizeReports.ts'
import {
  admitsOffering,
  asSold,
  byWorth,
  contains,
  requirementMap,
  usableOfferings,
  type WeighedOffering,
  weighedOffering,
  zoneTurn,
} from '../offering/usableOfferings.ts'

/**
 * Every way to make the claim's machine now, best first: cheapest, at the prices at which decisions weigh offerings, then reserved, spot and on-demand,
 * zonal before regional, then by zone in an order of the claim's own, then by name of the size. So machines of one price are spread over zones, and the
 * same claim always gets the same order.
 */
export function planLaunch(
  claim: Pick<NodeClaim, 'name' | 'spec'>,
  instanceTypes: readonly InstanceType[],
  unavailable: readonly UnavailableOffering[],
  now: EpochMs,
  demoted: readonly DemotedSize[] = [],
): LaunchPlan {
  const requirements = requirementsFrom(claim.spec.requirements)
  const refusals = refusalsForClass(unavailable, claim.spec.nodeClassRef.name)
  const candidates = instanceTypes
    .flatMap(byAmounts)
    .filter((type) => fits(claim.spec.requests, allocatableOfType(type)) && admitsSize(requirements, type))
    .flatMap((type) =>
      usableOfferings(type, refusals, now)
        .filter((offering) => admitsOffering(requirements, offering))
        .map((offering) => ({ type, offering: weighedOffering(type, offering, demoted) })),
    )
    .sort(rankFor(claim.name))
    .map(({ type, offering }) => candidateOf(requirements, type, asSold(offering)))
  return { candidates }
}

/** The plan without the candidates that are refused now, in the same order. */
export function stillOpen(
  { candidates }: LaunchPlan,
  claim: Pick<NodeClaim, 'spec'>,
  unavailable: readonly UnavailableOffering[],
  now: EpochMs,
): LaunchPlan {
  const refusals = refusalsForClass(unavailable, claim.spec.nodeClassRef.name).filter(({ until }) => until > now)
  return { candidates: candidates.filter(({ instanceType, choice }) => !refusals.some((each) => contains(each, instanceType, choice))) }
}

/**
 * The refusals that keep the claim's machine from being made now. Undefined if there would be no machine even if Azure had refused nothing.
 */
export function refusalsFor(
  claim: Pick<NodeClaim, 'name' | 'spec'>,
  instanceTypes: readonly InstanceType[],
  unavailable: readonly UnavailableOffering[],
  now: EpochMs,
): readonly UnavailableOffering[] | undefined {
  const { candidates } = planLaunch(claim, instanceTypes, [], now)
  if (candidates.length === 0) return undefined
  const standing = refusalsForClass(unavailable, claim.spec.nodeClassRef.name).filter(({ until }) => until > now)
  return standing.filter((each) => candidates.some(({ instanceType, choice }) => contains(each, instanceType, choice)))
}

/** The candidates that are refused for the NodeClass of the claim now. They tell the next attempt which kinds were tried in vain. */
export function refusedOfClass(
  claim: Pick<NodeClaim, 'name' | 'spec'>,
  instanceTypes: readonly InstanceType[],
  unavailable: readonly UnavailableOffering[],
  now: EpochMs,
): readonly LaunchCandidate[] {
  const ofClass = unavailable.filter(({ scope, until }) => scope.nodeClass?.name === claim.spec.nodeClassRef.name && until > now)
  if (ofClass.length === 0) return []
  const { candidates } = planLaunch(claim, instanceTypes, [], now)
  return candidates.filter(({ instanceType, choice }) => ofClass.some((each) => contains(each, instanceType, choice)))
}

/** The launch candidate with this size, zone and capacity type, whether or not it can be bought now. */
export function candidateOf(requirements: Requirements, type: InstanceType, offering: Offering): LaunchCandidate {
  return {
    choice: choiceOf(type.name, offering),
    instanceType: type,
    // Only few of the candidates are ever tried.
    get labels() {
      return labelsOf(requirements, type, offering)
    },
  }
}

type Pair = { readonly type: InstanceType; readonly offering: WeighedOffering }

function rankFor(claim: NodeClaimName): Order<Pair> {
  const turnOf = zoneTurn(claim)
  return inOrder<Pair>(
    (first, second) => byWorth(first.offering, second.offering),
    (first, second) => turnOf(first.offering.zone) - turnOf(second.offering.zone),
    (first, second) => byText(first.type.name, second.type.name),
  )
}

const PRIORITY_LABELS = ['kubernetes.azure.com/scalesetpriority', 'kubernetes.azure.com/priority'] as const

function admitsSize(requirements: Requirements, type: InstanceType): boolean {
  return overlapConflicts(requirementMap(type.requirements), requirements).length === 0
}

/**
 * The labels of the machine: values of the claim, then of the size, then of the offering. A later value overrides an earlier one. Of several values for a
 * label of the user the first counts. A claim that a decision made has its labels already. One that a user made may have only requirements.
 */
function labelsOf(requirements: Requirements, type: InstanceType, offering: Offering): Labels {
  const [known, own] = partition([...requirements.values()], ({ key }) => WELL_KNOWN_LABELS.has(key))
  const priority = offering.capacityType === 'spot' ? 'spot' : 'regular'
  return {
    ...singleValues(own.filter(({ key }) => !isRestricted(key)).map((each) => ({ ...each, values: each.values.slice(0, 1) }))),
    ...singleValues(known),
    ...singleValues(type.requirements),
    ...singleValues(offering.requirements),
    [LABEL.zone]: offering.zone,
    [LABEL.capacityType]: offering.capacityType,
    ...Object.fromEntries(PRIORITY_LABELS.map((key) => [key, priority])),
  }
}

function singleValues(requirements: readonly Requirement[]): Labels {
  const labels: { [key: string]: string } = {}
  for (const requirement of requirements) {
    const [value] = requirement.values
    if (value !== undefined && requirement.values.length === 1 && operatorOf(requirement) === 'In')
      setOwnValue(labels, requirement.key, value)
  }
  return labels
}

/** The refusals of a kind after which the next try is of another kind, if there is one. Capacity types have more sizes than families and zones. */
const FEW = { capacityType: 5, family: 3, zone: 3 }

type Kind = keyof typeof FEW
const KINDS: readonly Kind[] = ['capacityType', 'family', 'zone']

/**
 * The plan with candidates of kinds that were refused a few times after the others. What lacks in one size often lacks in all spot offerings, in its
 * family or in its zone. No candidate is left out, so that the last offering that Azure has is found. The next attempt begins with the best candidate
 * again. `seeking`: the number of claims that look for an offering. All of them learn from a refusal, and each would pay for a dearer machine: so the
 * more they are, the more refusals they bear.
 */
export function otherKindsFirst({ candidates }: LaunchPlan, refused: readonly LaunchCandidate[], seeking = 1): LaunchPlan {
  const doubtful = doubtsOf(refused, seeking)
  const doubts = (each: LaunchCandidate): number => doubtful.filter((isDoubtful) => isDoubtful(each)).length
  return { candidates: [...candidates].sort((one, other) => doubts(one) - doubts(other)) }
}

/**
 * The plan with a candidate that Azure made lately before one of the same price whose kind was refused a few times. Without refusals, machines of one
 * price spread over zones.
 */
export function knownFirst(
  { candidates }: LaunchPlan,
  refused: readonly LaunchCandidate[],
  works: (candidate: LaunchCandidate) => boolean,
): LaunchPlan {
  const [first] = candidates
  if (first === undefined || works(first) || !doubtsOf(refused, 1).some((isDoubtful) => isDoubtful(first))) return { candidates }
  const known = candidates.find((each) => each.choice.price === first.choice.price && works(each))
  return { candidates: known === undefined ? candidates : [known, ...candidates.filter((each) => each !== known)] }
}

/** For each kind, whether a candidate's was refused a few times. */
function doubtsOf(refused: readonly LaunchCandidate[], seeking: number): readonly ((candidate: LaunchCandidate) => boolean)[] {
  return KINDS.map((kind) => {
    const counts = new Map<string, number>()
    for (const each of refused) counts.set(nameOf(kind, each), (counts.get(nameOf(kind, each)) ?? 0) + 1)
    return (each) => (counts.get(nameOf(kind, each)) ?? 0) >= FEW[kind] * seeking
  })
}

/** The name of the kind of a candidate. Spot and on-demand machines of a family or a zone do not say the same. */
function nameOf(kind: Kind, { choice, instanceType }: LaunchCandidate): string {
  const { capacityType, zone } = choice
  if (kind === 'capacityType') return capacityType
  return `${capacityType} ${kind === 'family' ? instanceType.family : zone}`
}
