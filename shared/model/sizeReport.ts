/**
 * What machines say about their sizes, shared by the clusters of a subscription and region. A size whose machines do not boot, or that Azure takes
 * soon after their start, is demoted for the region: decisions weigh it at a multiple of its price. A failure may also have its cause in the cluster,
 * such as a network without a way out. So one cluster alone demotes a size for the others only if the cause is proven to be the size.
 */
import type { ClusterId, NodeClaimName, NodeClassName, VmSizeName } from './ids.ts'
import type { CapacityType } from './instanceType.ts'
import type { Resources } from './resources.ts'
import { durationMs, type EpochMs, epochMs, later } from './units.ts'

/** `booted`: the node of a machine became ready. It refutes that the size does not boot. */
export type SizeReport = {
  readonly kind: SizeFailure | 'booted'
  readonly cluster: ClusterId
  /** One machine counts once. */
  readonly claim: NodeClaimName
  readonly nodeClass: NodeClassName
  readonly size: VmSizeName
  readonly launchedAt: EpochMs
  readonly at: EpochMs
  /** The cause is the size, not the cluster: another size of the NodeClass booted meanwhile, or Azure said so. */
  readonly isProven?: true
}

export type SizeFailure = 'notBooted' | 'evicted'

/** A size that is weighed at `DEMOTED_FACTOR` times its price until a time. */
export type DemotedSize = {
  readonly size: VmSizeName
  /** Undefined: spot and on demand. */
  readonly capacityType?: CapacityType
  readonly because: SizeFailure
  readonly until: EpochMs
}

/** How long a failure counts. Images change within days, and free spot capacity within an hour. */
const COUNTS_FOR = { notBooted: durationMs(3 * 3_600_000), evicted: durationMs(3_600_000) }
/** How long a report is remembered. */
const REMEMBERED = COUNTS_FOR.notBooted
/** So many failures demote a size. One machine may fail by chance. More of them say nothing more, so they are not kept. */
const ENOUGH = 2

/** Reports whether the report has to be remembered. */
export function isReported({ at }: SizeReport, now: EpochMs): boolean {
  return now < later(at, REMEMBERED)
}

/** The known reports with further ones. The same object if they say nothing new. */
export function withReports(known: readonly SizeReport[], further: readonly SizeReport[], now: EpochMs): readonly SizeReport[] {
  const byMachine = new Map(known.filter((each) => isReported(each, now)).map((each) => [machineOf(each), each]))
  const isNew = further.filter((each) => saysMore(each, byMachine.get(machineOf(each))))
  if (isNew.length === 0) return known
  for (const each of isNew) {
    const before = byMachine.get(machineOf(each))
    byMachine.set(machineOf(each), before === undefined ? each : { ...before, isProven: true })
  }
  const alike = Map.groupBy(byMachine.values(), ({ kind, cluster, size, isProven }) => [kind, cluster, size, isProven].join(' '))
  return [...alike.values()].flatMap((each) => each.sort(latestFirst).slice(0, ENOUGH))
}

function saysMore({ isProven }: SizeReport, before: SizeReport | undefined): boolean {
  return before === undefined || (isProven === true && before.isProven === undefined)
}

function machineOf({ kind, cluster, claim }: SizeReport): string {
  return `${kind} ${cluster} ${claim}`
}

function latestFirst(one: Pick<SizeReport, 'at'>, other: Pick<SizeReport, 'at'>): number {
  return other.at - one.at
}

/** Failures to boot that no machine of the size refutes. A machine that became ready after the launch of another one had the same chances. */
export function unrefuted(reports: readonly SizeReport[]): readonly SizeReport[] {
  const booted = new Map<VmSizeName, number>()
  for (const { kind, size, at } of reports) if (kind === 'booted') booted.set(size, Math.max(at, booted.get(size) ?? 0))
  return reports.filter(({ kind, size, launchedAt }) => kind === 'notBooted' && launchedAt >= (booted.get(size) ?? 0))
}

/** The sizes that are demoted at a time, with the end of it. */
export function demotedSizes(reports: readonly SizeReport[], now: EpochMs): readonly DemotedSize[] {
  const failures = [...unrefuted(reports), ...reports.filter(({ kind }) => kind === 'evicted')]
  const alike = Map.groupBy(failures, ({ kind, size }) => `${kind} ${size}`)
  return [...alike.values()].flatMap((each) => {
    const [first] = each
    if (first === undefined || first.kind === 'booted') return []
    const { kind: because, size } = first
    const until = epochMs(lastOfEnough(each) + COUNTS_FOR[because])
    return until <= now ? [] : [{ size, because, until, ...(because === 'evicted' ? { capacityType: 'spot' as const } : {}) }]
  })
}

/** The time up to which there are enough failures: of proven cause, or in different clusters. Zero if there are too few. */
function lastOfEnough(failures: readonly SizeReport[]): number {
  const sorted = [...failures].sort(latestFirst)
  const proven = sorted.filter(({ isProven }) => isProven === true)
  const ofClusters = [...Map.groupBy(sorted, ({ cluster }) => cluster).values()].flatMap(([latest]) => latest ?? [])
  return Math.max(proven[ENOUGH - 1]?.at ?? 0, ofClusters.sort(latestFirst)[ENOUGH - 1]?.at ?? 0)
}

/**
 * A machine of a demoted size is taken while every other choice costs more than this times its price. A machine that fails costs a boot, and a wait for
 * the next one. That is worth some money, but not any price.
 */
export const DEMOTED_FACTOR = 4

/** Why the offering is demoted. Undefined if it is not. A reservation is paid for anyway, so it is not demoted. */
export function demotionOf(
  { size, capacityType }: Pick<DemotedSize, 'size'> & { readonly capacityType: CapacityType },
  demoted: readonly DemotedSize[],
): DemotedSize | undefined {
  if (capacityType === 'reserved') return undefined
  return demoted.find((each) => each.size === size && (each.capacityType ?? capacityType) === capacityType)
}

/** A size whose newest node has less room for pods than the catalog promises. New nodes of the class are planned with that much less. */
export type ShortSize = {
  readonly nodeClass: NodeClassName
  readonly size: VmSizeName
  /** A hash of what the nodes of the class are made from. With another hash, nodes may have other room. */
  readonly madeFrom: string
  readonly short: Resources
  /** When the NodeClaim of that node was created. */
  readonly createdAt: EpochMs
}
