/** Checks a new claim against its pool. */
import { ownValue } from '../../shared/base/values.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { meetsExpression, nameOf } from './kubernetesRules.ts'
import { type Outcome, outcomesOf } from './outcomes.ts'
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
    ...checkMinValues(snapshot, claim, outcomes).map((message) => says('minValues', message)),
  ]
}

/**
 * Checks minValues: the machines that the claim may become must have enough distinct values of a key. They are those of the pool, or under BestEffort
 * those that the claim itself still asks for.
 */
function checkMinValues(
  { objects, settings }: ClusterSnapshot,
  { pool, spec }: PlacedClaim,
  outcomes: readonly Outcome[],
): readonly string[] {
  const ofPool = objects.nodePool.find((each) => each.name === pool)?.template.requirements ?? []
  const asked = settings.minValuesPolicy === 'BestEffort' ? spec.requirements : ofPool
  const bought = outcomes.filter(({ isForSale }) => isForSale)
  return asked.flatMap(({ key, minValues = 0 }) => {
    const isAllowed = (value: string): boolean =>
      spec.requirements.filter((each) => each.key === nameOf(key)).every((each) => meetsExpression(each, value))
    const listed = bought.flatMap(
      ({ type, offering }) => [...offering.requirements, ...type.requirements].find((each) => each.key === nameOf(key))?.values ?? [],
    )
    const found = new Set(listed.filter(isAllowed))
    return found.size < minValues ? [`its sizes have ${found.size} values of ${key}, its nodepool asks for ${minValues}`] : []
  })
}
