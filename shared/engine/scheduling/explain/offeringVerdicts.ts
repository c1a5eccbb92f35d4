/** Why an offering is not taken, whatever it is compared with: its NodePool, its instance type, and what can be bought now. */
import { UNDEFINED_ALLOWED_LABELS } from '../../../model/labels.ts'
import { timesRefused } from '../../../model/refusalGrowth.ts'
import { describeRequirements, overlapConflicts } from '../../../model/requirementConflict.ts'
import type { Requirement, Requirements } from '../../../model/requirements.ts'
import { demotionOf } from '../../../model/sizeReport.ts'
import { refusalsForClass } from '../../offering/classRefusals.ts'
import { blockOf } from '../../offering/usableOfferings.ts'
import { weighedOffering } from '../../offering/weighedOffering.ts'
import { labelsMissingIn } from '../decision/lacking.ts'
import { type Load, roomOnInstanceType, roomVerdict } from '../decision/room.ts'
import type { Verdict, Whose } from '../decision/verdict.ts'
import type { Axes } from '../model/quantities/amounts.ts'
import type { DecisionContext } from '../snapshot/decisionContext.ts'
import type { PoolOffering } from './cheaper.ts'
import type { NotTaken } from './explanation.ts'

/** The requirements of the NodePool that a machine with these labels does not meet. Undefined if the NodePool may make the machine. */
export function refusedByPool({ template, index, offering }: PoolOffering, machine: Requirements): Verdict | undefined {
  const missing = overlapConflicts(machine, template.requirements).map(({ incoming }) => incoming)
  if (missing.length > 0) return asksFor('pool', missing)
  const unknown = offering.requirements.find(({ key }) => !UNDEFINED_ALLOWED_LABELS.has(key) && !template.requirements.has(key))
  if (unknown !== undefined) {
    return { kind: 'labels', whose: 'pool', labels: [unknown.key], message: `the nodepool does not define label ${unknown.key}` }
  }
  if (template.sizes[index] !== undefined) return undefined
  const lacking = labelsMissingIn([{ requirements: machine }], template.requirements, template.requirements)
  return { kind: 'sizes', whose: 'pods', instanceTypes: 1, lacking, volumeClaims: [] }
}

/** Why a machine of the instance type has no room for the load. Undefined if it has. */
export function refusedByRoom({ template, index }: PoolOffering, load: Load, axes: Axes): Verdict | undefined {
  const size = template.sizes[index]
  return size === undefined ? undefined : roomVerdict(roomOnInstanceType(size), load, axes)
}

/** Why nobody can buy the offering now. Undefined if it can be bought. */
export function notForSale(
  { template, type, offering }: PoolOffering,
  { unavailable, takenAt }: Pick<DecisionContext, 'unavailable' | 'demoted' | 'takenAt'>,
): NotTaken | undefined {
  const block = blockOf(type, offering, refusalsForClass(unavailable, template.pool.template.nodeClassRef.name), takenAt)
  if (block !== undefined) {
    const { code, until, message } = block
    return { kind: 'blocked', code, times: timesRefused(block), until, message }
  }
  if (offering.shortOf !== undefined) {
    const { code, quota, region, limit, used } = offering.shortOf
    return { kind: 'quota', code, quota, region, limit, used, message: `${quota} in ${region} has ${used} of ${limit} cores in use` }
  }
  if (offering.reservation !== undefined && offering.reservation.remaining <= 0) {
    return { kind: 'reservation', reservation: offering.reservation.id }
  }
  return offering.available ? undefined : { kind: 'offering' }
}

/** Why the offering counts as dearer than this price, though it is cheaper. Undefined if it does not. `than` has the cost of a node. */
export function demotedVerdict(
  { type, offering }: PoolOffering,
  { demoted = [] }: Pick<DecisionContext, 'demoted'>,
  than = 0,
  nodeCost = 0,
): NotTaken | undefined {
  const demotion = demotionOf({ size: type.name, capacityType: offering.capacityType }, demoted)
  if ((weighedOffering(type, offering, demoted, nodeCost).price ?? 0) < than) return undefined
  return demotion && { kind: 'demoted', because: demotion.because, until: demotion.until }
}

/** The verdict on a machine that does not meet these requirements. `whose`: the object that has the requirements. */
export function asksFor(whose: Whose, wanted: readonly Requirement[]): Verdict {
  const message = `${ASKING[whose]} ${describeRequirements(new Map(wanted.map((each) => [each.key, each])))}`
  return { kind: 'labels', whose, labels: wanted.map(({ key }) => key), message }
}

const ASKING = {
  pool: 'the nodepool asks for',
  pods: 'its pods ask for',
  volumes: 'the volumes of its pods ask for',
  claim: 'the claim asks for',
} as const
