/** Every machine that a claim may become: each size that it names, with each offering that it allows. */
import { ownValue, setOwnValue } from '../../shared/base/values.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { InstanceType, Offering } from '../../shared/model/instanceType.ts'
import type { Labels } from '../../shared/model/labels.ts'
import type { NodeClaimSpec } from '../../shared/model/nodeClaim.ts'
import type { Requirement } from '../../shared/model/requirements.ts'
import type { Resources } from '../../shared/model/resources.ts'
import { meetsExpression } from './kubernetesRules.ts'
import { withOverlays } from './withOverlays.ts'

export type Outcome = { readonly type: InstanceType; readonly offering: Offering; readonly labels: Labels; readonly isForSale: boolean }

export function outcomesOf(snapshot: ClusterSnapshot, spec: NodeClaimSpec, claimLabels: Labels): readonly Outcome[] {
  const types = snapshot.instanceTypes.get(spec.nodeClassRef.name) ?? []
  const asked = Map.groupBy(spec.requirements, ({ key }) => key)
  const picked = pickedBy(asked)
  const pool = claimLabels['karpenter.sh/nodepool']
  return types.flatMap((type) =>
    type.offerings.flatMap((offering) => {
      const labels = labelsOf({ asked, picked, claimLabels }, type, offering)
      if (labels === undefined) return []
      return [{ ...withOverlays(snapshot, pool, type, offering), labels, isForSale: isForSale(snapshot, type, offering) }]
    }),
  )
}

export function allocatable({ capacity, overhead }: InstanceType): Resources {
  const pages = Object.entries(capacity).reduce((bytes, [name, amount]) => (name.startsWith('hugepages-') ? bytes + amount : bytes), 0)
  return Object.fromEntries(
    Object.entries(capacity).map(([name, amount]) => {
      const left = amount - (ownValue(overhead, name) ?? 0)
      return [name, name === 'memory' && pages > 0 ? Math.max(0, left - pages) : left]
    }),
  )
}

/** The requirements of the claim by key. */
type Asked = ReadonlyMap<string, NodeClaimSpec['requirements']>

/** The launch gives the machine a label for each requirement that no size decides, with the first of its values. */
function pickedBy(asked: Asked): ReadonlyMap<string, string> {
  const picked = new Map<string, string>()
  for (const [key, each] of asked) {
    const named = new Set(each.flatMap(({ operator, values }) => (operator === 'In' ? values : [])))
    const first = [...named].toSorted().find((value) => allows(asked, key, value))
    if (first !== undefined) picked.set(key, first)
  }
  return picked
}

type ClaimView = { readonly asked: Asked; readonly picked: ReadonlyMap<string, string>; readonly claimLabels: Labels }

/** The labels of such a machine. Undefined if the claim forbids it. A label of the size with several values is known only if the claim picks one. */
function labelsOf({ asked, picked, claimLabels }: ClaimView, type: InstanceType, offering: Offering): Labels | undefined {
  const decided = new Map<string, Requirement>()
  for (const each of type.requirements) decided.set(each.key, each)
  for (const each of offering.requirements) decided.set(each.key, each)
  const ofClaim: { [key: string]: string } = {}
  const ofSize: { [key: string]: string } = {}
  for (const [key, value] of picked) if (!decided.has(key)) setOwnValue(ofClaim, key, value)
  for (const [key, each] of decided) {
    if (each.complement) continue
    const allowed = each.values.filter((value) => allows(asked, key, value))
    if (each.values.length === 0 && !allows(asked, key, undefined)) return undefined
    if (each.values.length > 0 && allowed.length === 0) return undefined
    const [only] = allowed
    if (only !== undefined && allowed.length === 1) setOwnValue(ofSize, key, only)
  }
  return { ...ofClaim, ...claimLabels, 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true', ...ofSize }
}

function allows(asked: Asked, key: string, value: string | undefined): boolean {
  return (asked.get(key) ?? []).every((each) => meetsExpression(each, value))
}

function isForSale({ unavailable, takenAt }: ClusterSnapshot, type: InstanceType, offering: Offering): boolean {
  const blocked = unavailable.some(({ scope, until }) => {
    if (until <= takenAt) return false
    if (scope.capacityType !== undefined && scope.capacityType !== offering.capacityType) return false
    if (scope.kind === 'capacityType') return true
    if (scope.zone !== undefined && scope.zone !== offering.zone) return false
    return scope.kind === 'offering' ? scope.size === type.name : scope.family === type.family && type.cpus >= scope.minCpus
  })
  return offering.available && !blocked
}
