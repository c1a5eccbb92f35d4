/** What a size lacks for pods that are to share one machine of it, beside the daemons that it gets of its own. */
import type { HostPort } from '../../../model/pod.ts'
import { shortOf } from '../decision/roomVerdicts.ts'
import type { Verdict } from '../decision/verdict.ts'
import { daemonAntiAffinityOn } from '../model/catalog/narrowedTemplate.ts'
import type { InstanceTypeOption } from '../model/catalog/template.ts'
import type { Constraint } from '../model/pods/constraint.ts'
import { portsClash } from '../model/pods/hostPorts.ts'
import type { Amounts, Axes } from '../model/quantities/amounts.ts'

/** What they take together, without daemons. */
export type Load = {
  readonly total: Amounts
  readonly ports: readonly HostPort[]
  /** Of each pod. */
  readonly apart: readonly Pick<Constraint, 'apartFrom'>[]
}

export function refusedBySize({ total, ports, apart }: Load, size: InstanceTypeOption | undefined, axes: Axes): Verdict | undefined {
  if (size === undefined) return undefined
  const short = shortOf(total, size.free, axes)
  if (short !== undefined) return short
  if (!size.isUsable) return { kind: 'daemons' }
  const isTaken = portsClash(size.daemonPorts, ports)
  if (isTaken) return { kind: 'ports', ports: ports.map((each) => each.port), takenBy: 'daemons' }
  const daemonSets = apart.flatMap((each) => daemonAntiAffinityOn(size, each))
  return daemonSets.length === 0 ? undefined : { kind: 'daemonNeighbours', daemonSets: [...new Set(daemonSets)] }
}
