/** Checks a new claim against its pool. */
import { ownValue } from '../../shared/base/ownValue.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { meetsExpression, nameOf } from './kubernetesRules.ts'
import { outcomesOf } from './outcomes.ts'
import type { PlacedClaim } from './placement.ts'
import { type Rule, type Violation, violation } from './violation.ts'

export function checkPool(snapshot: ClusterSnapshot, claim: PlacedClaim): readonly Violation[] {
  const says = (rule: Rule, message: string): Violation => violation(rule, `claim ${claim.name}`, message)
  const pool = snapshot.objects.nodePool.find((each) => each.name === claim.pool)
  if (pool === undefined) return [says('pool', `nodepool ${claim.pool} does not exist`)]
  const isReady = pool.status.conditions.some((each) => each.type === 'Ready' && each.status === 'True')
  const isSame = JSON.stringify(pool.template.taints) === JSON.stringify(claim.spec.taints)
  const outcomes = outcomesOf(snapshot, claim.spec, claim.labels)
  const named = claim.spec.requirements.find((each) => each.key === 'node.kubernetes.io/instance-type')?.values ?? []
  const forbidden = pool.template.requirements.find((each) =>
    outcomes.some(({ labels }) => !meetsExpression(each, ownValue(labels, nameOf(each.key)))),
  )
  return [
    ...(claim.pods.length > 0 ? [] : [says('once', 'it has no pods, or pods that do not exist')]),
    ...(isReady && pool.meta.deletedAt === undefined && pool.replicas === undefined
      ? []
      : [says('pool', 'its nodepool makes no claims now')]),
    ...(isSame ? [] : [says('taints', 'its taints are not those of its nodepool')]),
    ...(claim.labels['karpenter.sh/nodepool'] === pool.name ? [] : [says('pool', 'it does not carry the label of its nodepool')]),
    ...(forbidden === undefined
      ? []
      : [
          says(
            'pool',
            `its nodepool forbids a machine it may become: ${[forbidden.key, forbidden.operator, ...forbidden.values].join(' ')}`,
          ),
        ]),
    ...(outcomes.some(({ isForSale }) => isForSale) ? [] : [says('choice', 'nothing it may become is for sale')]),
    ...(named.length > snapshot.settings.maxInstanceTypes ? [says('instanceType', `it names ${named.length} sizes`)] : []),
    ...named.filter((size) => !outcomes.some(({ type }) => type.name === size)).map((size) => says('instanceType', `${size} cannot serve`)),
    ...checkMinValues(snapshot, claim).map((message) => says('minValues', message)),
  ]
}

/** Checks minValues: the named sizes must have enough distinct values of a key. A size counts with each of its values. */
function checkMinValues({ objects, settings, instanceTypes }: ClusterSnapshot, { pool, spec }: PlacedClaim): readonly string[] {
  if (settings.minValuesPolicy === 'BestEffort') return []
  const named = new Set<string>(
    spec.requirements.filter((each) => each.key === 'node.kubernetes.io/instance-type').flatMap(({ values }) => values),
  )
  const types = (instanceTypes.get(spec.nodeClassRef.name) ?? []).filter((type) => named.has(type.name))
  const asked = objects.nodePool.find((each) => each.name === pool)?.template.requirements ?? []
  return asked.flatMap(({ key, minValues = 0 }) => {
    const found = new Set(types.flatMap((type) => type.requirements.find((each) => each.key === nameOf(key))?.values ?? []))
    return found.size < minValues ? [`its sizes have ${found.size} values of ${key}, its nodepool asks for ${minValues}`] : []
  })
}
