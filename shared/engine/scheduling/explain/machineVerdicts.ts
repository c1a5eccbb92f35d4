/** Why existing nodes do not take a pod. */
import { byText } from '../../../base/order.ts'
import type { Plan } from '../candidates/plan.ts'
import { machineVerdict } from '../decision/machineVerdict.ts'
import type { Verdict } from '../decision/verdict.ts'
import type { PodClass, RelaxedPod } from '../model/pods/podClass.ts'
import type { Axes } from '../model/quantities/amounts.ts'
import type { MachineRefusals } from './explanation.ts'
import { detailOf } from './sameReason.ts'

/** The existing nodes of the plan, grouped by the reason why they refuse the pod. The reason of most nodes comes first. */
export function machineRefusals(
  { existingNodes }: Plan,
  podClass: PodClass,
  relaxedPod: RelaxedPod,
  axes: Axes,
): readonly MachineRefusals[] {
  const refusals = existingNodes.map((existingNode) => ({
    name: existingNode.label,
    verdict: machineVerdict(existingNode, podClass, relaxedPod, axes),
  }))
  const groups = [...Map.groupBy(refusals, ({ verdict }) => detailOf(verdict)).values()]
  return groups
    .flatMap((group) => {
      const [closest] = [...group].sort((one, other) => gap(one.verdict) - gap(other.verdict) || byText(one.name, other.name))
      return closest === undefined ? [] : [{ machines: group.length, closest: closest.name, verdict: closest.verdict }]
    })
    .sort((one, other) => other.machines - one.machines || byText(one.closest, other.closest))
}

function gap(verdict: Verdict): number {
  return 'shortBy' in verdict ? verdict.shortBy : 0
}
